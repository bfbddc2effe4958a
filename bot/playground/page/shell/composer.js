// Where one writes: a text field that grows, with completion, files, drafts per place, and editing of what was sent.

import { el, icon } from "../dom.js";
import { asTyped } from "../names.js";
import { lastOwn } from "../state/conversation.js";
import { Attachments } from "./attachments.js";
import { Completion } from "./completion.js";
import { toast } from "./toast.js";
import { aboutTheModel, asSent, refused } from "./welcome.js";

const TALLEST = 240;

let menus = 0;

export class Composer {
  constructor(page) {
    this._page = page;
    this._files = new Attachments(
      () => this._changed(),
      () => page.mirror.get("limits").file_bytes,
    );
    this.field = el("textarea", { class: "composer-field", rows: "1", dir: "auto", "aria-haspopup": "listbox" });
    this._completion = new Completion(page, this.field);
    this._send = el(
      "button",
      { class: "send", type: "button", "aria-label": "Send", title: "Send (Enter)", on: { click: () => this.send() } },
      icon("send"),
    );
    this._editing = el(
      "div",
      { class: "editing", hidden: true },
      icon("edit"),
      el("span", { text: "Editing your message" }),
      this._button("Cancel", () => this._stopEditing()),
    );
    this._try = this._tryMenu();
    const bar = el(
      "div",
      { class: "composer-bar" },
      this._files.button,
      this._mentionButton(),
      this._try.button,
      this._try.menu,
      el("span", { class: "composer-hint", text: "Shift + Enter for a new line" }),
      this._send,
    );
    this._box = el(
      "div",
      { class: "composer-box" },
      this._completion.node,
      this._editing,
      this.field,
      this._files.node,
      bar,
    );
    this.node = el("div", { class: "composer" }, this._box);
    this._files.takeFrom(this._box);
    this.field.addEventListener("input", () => this._typed());
    this.field.addEventListener("keydown", (event) => this._key(event));
    this.field.addEventListener("blur", () => this._completion.close());
  }

  // where: {channel, thread, name, placeholder, refusal}; a refusal says why nothing can be sent from here now.
  draw(where) {
    const place = `${where.channel.id}/${where.thread || ""}`;
    if (place !== this._place) this._move(place);
    this._where = where;
    this.field.placeholder = where.refusal || where.placeholder;
    this.field.setAttribute("aria-label", where.name);
    this._try.button.hidden =
      Boolean(where.thread) || !where.channel.app_is_in || !(this._page.app().prompts || []).length;
    this._try.button.disabled = Boolean(where.refusal);
    this._changed();
  }

  focus() {
    this.field.focus();
  }

  // Sends something else than what is being written, which stays.
  write(text) {
    if (this._refuses()) return null;
    this._stopEditing();
    const [draft, files] = [this.field.value, this._files.files];
    this._set(text, []);
    const done = this.send();
    this._set(draft, files);
    return done;
  }

  edit(message) {
    this._stopEditing();
    this._edited = message;
    this._before = this.field.value;
    this._editing.hidden = false;
    this.field.value = asTyped(message.text, this._page.mirror);
    this.field.focus();
    this.field.setSelectionRange(this.field.value.length, this.field.value.length);
    this._changed();
  }

  async send() {
    const text = this.field.value.trim();
    const files = this._files.files.map(({ name, base64 }) => ({ name, base64 }));
    if ((text || files.length || this._edited) && this._refuses()) return null;
    if (this._edited) return this._sendEdit(text);
    if (!text && !files.length) return null;
    const { channel, thread } = this._where;
    const [place, held] = [this._place, this._files.files];
    this._set("", []);
    const fields = { channel: channel.id, text, ...(thread && { thread_ts: thread }), ...(files.length && { files }) };
    const done = await this._page.mirror.act("write", fields);
    if (!done.error) this._page.wrote(channel, thread, text, done.result);
    else this._giveBack(place, text, held, done.error);
    return done;
  }

  // What is written stays, to be sent when it can be.
  _refuses() {
    const { refusal } = this._where;
    if (refusal) toast(refusal, "error");
    return Boolean(refusal);
  }

  async _sendEdit(text) {
    const { channel, ts } = this._edited;
    if (!text) return toast("A message cannot be empty.", "error");
    const done = await this._page.mirror.act("edit", { channel, ts, text });
    if (done.error) toast(done.error, "error");
    else this._stopEditing();
    return done;
  }

  // What could not be sent comes back, unless something new was begun meanwhile.
  _giveBack(place, text, files, error) {
    toast(error, "error");
    if (place !== this._place) this._page.drafts.keep(place, text, files);
    else if (!this.field.value) this._set(text, files);
  }

  _move(place) {
    this._stopEditing();
    const { text, files } = this._page.drafts.at(place);
    this._place = place;
    this._set(text, files);
    this._completion.close();
  }

  _set(text, files) {
    this.field.value = text;
    this._files.set(files);
    this._changed();
  }

  _stopEditing() {
    if (!this._edited) return;
    this._edited = null;
    this._editing.hidden = true;
    this.field.value = this._before;
    this._changed();
  }

  _typed() {
    this._completion.look();
    this._changed();
  }

  // Every change is kept, so that no reload and no other person in this tab loses it; an edit is no draft.
  _keep() {
    if (this._place && !this._edited) this._page.drafts.keep(this._place, this.field.value, this._files.files);
  }

  _changed() {
    this._keep();
    const has = this.field.value.trim() || this._files.files.length;
    this._send.disabled = !has || Boolean(this._where?.refusal);
    if (this.field.value === this._measured && this.field.clientWidth === this._width) return;
    this._measured = this.field.value;
    this._width = this.field.clientWidth;
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, TALLEST)}px`;
  }

  _key(event) {
    if (event.isComposing || this._completion.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.send();
    } else if (event.key === "ArrowUp" && !this.field.value && !this._edited && !event.altKey) {
      const own = lastOwn(this._page, this._where.channel.id, this._where.thread);
      if (own) event.preventDefault();
      if (own) this.edit(own);
    } else if (event.key === "Escape" && this._edited) {
      event.stopPropagation();
      this._stopEditing();
    }
  }

  _mentionButton() {
    const mention = () => {
      const { value, selectionStart: caret } = this.field;
      const gap = caret && !/\s$/.test(value.slice(0, caret)) ? " " : "";
      this.field.setRangeText(`${gap}@`, caret, this.field.selectionEnd, "end");
      this.field.focus();
      this._typed();
    };
    return el(
      "button",
      {
        class: "icon-button",
        type: "button",
        "aria-label": "Mention someone",
        title: "Mention someone",
        on: { click: mention },
      },
      icon("at"),
    );
  }

  _tryMenu() {
    const id = `try-${++menus}`;
    const button = el(
      "button",
      { class: "try", type: "button", popovertarget: id, title: "Things to try" },
      icon("bulb"),
      "Try…",
    );
    const menu = el("div", { class: "menu try-menu", id, popover: "auto", "aria-label": "Things to try" });
    menu.addEventListener("beforetoggle", () => {
      const notes = [refused(this._page), aboutTheModel(this._page)].filter(Boolean);
      menu.replaceChildren(
        ...(this._page.app().prompts || []).map((prompt) => this._tryItem(menu, prompt)),
        ...notes.map((text) => el("p", { class: "menu-note", text })),
      );
      const { left, top } = button.getBoundingClientRect();
      menu.style.left = `${Math.max(8, Math.min(left, innerWidth - 380))}px`;
      menu.style.bottom = `${innerHeight - top + 6}px`;
    });
    return { button, menu };
  }

  _tryItem(menu, prompt) {
    const send = () => {
      menu.hidePopover();
      this.write(asSent(this._page, this._where.channel, prompt));
    };
    return el(
      "button",
      { class: "menu-item", type: "button", on: { click: send } },
      el("span", { text: prompt, dir: "auto" }),
    );
  }

  _button(text, click) {
    return el("button", { class: "button small", type: "button", text, on: { click } });
  }
}

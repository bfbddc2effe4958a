// The pane beside the channel: one thread, what the agent is doing in it, and a composer of its own.

import { el, icon } from "../dom.js";
import { statusWords, threadItems } from "../state/conversation.js";
import { addressOf, go } from "../state/places.js";
import { Composer } from "./composer.js";
import { actAndTell } from "./context.js";
import { MessageList } from "./messages.js";

const NEXT_WORDS = 2500;

export class ThreadView {
  constructor(page) {
    this._page = page;
    this._title = el("h2", { class: "pane-title" });
    this._where = el("span", { class: "pane-where quiet" });
    const close = (name, label, className) =>
      el(
        "button",
        {
          class: `icon-button ${className}`,
          type: "button",
          "aria-label": label,
          title: `${label} (Esc)`,
          on: { click: () => this.close() },
        },
        icon(name),
      );
    const words = el("div", { class: "pane-words" }, this._title, this._where);
    const head = el(
      "header",
      { class: "pane-head" },
      close("back", "Back to the channel", "narrow-only"),
      words,
      el("span", { class: "grow" }),
      close("close", "Close thread", "wide-only"),
    );
    this.list = new MessageList(page, "Thread");
    this._words = el("span", { class: "doing-words" });
    this._stop = el(
      "button",
      { class: "button small", type: "button", on: { click: () => this._stopIt() } },
      icon("stop"),
      "Stop",
    );
    this._doing = el(
      "div",
      { class: "doing", hidden: true },
      el("span", { class: "spinner" }),
      this._words,
      el("span", { class: "grow" }),
      this._stop,
    );
    this.composer = new Composer(page);
    this.node = el(
      "aside",
      { class: "pane thread", "aria-label": "Thread" },
      head,
      this.list.node,
      this._doing,
      this.composer.node,
    );
    setInterval(() => this._sayNext(), NEXT_WORDS);
  }

  draw(channel, thread) {
    const { mirror } = this._page;
    const items = threadItems(this._page, channel.id, thread);
    const session = mirror.get(`session/${channel.id}/${thread}`);
    this._title.textContent = session?.title || "Thread";
    this._where.textContent = channel.kind === "im" ? this._page.appName() : `#${channel.name}`;
    this.list.top.replaceChildren(
      ...(items.length ? [] : [el("p", { class: "beginning quiet", text: "This thread does not exist, or was deleted." })]),
    );
    this.list.draw(items, mirror.get("me"));
    this._drawDoing(channel, thread, session);
    this.composer.draw({
      channel,
      thread,
      name: "Reply in the thread",
      placeholder: "Reply…",
      refusal: this._page.refusal() || (items.length ? "" : "Nothing to reply to"),
    });
  }

  close() {
    const { channel } = this._page.place;
    go(addressOf(channel));
    this._page.focusComposer();
  }

  open(channel, thread) {
    const place = `${channel.id}/${thread}`;
    if (place === this._place) return;
    this._place = place;
    this.list.open(this._page.seen.at(place));
    this._round = 0;
  }

  leave() {
    this._place = "";
  }

  _drawDoing(channel, thread, session) {
    this._channel = channel;
    this._thread = thread;
    this._status = this._page.mirror.get(`status/${channel.id}/${thread}`);
    const isBusy = session?.status === "processing";
    this._doing.hidden = !this._status?.text && !isBusy;
    this._stop.hidden = !isBusy;
    this._say();
  }

  _say() {
    const several = this._status?.loading_messages || [];
    const status = statusWords(this._page, this._channel.id, this._thread);
    const otherwise = status || `${this._page.appName()} is working…`;
    const words = several.length ? several[this._round % several.length] : otherwise;
    if (this._words.textContent !== words) this._words.textContent = words;
  }

  _sayNext() {
    this._round += 1;
    if (!this._doing.hidden) this._say();
  }

  async _stopIt() {
    this._stop.disabled = true;
    await actAndTell(this._page, "stop", { channel: this._channel.id, thread_ts: this._thread });
    this._stop.disabled = false;
    this._page.stayNear(this, this._page.isNarrow() ? this.list : this.composer);
  }
}

// Completes @people and #channels while one types, as a list box steered from the text field.

import { el, icon } from "../dom.js";
import { avatar, channelIcon, nameOf, roleOf } from "../names.js";

const BEFORE_CARET = /(^|[\s(])([@#])([\p{L}\p{N}._-]{0,40})$/u;
const MOST = 8;

let lists = 0;

export class Completion {
  constructor(page, field) {
    this._page = page;
    this._field = field;
    this._found = [];
    this._at = 0;
    this._id = `completion-${++lists}`;
    this.node = el("ul", {
      class: "completion",
      role: "listbox",
      id: this._id,
      "aria-label": "Suggestions",
      hidden: true,
    });
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", this._id);
  }

  get isOpen() {
    return !this.node.hidden;
  }

  look() {
    const { selectionStart: caret, value } = this._field;
    const found = BEFORE_CARET.exec(value.slice(0, caret));
    this._word = found && { start: caret - found[3].length - 1, sign: found[2], text: found[3].toLowerCase() };
    this._found = this._word ? this._matches() : [];
    this._at = 0;
    this._draw();
  }

  close() {
    this._found = [];
    this._draw();
  }

  // Whether the key was for the list.
  key(event) {
    if (!this.isOpen) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this._at = (this._at + step + this._found.length) % this._found.length;
    else if (event.key === "Enter" || event.key === "Tab") this._take(this._found[this._at]);
    else if (event.key === "Escape") this._found = [];
    else return false;
    this._draw();
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  _matches() {
    const { sign, text } = this._word;
    const all = sign === "@" ? this._people() : this._channels();
    const fits = ({ name, label }) => [name, ...label.split(/\s+/)].some((word) => word.toLowerCase().startsWith(text));
    return all.filter(fits).slice(0, MOST);
  }

  _people() {
    const users = this._page.mirror.group("user").sort((one, other) => Number(other.is_bot) - Number(one.is_bot));
    return users.map((user) => ({
      name: user.name,
      label: nameOf(user),
      note: roleOf(user),
      sign: () => avatar(user, "small"),
    }));
  }

  _channels() {
    const named = this._page.mirror.group("channel").filter(({ kind }) => kind !== "im");
    return named.map((channel) => ({
      name: channel.name,
      label: channel.name,
      note: "",
      sign: () => icon(channelIcon(channel)),
    }));
  }

  _take(option) {
    const { value, selectionStart: caret } = this._field;
    const before = `${value.slice(0, this._word.start)}${this._word.sign}${option.name} `;
    this._field.value = before + value.slice(caret).replace(/^ /, "");
    this._field.setSelectionRange(before.length, before.length);
    this._found = [];
    this._field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  _draw() {
    this.node.hidden = !this._found.length;
    this.node.replaceChildren(...this._found.map((option, position) => this._option(option, position)));
    if (this.isOpen) this._field.setAttribute("aria-activedescendant", `${this._id}-${this._at}`);
    else this._field.removeAttribute("aria-activedescendant");
  }

  _option(option, position) {
    const take = (event) => {
      event.preventDefault(); // the text field keeps the focus
      this._take(option);
      this._draw();
    };
    return el(
      "li",
      {
        role: "option",
        id: `${this._id}-${position}`,
        "aria-selected": String(position === this._at),
        on: { mousedown: take },
      },
      option.sign(),
      el("strong", { text: option.label }),
      this._word.sign === "@" ? el("span", { class: "quiet", text: `@${option.name}` }) : null,
      el("span", { class: "quiet note", text: option.note }),
    );
  }
}

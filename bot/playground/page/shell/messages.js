// A list of messages, newest at the bottom, that stays at the bottom for who is there and tells the others what is new.

import { el, icon, keyed } from "../dom.js";
import { counted, dayKey, dayName, today } from "../names.js";
import { drawMessage } from "./message.js";
import { walkable } from "./walking.js";

const NEAR = 48;
const TOGETHER = 300; // seconds within which messages of one person are drawn as a group

export class MessageList {
  constructor(page, label) {
    this._page = page;
    this._stuck = true;
    this._missed = 0;
    this._newest = "";
    this._top = 0;
    this.top = el("div", { class: "messages-top" });
    this.list = el("ol", { class: "messages", "aria-label": label });
    this.end = el("div", { class: "messages-end" });
    this._inner = el("div", { class: "messages-inner" }, this.top, this.list, this.end);
    this._scroller = el("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": label }, this._inner);
    this._jump = el("button", { class: "jump", type: "button", hidden: true, on: { click: () => this.toBottom() } });
    this.node = el("div", { class: "messages-place" }, this._scroller, this._jump);
    this._scroller.addEventListener("scroll", () => this._scrolled());
    walkable(this._scroller, this.list);
    const watch = new ResizeObserver(() => this._stuck && this._down());
    watch.observe(this._scroller);
    watch.observe(this._inner);
  }

  // What is drawn from now on is another place; `seen` is the newest ts that was read there before.
  open(seen) {
    this.list.replaceChildren();
    this._stuck = true;
    this._missed = 0;
    this._seen = seen;
    this._isNew = true;
  }

  // items: messages as message.js wants them, oldest first.
  draw(items, me) {
    const fresh = this._isNew ? this._begin(items) : this._count(items, me);
    keyed(
      this.list,
      this._lines(items, me),
      (line) => line.key,
      (line, old) => this._line(line, old),
      (line) => line.same,
    );
    if (this._stuck) this._down();
    if (this._stuck && fresh) this._showWhole(fresh);
    this._showJump();
  }

  focus() {
    this._scroller.focus({ preventScroll: true });
  }

  toBottom() {
    this._stuck = true;
    this._missed = 0;
    this._down();
    this._showJump();
  }

  // Brings a message into view and lets it glow; whether it was there.
  show(ts) {
    const node = this._nodeOf(ts);
    if (!node) return false;
    this._stuck = false;
    node.scrollIntoView({ block: this._isTall(node) ? "start" : "center" });
    node.classList.add("glow");
    setTimeout(() => node.classList.remove("glow"), 2500);
    return true;
  }

  // The newest message, if it was not read. Where one has never been, nothing is marked as new.
  _begin(items) {
    this._isNew = false;
    this._newest = items.at(-1)?.message.ts || "0";
    const isRead = this._newest <= this._seen;
    this._seen ||= this._newest;
    return isRead ? null : items.at(-1)?.message;
  }

  // The newest of those that came since the last drawing, if somebody else sent it. What comes before one's eyes, or
  // when one has written oneself, is read.
  _count(items, me) {
    const fresh = items.filter(({ message }) => message.ts > this._newest);
    const isMine = ({ message }) => message.user === me;
    const isMarked = items.some((item) => item.message.ts > this._seen && !fresh.includes(item) && !isMine(item));
    if (fresh.some(isMine)) this._stuck = true;
    if (!this._stuck) this._missed += fresh.length;
    const newest = items.at(-1)?.message.ts || this._newest;
    const isSeen = fresh.some(isMine) || (this._isLookedAt() && !isMarked);
    if (isSeen && newest > this._seen) this._seen = newest;
    this._newest = newest;
    return fresh.length && !isMine(fresh.at(-1)) ? fresh.at(-1).message : null;
  }

  _isLookedAt() {
    return this._stuck && !document.hidden && this._scroller.clientHeight > 0;
  }

  _nodeOf(ts) {
    return [...this.list.children].find((child) => child.dataset.ts === ts);
  }

  _isTall(node) {
    return this._scroller.clientHeight > 0 && node.offsetHeight > this._scroller.clientHeight;
  }

  // One begins to read a message that does not fit at its beginning, unless it is still being written.
  _showWhole({ ts, streaming }) {
    const node = this._nodeOf(ts);
    if (streaming || !node || !this._isTall(node)) return;
    this._stuck = false;
    node.scrollIntoView({ block: "start" });
    this._top = this._scroller.scrollTop;
  }

  _lines(items, me) {
    const lines = [];
    let before = null;
    let marked = false;
    let day = "";
    for (const item of items) {
      const { message } = item;
      if (dayKey(message.ts) !== day) {
        day = dayKey(message.ts);
        lines.push({ key: `day/${day}`, same: dayName(message.ts), day: message.ts });
        before = null;
      }
      if (!marked && message.ts > this._seen && message.user !== me) {
        marked = true;
        before = null;
        lines.push({ key: "new", same: 1, isNew: true });
      }
      item.grouped = isGrouped(before, item);
      lines.push({ key: item.key, same: [item.version, item.grouped, item.same, today()], item });
      before = item.after ? null : item;
      if (item.after) lines.push({ key: "after", same: item.after, text: item.after });
    }
    return lines;
  }

  _line(line, old) {
    if (line.item) return drawMessage(this._page, line.item, old);
    if (line.isNew) return el("li", { class: "line new" }, el("span", { text: "New" }));
    if (line.text) return el("li", { class: "line after" }, el("span", { text: line.text }));
    return el("li", { class: "line day" }, el("span", { text: dayName(line.day) }));
  }

  _scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this._scroller;
    const isUp = scrollTop < this._top - 1; // what grows below also moves the end away, but is no wish to leave it
    this._stuck = scrollHeight - scrollTop - clientHeight < NEAR || (this._stuck && !isUp);
    this._top = scrollTop;
    if (this._stuck) this._missed = 0;
    this._showJump();
  }

  _down() {
    this._scroller.scrollTop = this._scroller.scrollHeight;
    this._top = this._scroller.scrollTop;
  }

  _showJump() {
    this._jump.hidden = !this._missed;
    const text = counted(this._missed, "new message", "new messages");
    if (this._jump.dataset.text !== text) this._jump.replaceChildren(text, icon("arrowdown"));
    this._jump.dataset.text = text;
  }
}

function isGrouped(before, { message, isPrivate }) {
  if (!before || before.isPrivate || isPrivate || before.message.user !== message.user) return false;
  if ((before.message.name || "") !== (message.name || "")) return false;
  return Number(message.ts) - Number(before.message.ts) < TOGETHER && !before.replies?.length && !before.status;
}

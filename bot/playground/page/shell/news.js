// Tells of new messages: to screen readers in the open place, and in the title while the tab is hidden.

import { asTyped, nameOf } from "../names.js";
import { placeOf } from "../state/conversation.js";

const SPOKEN = 240;

export class News {
  constructor(page) {
    this._page = page;
    this._region = document.getElementById("news");
    this._told = new Set();
    this._hiddenCount = 0;
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this._hiddenCount = 0;
      page.redraw();
    });
  }

  // Everything that was there at first is not news.
  hear(keys, first) {
    for (const key of keys) {
      if (!/^(message|private)\//.test(key)) continue;
      const message = this._page.mirror.get(key);
      const isNew = message && !this._told.has(key);
      if (first) this._told.add(key);
      else if (isNew && !message.streaming) this._tell(key, message);
    }
  }

  titled(place) {
    const team = this._page.mirror.get("team")?.name;
    const count = this._hiddenCount ? `(${this._hiddenCount}) ` : "";
    const title = `${count}${[place, team, "Parley playground"].filter(Boolean).join(" · ")}`;
    if (document.title !== title) document.title = title;
  }

  _tell(key, message) {
    this._told.add(key);
    if (message.user === this._page.mirror.get("me")) return;
    if (document.hidden) this._hiddenCount += 1;
    const { place } = this._page;
    const here = [place.channel, `${place.channel}/${place.thread}`].includes(placeOf(message));
    if (!here || place.kind !== "channel") return;
    const who = message.name || nameOf(this._page.mirror.get(`user/${message.user}`));
    this._region.textContent = `${who}: ${asTyped(message.text || "a message", this._page.mirror).slice(0, SPOKEN)}`;
  }
}

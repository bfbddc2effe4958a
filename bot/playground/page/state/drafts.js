// What was begun but not sent, for each person and place; the words also outlive the page, the files do not.

import { forget, keep, remembered } from "./storage.js";

export class Drafts {
  constructor(mirror) {
    this._mirror = mirror; // it knows who one is
    this._files = new Map();
    this._texts = new Map(); // as this tab knows them: it writes only its own changes, as others may be open
  }

  // {text, files}
  at(place) {
    const text = String(remembered(this._name(place), ""));
    this._texts.set(place, text);
    return { text, files: this._files.get(place) || [] };
  }

  keep(place, text, files) {
    this._files.set(place, files);
    if (text === this._texts.get(place)) return;
    this._texts.set(place, text);
    if (text) keep(this._name(place), text);
    else forget(this._name(place));
  }

  _name(place) {
    return `parley/draft/${this._mirror.get("me")}/${place}`;
  }
}

// Remembers in this browser up to where each person has read each channel and thread.

import { keep, remembered } from "./storage.js";

export class Seen {
  constructor(me) {
    this._name = `parley/seen/${me}`;
    this._places = remembered(this._name, {});
  }

  at(place) {
    return this._places[place] || "";
  }

  // Whether that was news.
  mark(place, ts) {
    if (!ts || ts <= this.at(place)) return false;
    this._places[place] = ts;
    keep(this._name, this._places);
    return true;
  }
}

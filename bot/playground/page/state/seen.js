// Remembers in this browser up to where each person has read each channel and thread.

export class Seen {
  constructor(me) {
    this._name = `parley/seen/${me}`;
    this._places = load(this._name);
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

function load(name) {
  return remembered(name, {});
}

export function remembered(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? otherwise;
  } catch {
    return otherwise; // storage may be forbidden, or hold something else
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // the page works without a memory
  }
}

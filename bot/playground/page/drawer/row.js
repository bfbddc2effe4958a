// A field of the developer tools with its name beside it.

import { el } from "../dom.js";

export function row(text, field) {
  return el("label", { class: "tool-row", for: field.id }, el("span", { text }), field);
}

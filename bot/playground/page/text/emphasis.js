// Emphasis in Markdown: a list of markers, and which two of them belong together.

import { el } from "../dom.js";

const DEEPEST = 16; // styles within each other; the markers of deeper ones are shown

// Pairs the markers above `bottom`, each closer with the nearest opener that fits it.
export function emphasize(state, bottom) {
  const searched = new Map(); // for each kind of closer, below which marker there is no opener for it
  let closer = state.delimiter;
  while (closer && closer !== bottom && closer.before !== bottom) closer = closer.before;
  if (closer === bottom) closer = null;
  while (closer) {
    const kind = `${closer.char}${closer.open}${closer.char === "~" ? closer.count : closer.whole % 3}`;
    const opener = closer.close ? openerFor(closer, bottom, searched.get(kind)) : null;
    if (opener && wrap(opener, closer)) {
      if (closer.count === 0) closer = closer.after;
      continue;
    }
    if (closer.close) searched.set(kind, closer.before);
    closer = closer.after;
  }
  state.delimiter = bottom;
  if (bottom) bottom.after = null;
}

function openerFor(closer, bottom, floor) {
  for (let opener = closer.before; opener && opener !== bottom && opener !== floor; opener = opener.before) {
    if (opener.char === closer.char && opener.open && opener.count > 0 && fits(opener, closer)) return opener;
  }
  return null;
}

function fits(opener, closer) {
  if (closer.char === "~") return opener.count === closer.count;
  const mixed = opener.close || closer.open;
  return !(mixed && (opener.whole + closer.whole) % 3 === 0 && !(opener.whole % 3 === 0 && closer.whole % 3 === 0));
}

// Wraps what stands between the two; false if that would nest too deep.
function wrap(opener, closer) {
  const used = opener.char === "~" ? opener.count : Math.min(opener.count, closer.count, 2);
  const inside = [];
  for (let node = opener.node.nextSibling; node !== closer.node; node = node.nextSibling) inside.push(node);
  const nested = 1 + inside.reduce((most, node) => Math.max(most, node.nested ?? 0), 0);
  if (nested > DEEPEST) return false;
  const styled = el(opener.char === "~" ? "s" : used === 2 ? "strong" : "em", {}, inside);
  styled.nested = nested;
  opener.node.after(styled);
  for (const end of [opener, closer]) {
    end.count -= used;
    end.node.data = end.char.repeat(end.count);
  }
  opener.after = closer; // what was open between them stays as it is written
  closer.before = opener.count ? opener : opener.before;
  if (closer.before) closer.before.after = closer;
  if (closer.count === 0) {
    if (closer.before) closer.before.after = closer.after;
    if (closer.after) closer.after.before = closer.before;
  }
  return true;
}

// Puts a fresh drawing where an old one was, but leaves alone every part that would look the same.

import { findFocus, holdsFocus, replaceKeepingFocus } from "../dom.js";

const CONTROLS = "input, textarea, select, button, details";
const REPORTS = ".block-markdown, .markdown, .block-rich_text, .rich-text";

// `old` stays in the page; its blocks become those of `fresh`. Blocks that came or went between others do not matter:
// each is settled with the one that looks the same or holds the same fields.
export function settleBlocks(old, fresh) {
  const hadFocus = holdsFocus(old);
  const wanted = [...fresh.children];
  const there = [...old.children];
  wanted.forEach((node, position) => {
    let found = there.findIndex((before) => isTwin(before, node));
    const isFree = there.length && !wanted.slice(position + 1).some((later) => isTwin(there[0], later));
    if (found < 0 && isFree) found = 0;
    if (found < 0) return old.insertBefore(node, there[0] || null);
    for (const gone of there.splice(0, found)) gone.remove();
    return settle(there.shift(), node);
  });
  for (const gone of there) gone.remove();
  old.className = fresh.className;
  if (hadFocus) findFocus(old);
}

function isTwin(one, other) {
  const field = one.querySelector("[data-focus]")?.dataset.focus;
  return alike(one, other) || Boolean(field && field === other.querySelector("[data-focus]")?.dataset.focus);
}

function settleChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  wanted.forEach((node, position) => {
    const there = old.childNodes[position];
    if (there) settle(there, node);
    else old.append(node);
  });
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
}

function settle(old, fresh) {
  if (alike(old, fresh)) return;
  if (old.nodeType === Node.TEXT_NODE && fresh.nodeType === Node.TEXT_NODE) old.data = fresh.data;
  else if (isMixable(old) && isMixable(fresh) && sameOutside(old, fresh)) settleChildren(old, fresh);
  else if (old.nodeType === Node.ELEMENT_NODE) replaceKeepingFocus(old, fresh);
  else old.replaceWith(fresh);
}

// Parts may be mixed where nothing can be used, as a control may know its neighbours; those of a report never do.
function isMixable(node) {
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(CONTROLS)) return false;
  return node.matches(REPORTS) || !node.querySelector(CONTROLS);
}

function alike(one, other) {
  if (one.nodeType !== other.nodeType) return false;
  if (one.nodeType !== Node.ELEMENT_NODE) return one.data === other.data;
  if (!sameOutside(one, other) || !sameHeld(one, other)) return false;
  if (one.tagName === "TEXTAREA") return true;
  if (one.childNodes.length !== other.childNodes.length) return false;
  return [...one.childNodes].every((child, position) => alike(child, other.childNodes[position]));
}

// What a person changes, and ids that are new with every drawing.
const PASSING = new Set([
  "value",
  "checked",
  "selected",
  "open",
  "id",
  "for",
  "name",
  "aria-labelledby",
  "aria-describedby",
  "aria-controls",
  "style",
]);

function sameOutside(one, other) {
  if (one.tagName !== other.tagName) return false;
  const names = new Set(
    [...one.getAttributeNames(), ...other.getAttributeNames()].filter((name) => !PASSING.has(name)),
  );
  return [...names].every((name) => one.getAttribute(name) === other.getAttribute(name));
}

function sameHeld(one, other) {
  return one.value === other.value && one.checked === other.checked && one.disabled === other.disabled;
}

// The inside of a Markdown paragraph: emphasis by a stack of markers, links, code, tokens and emoji, in one pass.

import { el } from "../dom.js";
import { emojiAt } from "./emoji.js";
import { emphasize } from "./emphasis.js";
import { link } from "./links.js";
import { bareLinkAt } from "./mrkdwn.js";
import { decoded, tokenAt } from "./tokens.js";

const LONGEST_ADDRESS = 3000;
const PLAIN = /[^\\`*_~[\]!<&:hH\n]+/y;
const ENTITY = /&(?:(lt|gt|amp|quot|apos|nbsp)|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/y;
const NAMED = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: "\u00a0" };
const MAIL = /<([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})>/y;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const SPACE = /\s/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;

export function inlines(text, context) {
  const state = {
    text,
    context,
    at: 0,
    words: "",
    out: document.createDocumentFragment(),
    delimiter: null,
    brackets: [],
    ticks: null,
  };
  while (state.at < text.length) {
    if (!special(state)) take(state, 1);
    PLAIN.lastIndex = state.at;
    const plain = PLAIN.exec(text);
    if (plain) take(state, plain[0].length);
  }
  settle(state);
  emphasize(state, null);
  return state.out;
}

function take(state, length) {
  state.words += state.text.slice(state.at, state.at + length);
  state.at += length;
}

// Puts the words so far into the output, and this node behind them.
function settle(state, node = null) {
  if (state.words) state.out.append(state.words);
  state.words = "";
  if (node) state.out.append(node);
}

function special(state) {
  const { text, at } = state;
  switch (text[at]) {
    case "\\":
      return escaped(state);
    case "\n":
      return lineBreak(state, 1);
    case "`":
      return codeSpan(state);
    case "*":
    case "_":
    case "~":
      return marker(state);
    case "!":
      return text[at + 1] === "[" && bracket(state, 2);
    case "[":
      return bracket(state, 1);
    case "]":
      return closeBracket(state);
    case "<":
      return put(state, tokenAt(text, at, state.context) ?? mailAt(state));
    case ":":
      return put(state, emojiAt(text, at));
    case "&":
      return entity(state);
    case "h":
    case "H":
      return put(state, addressAt(state));
  }
  return false;
}

// An address that nobody has made a link of; not in what may become the words of a link.
function addressAt(state) {
  const inWord = /[\p{L}\p{N}]$/u.test(state.words.slice(-2));
  return inWord || state.brackets.length ? null : bareLinkAt(state.text, state.at, state.context);
}

function put(state, found) {
  if (!found) return false;
  settle(state, found.node);
  state.at = found.end;
  return true;
}

function lineBreak(state, length) {
  state.words = state.words.trimEnd();
  settle(state, el("br"));
  state.at += length;
  while (state.text[state.at] === " ") state.at += 1;
  return true;
}

function escaped(state) {
  const next = state.text[state.at + 1] ?? "";
  if (next === "\n") return lineBreak(state, 2);
  if (!ESCAPABLE.test(next)) return false;
  state.words += next;
  state.at += 2;
  return true;
}

function entity(state) {
  ENTITY.lastIndex = state.at;
  const found = ENTITY.exec(state.text);
  if (!found) return false;
  const code = found[2] ? Number(found[2]) : parseInt(found[3], 16);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  state.words += found[1] ? NAMED[found[1]] : isCharacter ? String.fromCodePoint(code) : "\ufffd";
  state.at = ENTITY.lastIndex;
  return true;
}

function mailAt(state) {
  MAIL.lastIndex = state.at;
  const found = MAIL.exec(state.text);
  return found && { node: link(`mailto:${found[1]}`, found[1], state.context), end: MAIL.lastIndex };
}

// Closed by a run of as many backticks; where the runs are is found once for the whole text.
function codeSpan(state) {
  const { text, at } = state;
  state.ticks ??= ticksOf(text);
  let length = 1;
  while (text[at + length] === "`") length += 1;
  const places = state.ticks.get(length);
  while (places.length && places.at(-1) <= at) places.pop();
  if (!places.length) return take(state, length) ?? true;
  const close = places.at(-1);
  const code = text.slice(at + length, close).replaceAll("\n", " ");
  const padded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
  settle(state, el("code", { text: decoded(padded ? code.slice(1, -1) : code) }));
  state.at = close + length;
  return true;
}

// Where runs of each length stand, the last place first.
function ticksOf(text) {
  const found = new Map();
  for (const run of text.matchAll(/`+/g)) {
    const places = found.get(run[0].length) ?? [];
    found.set(run[0].length, places);
    places.push(run.index);
  }
  for (const places of found.values()) places.reverse();
  return found;
}

function marker(state) {
  const { text, at } = state;
  const char = text[at];
  let count = 1;
  while (text[at + count] === char) count += 1;
  const [before, after] = [text[at - 1] ?? "\n", text[at + count] ?? "\n"];
  const left = !SPACE.test(after) && (!PUNCTUATION.test(after) || SPACE.test(before) || PUNCTUATION.test(before));
  const right = !SPACE.test(before) && (!PUNCTUATION.test(before) || SPACE.test(after) || PUNCTUATION.test(after));
  const open = left && (char !== "_" || !right || PUNCTUATION.test(before));
  const close = right && (char !== "_" || !left || PUNCTUATION.test(after));
  const node = document.createTextNode(char.repeat(count));
  settle(state, node);
  state.at += count;
  if (char === "~" && count > 2) return true;
  const delimiter = { char, count, whole: count, open, close, node, before: state.delimiter, after: null };
  if (state.delimiter) state.delimiter.after = delimiter;
  state.delimiter = delimiter;
  return true;
}

function bracket(state, length) {
  const node = document.createTextNode(state.text.slice(state.at, state.at + length));
  settle(state, node);
  state.brackets.push({ node, below: state.delimiter, image: length === 2 });
  state.at += length;
  return true;
}

function closeBracket(state) {
  const opener = state.brackets.pop();
  const target = opener && state.text[state.at + 1] === "(" ? targetAt(state.text, state.at + 2) : null;
  if (!target) return false;
  settle(state);
  emphasize(state, opener.below);
  const label = [];
  for (let node = opener.node.nextSibling; node; node = node.nextSibling) label.push(node);
  opener.node.remove();
  settle(state, drawLink(state, opener, target.address, label.length ? label.map(inert) : [target.address]));
  state.at = target.end;
  return true;
}

// Neither a link nor a picture, which is drawn as a link to it, stands in a link.
function drawLink(state, opener, address, label) {
  if (opener.image && state.brackets.length) return el("span", { title: address }, "Image: ", label);
  state.brackets = [];
  return link(address, opener.image ? ["Image: ", label] : label, state.context);
}

function inert(node) {
  const acts = node.nodeType === Node.ELEMENT_NODE && (node.matches("a, button") || node.querySelector("a, button"));
  if (!acts) return node;
  node.remove();
  return node.textContent;
}

// The address and the title of a link, up to its closing parenthesis.
function targetAt(text, start) {
  let at = skipSpace(text, start);
  const pointed = text[at] === "<";
  const from = pointed ? at + 1 : at;
  for (let depth = 0, end = from; end < text.length && end - from < LONGEST_ADDRESS; end += 1) {
    const char = text[end];
    if (pointed ? char === ">" : SPACE.test(char) || (char === ")" && depth === 0)) {
      const address = text.slice(from, end).replace(/\\([!-/:-@[-`{-~])/g, "$1");
      at = afterTitle(text, skipSpace(text, pointed ? end + 1 : end));
      return text[at] === ")" ? { address, end: at + 1 } : null;
    }
    if (char === "\n" || (pointed && char === "<")) return null;
    depth += char === "(" ? 1 : char === ")" ? -1 : 0;
    if (depth > 32) return null;
    if (char === "\\") end += 1;
  }
  return null;
}

function afterTitle(text, at) {
  if (text[at] !== '"' && text[at] !== "'") return at;
  const close = text.slice(at + 1, at + LONGEST_ADDRESS).indexOf(text[at]);
  return close < 0 ? at : skipSpace(text, at + close + 2);
}

function skipSpace(text, at) {
  while (text[at] === " " || text[at] === "\n") at += 1;
  return at;
}

// Slack's own markup, drawn: *bold*, _italic_, ~strike~, code, quotes, tokens, emoji; anything else is text.

import { el } from "../dom.js";
import { codeBlock } from "./code.js";
import { emojiAt } from "./emoji.js";
import { link } from "./links.js";
import { decoded, tokenAt } from "./tokens.js";

const FENCED = /(?<!`)```([^`](?:[^`]|`(?!``))*)```(?!`)/g;
const QUOTE = /^(?:>|&gt;) ?/;
const REST_QUOTED = /^(?:>|&gt;){3} ?/;
const STYLES = { "*": "strong", _: "em", "~": "s" };
const WORD = /[\p{L}\p{N}]/u;
const BARE_LINK = /https?:\/\/(?:(?!&[lg]t;)[^\s<>|`"])+/iy;

export function drawMrkdwn(text, context, { verbatim = false } = {}) {
  const how = { ...context, verbatim };
  return el("div", { class: "mrkdwn" }, fenced(String(text), how));
}

function fenced(text, context) {
  const drawn = [];
  let at = 0;
  for (const found of text.matchAll(FENCED)) {
    drawn.push(...lines(text.slice(at, found.index).replace(/\n$/, ""), context));
    drawn.push(codeBlock(literal(found[1].replace(/^\n/, "").replace(/\n$/, ""), context)));
    at = found.index + found[0].length;
    if (text[at] === "\n") at += 1;
  }
  return [...drawn, ...lines(text.slice(at), context)];
}

// Lines, with those that follow each other as quotes in one block; an empty text draws nothing.
function lines(text, context) {
  if (text === "") return [];
  const drawn = [];
  let plain = [];
  let quoted = [];
  const settle = () => {
    if (plain.length) drawn.push(el("div", { class: "lines" }, broken(plain, context)));
    if (quoted.length) drawn.push(el("blockquote", {}, broken(quoted, context)));
    [plain, quoted] = [[], []];
  };
  const all = text.split("\n");
  for (const [number, line] of all.entries()) {
    if (REST_QUOTED.test(line)) {
      settle();
      quoted = [line.replace(REST_QUOTED, ""), ...all.slice(number + 1)];
      break;
    }
    const isQuote = QUOTE.test(line);
    if (isQuote ? plain.length : quoted.length) settle();
    if (isQuote) quoted.push(line.replace(QUOTE, ""));
    else plain.push(line);
  }
  settle();
  return drawn;
}

function broken(some, context) {
  return some.flatMap((line, number) => [number ? el("br") : null, ...inline(line, context)]);
}

function inline(line, context) {
  const units = unitsOf(line, context);
  const next = { "*": 0, _: 0, "~": 0 }; // how far each marker's closers are used up
  return styled(units, 0, units.length, closersOf(units), next, Object.keys(STYLES));
}

// The line as characters and things already drawn, so that no marker is found inside a link or code.
function unitsOf(line, context) {
  const units = [];
  for (let at = 0; at < line.length;) {
    const thing = thingAt(line, at, units, context);
    if (thing) {
      units.push(thing.node);
      at = thing.end;
    } else {
      const entity = line[at] === "&" && /^&(?:lt|gt|amp);/.exec(line.slice(at, at + 5));
      const character = entity ? entity[0] : String.fromCodePoint(line.codePointAt(at));
      units.push(entity ? decoded(character) : character);
      at += character.length;
    }
  }
  return units;
}

function thingAt(line, at, units, context) {
  switch (line[at]) {
    case "<":
      return tokenAt(line, at, context);
    case ":":
      return emojiAt(line, at);
    case "`":
      return isWord(units.at(-1)) ? null : codeAt(line, at, context);
    case "h":
    case "H":
      return context.verbatim || isWord(units.at(-1)) ? null : bareLinkAt(line, at, context);
  }
  return null;
}

function codeAt(line, at, context) {
  const close = line.indexOf("`", at + 1);
  if (close <= at + 1 || isWord(String.fromCodePoint(line.codePointAt(close + 1) || 32))) return null;
  return { node: el("code", {}, literal(line.slice(at + 1, close), context)), end: close + 1 };
}

export function bareLinkAt(line, at, context) {
  BARE_LINK.lastIndex = at;
  const found = BARE_LINK.exec(line);
  if (!found) return null;
  const address = trimmed(found[0]);
  return { node: link(decoded(address), decoded(address), context), end: at + address.length };
}

// Without the punctuation that belongs to the sentence around it.
function trimmed(address) {
  let end = address.length;
  let unopened = address.split(")").length - address.split("(").length;
  while (end > 8 && ".,;:!?'*_~)]}".includes(address[end - 1])) {
    if (address[end - 1] === ")" && unopened <= 0) break;
    if (address[end - 1] === ")") unopened -= 1;
    end -= 1;
  }
  return address.slice(0, end);
}

// Code: tokens are drawn in it, markers and emoji are not.
function literal(text, context) {
  const drawn = [];
  let from = 0;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
    const token = tokenAt(text, at, context);
    if (!token) continue;
    drawn.push(decoded(text.slice(from, at)), token.node);
    from = token.end;
    at = token.end - 1;
  }
  return [...drawn, decoded(text.slice(from))];
}

function isWord(unit) {
  return typeof unit === "string" && WORD.test(unit);
}

function isSpace(unit) {
  return unit === undefined || (typeof unit === "string" && /\s/.test(unit));
}

// For each marker the places where it may close, found once per line.
function closersOf(units) {
  const found = { "*": [], _: [], "~": [] };
  units.forEach((unit, at) => {
    const doubled = units[at - 1] === unit || units[at + 1] === unit;
    if (found[unit] && !doubled && !isSpace(units[at - 1]) && !isWord(units[at + 1])) found[unit].push(at);
  });
  return found;
}

// Units from start to end; a style does not stand within itself.
function styled(units, start, end, closers, next, allowed) {
  const drawn = [];
  let words = "";
  const settle = () => {
    if (words) drawn.push(words);
    words = "";
  };
  for (let at = start; at < end; at += 1) {
    const unit = units[at];
    const close = allowed.includes(unit) ? closerFor(units, at, end, closers[unit], next) : -1;
    if (close > 0) {
      settle();
      const others = allowed.filter((marker) => marker !== unit);
      drawn.push(el(STYLES[unit], {}, styled(units, at + 1, close, closers, next, others)));
      at = close;
    } else if (typeof unit === "string") {
      words += unit;
    } else {
      settle();
      drawn.push(unit);
    }
  }
  settle();
  return drawn;
}

function closerFor(units, at, end, closers, next) {
  const marker = units[at];
  const doubled = units[at + 1] === marker || units[at - 1] === marker;
  if (doubled || isSpace(units[at + 1]) || isWord(units[at - 1])) return -1;
  while (next[marker] < closers.length && closers[next[marker]] <= at + 1) next[marker] += 1;
  const close = closers[next[marker]] ?? -1;
  return close < end ? close : -1;
}

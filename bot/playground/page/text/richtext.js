// Rich text, drawn: sections, lists, quotes and code made of pieces that carry their own style.

import { el } from "../dom.js";
import { codeBlock } from "./code.js";
import { emoji } from "./emoji.js";
import { link } from "./links.js";
import { broadcast, channel, date, person } from "./tokens.js";

const DEEPEST = 8;
const STYLES = { bold: "strong", italic: "em", strike: "s", code: "code", underline: "u" };
const COLOUR = /^#[0-9a-f]{6}$/i;

export function richText(block, context) {
  return el("div", { class: "rich-text" }, parts(block.elements ?? [], context));
}

function parts(elements, context) {
  const drawn = [];
  for (const [at, element] of elements.entries()) {
    if (element?.type !== "rich_text_list") drawn.push(part(element, context));
    else if (elements[at - 1]?.type !== "rich_text_list") drawn.push(...lists(elements, at, context));
  }
  return drawn;
}

function part(element, context) {
  const inside = element?.elements ?? [];
  switch (element?.type) {
    case "rich_text_section":
      return el(
        "p",
        {},
        inside.map((piece) => drawPiece(piece, context)),
      );
    case "rich_text_quote":
      return el(
        "blockquote",
        {},
        inside.map((piece) => drawPiece(piece, context)),
      );
    case "rich_text_preformatted":
      return codeBlock(
        inside.map((piece) => drawPiece(piece, context)),
        String(element.language ?? ""),
      );
  }
  return el("p", { class: "unknown", text: `This part is not drawn here: ${String(element?.type)}` });
}

// Lists that follow each other are one list; the indent of each says how deep it stands.
function lists(elements, at, context) {
  const found = [];
  const open = []; // the lists that are open, by depth
  for (let next = at; elements[next]?.type === "rich_text_list"; next += 1) {
    const { style, indent = 0, offset = 0, elements: items = [] } = elements[next];
    const depth = Math.max(0, Math.min(Number(indent) || 0, DEEPEST, open.length));
    const tag = style === "ordered" ? "ol" : "ul";
    open.length = Math.min(open.length, depth + 1);
    if (open[depth]?.localName !== tag) {
      const list = el(tag, { class: "tight", start: offset ? Number(offset) + 1 : null });
      if (depth) (open[depth - 1].lastElementChild ?? open[depth - 1]).append(list);
      else found.push(list);
      open[depth] = list;
    }
    open[depth].append(...items.map((item) => el("li", {}, parts([item], context))));
  }
  return found;
}

function drawPiece(piece, context) {
  const drawn = plainPiece(piece ?? {}, context);
  return Object.entries(STYLES).reduce(
    (inside, [name, tag]) => (piece?.style?.[name] ? el(tag, {}, inside) : inside),
    drawn,
  );
}

function plainPiece(piece, context) {
  switch (piece.type) {
    case "text":
      return broken(String(piece.text ?? ""));
    case "link":
      return link(piece.url, String(piece.text || piece.url), context);
    case "user":
      return person(String(piece.user_id), "", context);
    case "usergroup":
      return el("span", { class: "mention", text: `@${piece.usergroup_id}` });
    case "channel":
      return channel(String(piece.channel_id), "", context);
    case "broadcast":
      return broadcast(String(piece.range));
    case "emoji":
      return emoji(String(piece.name), piece.skin_tone);
    case "date":
      return date(String(piece.timestamp), piece.format, piece.url, piece.fallback, context);
    case "color":
      return colour(String(piece.value));
  }
  return el("span", { class: "unknown", text: `[${String(piece.type)}]` });
}

function broken(text) {
  return el("span", { class: "plain", text });
}

function colour(value) {
  const spot = el("span", { class: "colour-spot", "aria-hidden": "true" });
  if (COLOUR.test(value)) spot.style.backgroundColor = value;
  return el("span", {}, spot, value);
}

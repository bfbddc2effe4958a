// Blocks that lay out others or show things: pictures, tables, containers, cards, alerts.

import { el, icon } from "../dom.js";
import { link, picture, safeUrl } from "../text/links.js";
import { richText } from "../text/richtext.js";
import { drawLine, drawTextObject, wordsOf } from "../text/text.js";
import { focusId } from "./acting.js";

const LEVELS = { info: "info", warning: "warn", error: "warn", success: "check", default: "info" };
const ALIGNED = new Set(["left", "center", "right"]);

export function image(block, context) {
  const title = block.title ? el("figcaption", {}, drawLine(block.title, context)) : null;
  return el("figure", { class: "image" }, title, picture(block, "large-picture"));
}

export function video(block, context) {
  const title = block.title_url
    ? link(block.title_url, drawLine(block.title, context), context)
    : drawLine(block.title, context);
  const still = picture({ image_url: block.thumbnail_url, alt_text: block.alt_text }, "large-picture");
  return el("figure", { class: "image" }, el("figcaption", {}, title), still);
}

export function fileBlock(block) {
  return el(
    "div",
    { class: "file-note" },
    icon("file"),
    el("span", { text: `A file: ${block.external_id ?? block.file_id ?? "elsewhere"}` }),
  );
}

// The first row is its head, as Slack draws it.
export function table(block, context) {
  const [head = [], ...body] = block.rows ?? [];
  const settings = block.column_settings ?? [];
  const row = (cells, tag) =>
    el(
      "tr",
      {},
      cells.map((cell, column) => {
        const { align, is_wrapped: wraps } = settings[column] ?? {};
        const classes = [`align-${ALIGNED.has(align) ? align : "left"}`, wraps === false ? "unwrapped" : ""].join(" ").trim();
        return el(tag, { class: classes, scope: tag === "th" && "col" }, drawCell(cell, context));
      }),
    );
  const drawn = el(
    "table",
    {},
    el("thead", {}, row(head, "th")),
    el(
      "tbody",
      {},
      body.map((cells) => row(cells, "td")),
    ),
  );
  const focus = focusId({ context, block, element: { action_id: "table" } });
  return el(
    "div",
    { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Table", data: { focus } },
    drawn,
  );
}

function drawCell(cell, context) {
  if (cell?.type === "rich_text") return richText(cell, context);
  if (cell?.type === "mrkdwn") return drawTextObject(cell, context);
  return el("span", { class: "plain", text: String(cell?.text ?? cell?.value ?? "") });
}

export function container(block, context, drawAll) {
  const title = block.rich_text_title ? richText(block.rich_text_title, context) : drawLine(block.title, context);
  const head = [
    block.icon ? picture(block.icon, "card-icon") : null,
    el("div", {}, el("div", { class: "container-title" }, title), subtitle(block, context)),
  ];
  const inside = el("div", { class: "container-body" }, drawAll(block.child_blocks ?? [], context));
  if (!block.is_collapsible)
    return el(
      "section",
      { class: "container", "aria-label": wordsOf(block.title) },
      el("div", { class: "container-head" }, head),
      inside,
    );
  const focus = focusId({ context, block, element: { action_id: "container" } });
  const open = !(block.is_collapsed ?? block.default_collapsed ?? false);
  return el(
    "details",
    { class: "container", open, data: { focus } },
    el("summary", { class: "container-head" }, icon("right"), head),
    inside,
  );
}

function subtitle(block, context) {
  return block.subtitle ? el("div", { class: "subtitle" }, drawTextObject(block.subtitle, context)) : null;
}

export function card(block, context, drawElement) {
  const hero = block.hero_image ? picture(block.hero_image, "hero") : null;
  const small = block.icon ? picture(block.icon, "card-icon") : null;
  const title = block.title ? el("div", { class: "card-title" }, drawTextObject(block.title, context)) : null;
  const body = block.body ? el("div", { class: "card-body" }, drawTextObject(block.body, context)) : null;
  const buttons = (block.actions ?? block.elements ?? []).map((element) => drawElement({ context, block, element }));
  return el(
    "article",
    { class: "card" },
    hero,
    el("div", { class: "card-head" }, small, el("div", {}, title, subtitle(block, context))),
    body,
    buttons.length ? el("div", { class: "actions" }, buttons) : null,
  );
}

export function carousel(block, context, drawElement) {
  const focus = focusId({ context, block, element: { action_id: "carousel" } });
  const cards = (block.elements ?? []).map((each) =>
    card({ ...each, block_id: each.block_id ?? block.block_id }, context, drawElement),
  );
  return el("div", { class: "carousel", tabindex: "0", role: "group", "aria-label": "Cards", data: { focus } }, cards);
}

export function alert(block, context) {
  const level = Object.hasOwn(LEVELS, block.level) ? block.level : "default";
  return el("div", { class: `alert ${level}`, role: "note" }, icon(LEVELS[level]), drawTextObject(block.text, context));
}

// Where a task found something, as links.
export function sources(list, context) {
  const drawn = (list ?? [])
    .filter((source) => source?.url)
    .map((source) => {
      const host = safeUrl(source.url)?.host ?? source.url;
      return el("li", {}, link(source.url, String(source.text || host), context));
    });
  return drawn.length ? el("ul", { class: "sources", "aria-label": "Sources" }, drawn) : null;
}

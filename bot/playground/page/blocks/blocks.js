// Blocks, drawn: which function draws which block; nothing in them, however wrong, keeps the others from being seen.

import { el, icon } from "../dom.js";
import { picture } from "../text/links.js";
import { drawMarkdown } from "../text/markdown.js";
import { drawMrkdwn } from "../text/mrkdwn.js";
import { richText } from "../text/richtext.js";
import { drawLine, drawTextObject } from "../text/text.js";
import { newId } from "./acting.js";
import { drawElement, GROUPS, note } from "./elements.js";
import { alert, card, carousel, container, fileBlock, image, table, video } from "./layouts.js";
import { plan, taskCard } from "./tasks.js";

const DRAWN = {
  section,
  header,
  divider: () => el("hr"),
  context: small,
  actions,
  context_actions: actions,
  input,
  image,
  markdown: (block, context) => drawMarkdown(block.text, context),
  rich_text: richText,
  plan,
  task_card: taskCard,
  table,
  data_table: table,
  container: (block, context) => container(block, context, drawAll),
  card: (block, context) => card(block, context, drawElement),
  carousel: (block, context) => carousel(block, context, drawElement),
  alert,
  video,
  file: fileBlock,
};

export function drawBlocks(blocks, context) {
  const all = Array.isArray(blocks) ? blocks : [];
  const isForm = all.some((block) => block?.type === "input");
  const where = context.surface?.view ? "in-view" : "in-message";
  return el("div", { class: `blocks ${where}${isForm ? " form" : ""}` }, drawAll(all, context));
}

// The mrkdwn of a message that has no blocks.
export function drawText(text, context) {
  return drawMrkdwn(text ?? "", context);
}

function drawAll(blocks, context) {
  return blocks.map((block) => {
    const kind = String(block?.type ?? "").replace(/[^a-z_]/g, "");
    return el("div", { class: `block block-${kind}` }, drawSafely(block, context));
  });
}

function drawSafely(block, context) {
  if (!Object.hasOwn(DRAWN, block?.type)) return note("block", block?.type);
  try {
    return DRAWN[block.type](block, context);
  } catch (error) {
    console.error("a block could not be drawn", error);
    return note("block", `${block.type}, which is not as it should be`);
  }
}

function section(block, context) {
  const text = block.text ? el("div", { class: "section-text" }, drawTextObject(block.text, context)) : null;
  const fields = block.fields?.length
    ? el(
        "div",
        { class: "section-fields" },
        block.fields.map((field) => el("div", { class: "section-field" }, drawTextObject(field, context))),
      )
    : null;
  const accessory = block.accessory
    ? el("div", { class: "accessory" }, drawElement({ context, block, element: block.accessory }))
    : null;
  return el("div", { class: "section" }, el("div", { class: "section-main" }, text, fields), accessory);
}

function header(block, context) {
  const level = [1, 2, 3, 4].includes(block.level) ? block.level : 1;
  return el(`h${level + 1}`, { class: `header level-${level}` }, drawLine(block.text, context));
}

function small(block, context) {
  return el(
    "div",
    { class: "context" },
    (block.elements ?? []).map((element) =>
      element?.type === "image" ? picture(element, "context-image") : drawTextObject(element, context),
    ),
  );
}

function actions(block, context) {
  return el(
    "div",
    { class: "actions" },
    (block.elements ?? []).map((element) => drawElement({ context, block, element })),
  );
}

function input(block, context) {
  const element = block.element ?? {};
  const [hintId, errorId] = [newId("hint"), newId("error")];
  const error = context.errors?.[block.block_id];
  const describedBy = [block.hint && hintId, error && errorId].filter(Boolean).join(" ") || null;
  const isGroup = GROUPS.has(element.type);
  const fieldId = isGroup ? null : newId("field");
  const place = { context, block, element, describedBy, fieldId, inFieldset: isGroup, isWrong: Boolean(error) };
  const label = [
    drawLine(block.label, context),
    block.optional ? el("span", { class: "optional", text: "optional" }) : null,
  ];
  return el(
    isGroup ? "fieldset" : "div",
    { class: error ? "input wrong" : "input", "aria-describedby": isGroup ? describedBy : null },
    isGroup ? el("legend", {}, label) : el("label", { for: fieldId }, label),
    drawElement(place),
    block.hint ? el("div", { class: "hint", id: hintId }, drawLine(block.hint, context)) : null,
    error
      ? el("div", { class: "input-error", id: errorId, role: "alert" }, icon("warn"), el("span", { text: error }))
      : null,
  );
}

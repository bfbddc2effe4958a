// Markdown, drawn: its blocks, found line by line in one pass per level of nesting; HTML in it is only text.

import { el } from "../dom.js";
import { codeBlock } from "./code.js";
import { inlines } from "./inlines.js";
import { decoded } from "./tokens.js";

const DEEPEST = 8; // quotes and lists within each other; deeper ones are plain paragraphs
const MOST_COLUMNS = 100;
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|(\d{1,9})[.)])( +|$)/;
const UNDERLINE = /^ {0,3}=+ *$/;
const TASK = /^\[([ xX])\] +/;
const INDENT = 4;

export function drawMarkdown(text, context) {
  const lines = String(text).replace(/\r\n?/g, "\n").replaceAll("\t", "    ").split("\n");
  return el("div", { class: "markdown" }, blocksOf(lines, context, 0));
}

function blocksOf(lines, context, depth) {
  const drawn = [];
  for (let at = 0; at < lines.length;) {
    const found = isBlank(lines[at]) ? { end: at + 1 } : blockAt(lines, at, context, depth);
    if (found.node) drawn.push(found.node);
    at = found.end;
  }
  return drawn;
}

function blockAt(lines, at, context, depth) {
  for (const read of [fence, heading, rule, quote, list, table, indented]) {
    const found = read(lines, at, context, depth);
    if (found) return found;
  }
  return paragraph(lines, at, context);
}

function isBlank(line) {
  return line.trim() === "";
}

function indentOf(line) {
  return line.length - line.trimStart().length;
}

function isRule(line) {
  const marks = line.replaceAll(" ", "");
  return (
    marks.length > 2 && "-*_".includes(marks[0]) && marks === marks[0].repeat(marks.length) && indentOf(line) < INDENT
  );
}

// Until it is closed; one that is still being written goes on to the end.
function fence(lines, at) {
  const open = FENCE.exec(lines[at]);
  if (!open) return null;
  const closes = (line) => {
    const found = line.trim();
    return found.startsWith(open[2]) && found === open[2][0].repeat(found.length);
  };
  let end = at + 1;
  while (end < lines.length && !closes(lines[end])) end += 1;
  const code = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indentOf(line), open[1].length)));
  const language = open[3].trim().split(" ")[0].slice(0, 30);
  return { node: codeBlock(decoded(code.join("\n")), language), end: end + 1 };
}

function heading(lines, at, context) {
  const found = HEADING.exec(lines[at]);
  if (!found) return null;
  const words = lines[at].slice(found[0].length).trim();
  const bare = words.replace(/(?<!#)#+$/, "");
  const text = bare === "" || bare.endsWith(" ") ? bare.trimEnd() : words;
  return { node: titled(found[1].length, text, context), end: at + 1 };
}

function titled(level, text, context) {
  return el(`h${Math.min(level + 2, 6)}`, { class: `heading level-${level}` }, inlines(text, context));
}

function rule(lines, at) {
  return isRule(lines[at]) ? { node: el("hr"), end: at + 1 } : null;
}

function quote(lines, at, context, depth) {
  if (depth >= DEEPEST || !QUOTE.test(lines[at])) return null;
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inside = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return { node: el("blockquote", {}, blocksOf(inside, context, depth + 1)), end };
}

function indented(lines, at) {
  if (indentOf(lines[at]) < INDENT) return null;
  let end = at;
  for (let next = at; next < lines.length && (isBlank(lines[next]) || indentOf(lines[next]) >= INDENT); next += 1) {
    if (!isBlank(lines[next])) end = next + 1;
  }
  const code = lines.slice(at, end).map((line) => line.slice(INDENT));
  return { node: codeBlock(decoded(code.join("\n"))), end };
}

function paragraph(lines, at, context) {
  let end = at + 1;
  while (end < lines.length && !isBlank(lines[end]) && !UNDERLINE.test(lines[end]) && !interrupts(lines, end)) end += 1;
  const text = lines
    .slice(at, end)
    .map((line) => line.trimStart())
    .join("\n")
    .trimEnd();
  if (end < lines.length && UNDERLINE.test(lines[end])) return { node: titled(1, text, context), end: end + 1 };
  return { node: el("p", {}, inlines(text, context)), end };
}

function interrupts(lines, at) {
  const line = lines[at];
  const item = ITEM.exec(line);
  const begins = item && item[0].length < line.length && (!item[3] || Number(item[3]) === 1);
  return (
    FENCE.test(line) ||
    HEADING.test(line) ||
    isRule(line) ||
    QUOTE.test(line) ||
    begins ||
    columnsAt(lines, at) !== null
  );
}

function list(lines, at, context, depth) {
  const first = itemAt(lines[at]);
  if (!first || depth >= DEEPEST || first.indent >= INDENT) return null;
  const items = [];
  let loose = false;
  let end = at;
  for (let next = at; next < lines.length;) {
    const item = itemAt(lines[next]);
    if (!item || item.kind !== first.kind || item.indent > first.indent + 1) break;
    const body = bodyOf(lines, next, item, first.indent + 2);
    items.push(drawItem(body.lines, context, depth));
    end = body.end;
    next = end;
    while (next < lines.length && isBlank(lines[next])) next += 1;
    const another = next < lines.length && itemAt(lines[next])?.kind === first.kind;
    loose ||= body.lines.slice(1).some(isBlank) || (another && next > end);
  }
  const start = first.number !== undefined && first.number !== 1 ? first.number : null;
  const props = { class: loose ? "loose" : "tight", start };
  return { node: el(first.number === undefined ? "ul" : "ol", props, items), end };
}

function itemAt(line) {
  const found = ITEM.exec(line);
  if (!found || isRule(line)) return null;
  const marker = found[1].length + found[2].length;
  const empty = found[0].length === line.length;
  const width = empty || found[4].length > INDENT ? marker + 1 : found[0].length;
  const number = found[3] === undefined ? undefined : Number(found[3]);
  return { indent: found[1].length, kind: found[2].at(-1), width, number };
}

// The lines that belong to an item: those further in, and those that carry on its paragraph.
function bodyOf(lines, at, item, least) {
  const body = [lines[at].slice(item.width)];
  let end = at + 1;
  for (let next = end; next < lines.length;) {
    const inner = indentOf(lines[next]) >= Math.min(item.width, least);
    const carriesOn = next === end && !isBlank(body.at(-1)) && !ITEM.test(lines[next]) && !interrupts(lines, next);
    if (isBlank(lines[next])) next += 1;
    else if (inner || carriesOn) {
      while (end < next) end = body.push("") && end + 1;
      body.push(lines[next].slice(Math.min(indentOf(lines[next]), item.width)));
      next += 1;
      end = next;
    } else break;
  }
  return { lines: body, end };
}

function drawItem(body, context, depth) {
  const task = TASK.exec(body[0]);
  if (!task) return el("li", {}, blocksOf(body, context, depth + 1));
  const done = task[1] !== " ";
  const box = el("span", {
    class: done ? "task-box done" : "task-box",
    role: "img",
    "aria-label": done ? "done" : "not done",
  });
  return el(
    "li",
    { class: "task-item" },
    box,
    el("div", {}, blocksOf([body[0].slice(task[0].length), ...body.slice(1)], context, depth + 1)),
  );
}

// How the columns of the table that begins here are aligned; null if none does.
function columnsAt(lines, at) {
  const under = lines[at + 1];
  if (!lines[at].includes("|") || under === undefined || !/^[ |:-]+$/.test(under) || !under.includes("-")) return null;
  const columns = cellsOf(under);
  if (columns.length > MOST_COLUMNS || columns.length !== cellsOf(lines[at]).length) return null;
  if (!columns.every((cell) => /^:?-+:?$/.test(cell))) return null;
  return columns.map((cell) => (cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : "left"));
}

function table(lines, at, context) {
  const columns = columnsAt(lines, at);
  if (!columns) return null;
  let end = at + 2;
  while (end < lines.length && !isBlank(lines[end]) && !interrupts(lines, end)) end += 1;
  const row = (line, tag) => {
    const cells = cellsOf(line).slice(0, columns.length);
    const drawn = cells.map((cell, n) =>
      el(tag, { class: `align-${columns[n]}`, scope: tag === "th" && "col" }, inlines(cell, context)),
    );
    const missing = columns.length - cells.length;
    return el("tr", {}, drawn, missing ? el(tag, { colspan: missing }) : null);
  };
  const body = lines.slice(at + 2, end).map((line) => row(line, "td"));
  const drawn = el("table", {}, el("thead", {}, row(lines[at], "th")), el("tbody", {}, body));
  return {
    node: el("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Table" }, drawn),
    end,
  };
}

function cellsOf(line) {
  const cells = line
    .trim()
    .replace(/^\|/, "")
    .split(/(?<!\\)\|/);
  if (cells.length > 1 && cells.at(-1).trim() === "") cells.pop();
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

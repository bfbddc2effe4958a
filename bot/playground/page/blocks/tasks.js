// Plans and tasks: what the agent does, how far it is, and on demand what it found.

import { el, icon, svg } from "../dom.js";
import { richText } from "../text/richtext.js";
import { wordsOf } from "../text/text.js";
import { surfaceKey } from "./acting.js";
import { sources } from "./layouts.js";

const STATUSES = { pending: "Pending", in_progress: "In progress", complete: "Complete", error: "Failed" };
const PICTURES = { complete: "check", error: "warn" };
const TURN = 900; // milliseconds; as long as the animation in blocks.css

export function plan(block, context) {
  const tasks = (block.tasks ?? []).filter(Boolean);
  const done = tasks.filter((task) => task.status === "complete").length;
  const status = planStatus(tasks, done);
  const progress = el("span", { class: "plan-progress", text: tasks.length ? `${done} of ${tasks.length}` : "" });
  const title = el("span", { class: "plan-title" }, el("bdi", { text: wordsOf(block.title) || "Plan" }));
  const summary = el("summary", {}, mark(status), title, progress, icon("right"));
  const items = tasks.map((task) => el("li", {}, taskCard(task, context)));
  const focus = `${surfaceKey(context.surface)}/plan/${tasks[0]?.task_id ?? block.block_id}`;
  return el(
    "details",
    { class: `plan ${status}`, open: true, data: { focus } },
    summary,
    el("ol", { class: "tasks" }, items),
  );
}

function planStatus(tasks, done) {
  if (tasks.some((task) => task.status === "in_progress")) return "in_progress";
  if (tasks.some((task) => task.status === "error")) return "error";
  return tasks.length && done === tasks.length ? "complete" : "pending";
}

export function taskCard(block, context) {
  const status = Object.hasOwn(STATUSES, block.status) ? block.status : "pending";
  const title = el("span", { class: "task-title" }, el("bdi", { text: wordsOf(block.title) }));
  const inside = [
    block.details ? el("div", { class: "task-details" }, richText(block.details, context)) : null,
    block.output ? el("div", { class: "task-output" }, richText(block.output, context)) : null,
    sources(block.sources, context),
  ].filter(Boolean);
  if (!inside.length)
    return el("div", { class: `task ${status}` }, el("div", { class: "task-head" }, mark(status), title));
  const focus = `${surfaceKey(context.surface)}/task/${block.task_id}`;
  const open = status === "in_progress" || status === "error";
  const head = el("summary", { class: "task-head" }, mark(status), title, icon("right"));
  return el(
    "details",
    { class: `task ${status}`, open, data: { focus } },
    head,
    el("div", { class: "task-body" }, inside),
  );
}

// Its status, for the eye and for screen readers.
function mark(status) {
  const picture = status === "in_progress" ? ring() : icon(PICTURES[status] ?? "circle");
  return el(
    "span",
    { class: `task-mark ${status}` },
    picture,
    el("span", { class: "hush", text: `${STATUSES[status]}: ` }),
  );
}

// It turns on where it was when it is drawn anew.
function ring() {
  const drawn = svg("svg", { class: "ring", viewBox: "0 0 20 20", "aria-hidden": "true" });
  drawn.append(
    svg("circle", { cx: 10, cy: 10, r: 7.5, class: "ring-track" }),
    svg("circle", { cx: 10, cy: 10, r: 7.5, class: "ring-arc" }),
  );
  drawn.style.animationDelay = `${-(performance.now() % TURN)}ms`;
  return drawn;
}

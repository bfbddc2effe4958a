// Elements in which something is typed: texts, numbers, dates and times.

import { el } from "../dom.js";
import { wordsOf } from "../text/text.js";
import { fieldsOf, focusId, give, held, newId, tellsAtOnce } from "./acting.js";
import { named } from "./choices.js";

const TYPES = { email_text_input: "email", url_text_input: "url", number_input: "number" };
const NEAR = 0.8; // from here on the counter is shown even if nobody types

export function textInput(place) {
  const { element, context } = place;
  const value = String(held(place) ? (held(place).value ?? "") : (element.initial_value ?? ""));
  const props = {
    class: "field",
    placeholder: wordsOf(element.placeholder) || null,
    autofocus: element.focus_on_load,
    dir: "auto",
    autocomplete: "off",
    data: { focus: focusId(place) },
    ...named(place),
  };
  const field = element.multiline
    ? el("textarea", { ...props, rows: "2" })
    : el("input", { ...props, type: TYPES[element.type] ?? "text", ...bounds(element) });
  field.value = value;
  const count = counter(place, field);
  field.addEventListener("input", () => {
    count?.show();
    context.act("fill", { ...fieldsOf(place), value: field.value });
  });
  if (tellsAtOnce(place)) dispatch(place, field);
  return el("div", { class: "text-field" }, field, count?.node);
}

function bounds(element) {
  if (element.type !== "number_input") return {};
  return { min: element.min_value, max: element.max_value, step: element.is_decimal_allowed ? "any" : "1" };
}

// How much of the allowed length is used. Nothing that was typed or pasted is cut off; too much is said.
function counter({ element, isWrong }, field) {
  if (!element.max_length) return null;
  const node = el("span", { class: "counter", id: newId("counter") });
  const show = () => {
    const length = [...field.value].length;
    const over = length - element.max_length;
    node.textContent = over > 0 ? `${over} too many` : `${length} / ${element.max_length}`;
    node.classList.toggle("near", length >= element.max_length * NEAR);
    node.classList.toggle("over", over > 0);
    field.setAttribute("aria-invalid", String(over > 0 || Boolean(isWrong)));
  };
  show();
  return { node, show };
}

// An input that asks for it tells the app on Enter, or with every character.
function dispatch(place, field) {
  const triggers = place.element.dispatch_action_config?.trigger_actions_on ?? ["on_enter_pressed"];
  if (triggers.includes("on_character_entered")) field.addEventListener("input", () => give(place, field.value));
  if (!triggers.includes("on_enter_pressed")) return;
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    give(place, field.value);
  });
}

export function datePicker(place) {
  return picker(place, "date", held(place)?.selected_date ?? place.element.initial_date);
}

export function timePicker(place) {
  return picker(place, "time", held(place)?.selected_time ?? place.element.initial_time);
}

export function dateTimePicker(place) {
  const seconds = held(place)?.selected_date_time ?? place.element.initial_date_time;
  const local = (moment) => new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  const value = seconds ? local(new Date(seconds * 1000)) : "";
  return picker(place, "datetime-local", value, (text) => Math.floor(new Date(text).getTime() / 1000));
}

function picker(place, type, value, meaning = (text) => text) {
  const { element } = place;
  const field = el("input", {
    type,
    class: "field picker",
    autofocus: element.focus_on_load,
    data: { focus: focusId(place) },
    ...named(place),
  });
  field.value = value ?? "";
  field.addEventListener("change", async () => {
    const before = value ?? "";
    if (!(await give(place, field.value ? meaning(field.value) : null))) field.value = before;
  });
  return field;
}

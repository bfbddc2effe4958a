// Elements in which something is chosen: radio buttons, checkboxes and menus, all of the browser's own kind.

import { el } from "../dom.js";
import { drawLine, wordsOf } from "../text/text.js";
import { chosen, focusId, give, held, newId, optionsOf } from "./acting.js";

const HELD_IDS = {
  users_select: ["selected_user", "initial_user", "Id of a person"],
  conversations_select: ["selected_conversation", "initial_conversation", "Id of a conversation"],
  channels_select: ["selected_channel", "initial_channel", "Id of a channel"],
};

export function radioButtons(place) {
  return choices(place, "radio");
}

export function checkboxes(place) {
  return choices(place, "checkbox");
}

// A menu from which several are chosen is a list of checkboxes that scrolls.
export function multiSelect(place) {
  const drawn = choices(place, "checkbox");
  drawn.classList.add("compact");
  return drawn;
}

function choices(place, type) {
  const { element } = place;
  const picked = new Set(chosen(place));
  const name = newId("choice");
  const role = place.inFieldset ? null : type === "radio" ? "radiogroup" : "group"; // a fieldset is a group already
  const group = el("div", { class: "choices", role, ...(role ? named(place) : {}) });
  optionsOf(element).forEach((option, position) =>
    group.append(drawOption(place, option, position, type, name, picked.has(position))),
  );
  group.addEventListener("change", () => changed(place, group, type));
  return group;
}

function drawOption(place, option, position, type, name, checked) {
  const { context, element } = place;
  const described = option.description ? newId("described") : null;
  const input = el("input", {
    type,
    name,
    checked,
    value: position,
    "aria-describedby": described,
    autofocus: element.focus_on_load && position === 0,
    data: { focus: focusId(place, position) },
  });
  return el(
    "label",
    { class: "option" },
    input,
    el(
      "span",
      { class: "option-words" },
      el("span", { class: "option-text" }, drawLine(option.text, context)),
      described && el("span", { class: "option-description", id: described }, drawLine(option.description, context)),
    ),
  );
}

// Tells which are chosen now; if the person does not confirm it, as it was before.
async function changed(place, group, type) {
  const inputs = [...group.querySelectorAll("input")];
  const now = inputs.flatMap((input, position) => (input.checked ? [position] : []));
  if (await give(place, type === "radio" ? now[0] : now)) return;
  const before = chosen(place);
  inputs.forEach((input, position) => (input.checked = before.includes(position)));
}

export function select(place) {
  const { element } = place;
  const drawn = el("select", {
    class: "field",
    autofocus: element.focus_on_load,
    data: { focus: focusId(place) },
    ...named(place),
  });
  const [picked] = chosen(place);
  drawn.append(el("option", { value: "", disabled: true, text: wordsOf(element.placeholder) || "Choose…" }));
  let position = 0;
  const entry = (option) =>
    el("option", { value: position++, text: wordsOf(option.text), title: wordsOf(option.description) || null });
  if (element.options) drawn.append(...element.options.map(entry));
  else
    for (const group of element.option_groups ?? []) {
      drawn.append(el("optgroup", { label: wordsOf(group.label) }, (group.options ?? []).map(entry)));
    }
  drawn.value = picked ?? "";
  drawn.addEventListener("change", async () => {
    if (!(await give(place, Number(drawn.value)))) drawn.value = picked ?? "";
  });
  return el("div", { class: "select" }, drawn);
}

// People and channels are picked by their ids, several with commas between them.
export function selectById(place) {
  const { element } = place;
  const several = element.type.startsWith("multi_");
  const [one, initial, words] = HELD_IDS[element.type.replace(/^multi_/, "")];
  const names = several ? [`${one}s`, `${initial}s`] : [one, initial];
  const value = held(place)?.[names[0]] ?? element[names[1]] ?? "";
  const field = el("input", {
    type: "text",
    class: "field",
    value: [value].flat().join(", "),
    autocomplete: "off",
    spellcheck: "false",
    placeholder: wordsOf(element.placeholder) || words,
    data: { focus: focusId(place) },
    ...named(place),
  });
  field.addEventListener("change", () => {
    const ids = field.value.split(/[\s,]+/).filter(Boolean);
    give(place, several ? ids : (ids[0] ?? null));
  });
  return field;
}

// By the label of its block, which needs an id to point to, or by what the element itself says of it.
export function named({ element, fieldId, describedBy, isWrong }) {
  const own = element.accessibility_label ?? (wordsOf(element.placeholder) || "Choose");
  const invalid = isWrong ? "true" : null;
  return { id: fieldId, "aria-label": fieldId ? null : own, "aria-describedby": describedBy, "aria-invalid": invalid };
}

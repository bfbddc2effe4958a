// Which function draws which element; one that nobody knows becomes a small note.

import { el } from "../dom.js";
import { picture } from "../text/links.js";
import { feedbackButtons, button, iconButton, overflow, workflowButton } from "./buttons.js";
import { checkboxes, multiSelect, radioButtons, select, selectById } from "./choices.js";
import { datePicker, dateTimePicker, textInput, timePicker } from "./fields.js";

const DRAWN = {
  button,
  workflow_button: workflowButton,
  overflow,
  icon_button: iconButton,
  feedback_buttons: feedbackButtons,
  radio_buttons: radioButtons,
  checkboxes,
  static_select: select,
  multi_static_select: multiSelect,
  users_select: selectById,
  conversations_select: selectById,
  channels_select: selectById,
  multi_users_select: selectById,
  multi_conversations_select: selectById,
  multi_channels_select: selectById,
  plain_text_input: textInput,
  email_text_input: textInput,
  url_text_input: textInput,
  number_input: textInput,
  datepicker: datePicker,
  timepicker: timePicker,
  datetimepicker: dateTimePicker,
  image: ({ element }) => picture(element, "thumbnail"),
};

// Those that consist of several controls: a <legend> names them, where a <label> names any other.
export const GROUPS = new Set(["radio_buttons", "checkboxes", "multi_static_select"]);

// `place` is { context, block, element } and, in an input block, { inFieldset, fieldId, describedBy, isWrong }.
export function drawElement(place) {
  const draw = Object.hasOwn(DRAWN, place.element?.type) && DRAWN[place.element.type];
  return draw ? draw(place) : note("element", place.element?.type);
}

export function note(what, type) {
  return el("span", { class: "unknown", text: `This ${what} is not drawn here: ${String(type ?? "without a type")}` });
}

// Elements that are pressed: buttons, links that look like them, small menus, and thumbs up or down.

import { el, icon } from "../dom.js";
import { archived } from "../state/places.js";
import { anchorProps, follow, openUrl, safeUrl } from "../text/links.js";
import { drawLine, wordsOf } from "../text/text.js";
import { fieldsOf, focusId, give, isBusy, optionsOf, press, showBusy } from "./acting.js";

const STYLES = new Set(["primary", "danger"]);
const ICONS = { trash: "trash", edit: "edit", copy: "copy" };
const given = new Map(); // which thumb was last pressed; Slack keeps it in the client, too

export function button(place) {
  const { context, element } = place;
  if (element.visible_to_user_ids && !element.visible_to_user_ids.includes(context.me)) return null;
  const url = element.url ? safeUrl(element.url) : null;
  const style = STYLES.has(element.style) ? element.style : "";
  const id = focusId(place);
  const drawn = el(
    url ? "a" : "button",
    {
      class: `button ${style}`,
      "aria-label": element.accessibility_label,
      data: { focus: id },
      ...(url ? anchorProps(url) : { type: "button" }),
    },
    busyMark(),
    el("span", { class: "button-words" }, drawLine(element.text, context)),
    url && !archived(url) ? icon("external") : null,
  );
  drawn.addEventListener("click", (event) => pressButton(event, place, id, url));
  showBusy(drawn, isBusy(id, context));
  return drawn;
}

function busyMark() {
  return el("span", { class: "spinner", "aria-hidden": "true" });
}

async function pressButton(event, place, id, url) {
  const { context, element } = place;
  if (element.confirm || isBusy(id, context)) event.preventDefault();
  if (isBusy(id, context)) return;
  if (element.confirm && !(await context.openConfirm(element.confirm))) return;
  const clicked = press(id, () => context.act("click", fieldsOf(place)));
  if (url && element.confirm) openUrl(url, context);
  else if (url) follow(event, url, context);
  await clicked;
}

// Its workflow runs in Slack only, so it is shown but cannot be used.
export function workflowButton({ element, context }) {
  const title = "Workflows do not run here";
  return el("button", { class: "button", type: "button", disabled: true, title }, drawLine(element.text, context));
}

export function overflow(place) {
  const { element, context } = place;
  const name = element.accessibility_label ?? "More actions";
  const summary = el(
    "summary",
    { class: "icon-button", "aria-label": name, title: name, data: { focus: focusId(place, "menu") } },
    icon("dots"),
  );
  const menu = el("details", { class: "overflow", data: { focus: focusId(place) } }, summary);
  const items = optionsOf(element).map((option, position) => {
    const description = option.description
      ? el("span", { class: "option-description" }, drawLine(option.description, context))
      : null;
    const pick = () => {
      menu.open = false;
      summary.focus();
      const url = option.url && safeUrl(option.url);
      if (url) openUrl(url, context);
      give(place, position);
    };
    return el(
      "button",
      { type: "button", class: "overflow-item", on: { click: pick } },
      drawLine(option.text, context),
      description,
    );
  });
  menu.append(el("div", { class: "overflow-items" }, items));
  menu.addEventListener("keydown", (event) => event.key === "Escape" && menu.open && closeMenu(event, menu, summary));
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  return menu;
}

function closeMenu(event, menu, summary) {
  event.stopPropagation();
  event.preventDefault();
  menu.open = false;
  summary.focus();
}

export function iconButton(place) {
  const { context, element } = place;
  if (element.visible_to_user_ids && !element.visible_to_user_ids.includes(context.me)) return null;
  const id = focusId(place);
  const click = (event) => pressButton(event, place, id, null);
  return pictured(context, element, id, ICONS[element.icon] ?? "bolt", click);
}

// A button that shows only a picture; its words are its name.
function pictured(context, its, id, picture, click) {
  const name = its.accessibility_label ?? wordsOf(its.text);
  const props = { type: "button", class: "icon-button", "aria-label": name, title: name };
  const drawn = el("button", { ...props, data: { focus: id }, on: { click } }, busyMark(), icon(picture));
  showBusy(drawn, isBusy(id, context));
  return drawn;
}

export function feedbackButtons(place) {
  const { element } = place;
  return el(
    "div",
    { class: "feedback", role: "group", "aria-label": "Feedback" },
    thumb(place, element.positive_button, "positive", "up_thumb"),
    thumb(place, element.negative_button, "negative", "down_thumb"),
  );
}

function thumb(place, its, which, picture) {
  if (!its) return null;
  const { context } = place;
  const [id, group] = [focusId(place, which), focusId(place)];
  const click = async () => {
    if (isBusy(id, context)) return;
    given.set(group, which);
    for (const each of drawn.parentElement.children) each.setAttribute("aria-pressed", String(each === drawn));
    await press(id, () => context.act("click", { ...fieldsOf(place), value: its.value }));
  };
  const drawn = pictured(context, its, id, picture, click);
  drawn.setAttribute("aria-pressed", String(given.get(group) === which));
  return drawn;
}

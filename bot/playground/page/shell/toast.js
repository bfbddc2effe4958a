// Says briefly, in a corner, what Slack itself would say: an act that failed, something that was copied.

import { el, icon } from "../dom.js";

const STAYS = { error: 9000, done: 3000, info: 8000 };
const MOST = 3;

let list = null;

function corner() {
  if (!list) {
    list = el("div", { class: "toasts", role: "status", "aria-live": "polite" });
    list.setAttribute("popover", "manual"); // in the top layer, so that a modal does not hide it
    document.body.append(list);
  }
  return list;
}

// kind: "error" | "done" | "info"
export function toast(text, kind = "info") {
  const place = corner();
  const same = [...place.children].find((child) => child.dataset.text === text);
  same?.remove();
  const close = el(
    "button",
    { class: "icon-button", "aria-label": "Dismiss", on: { click: () => leave(box) } },
    icon("close"),
  );
  const sign = icon({ error: "warn", done: "check" }[kind] || "info");
  const box = el("div", { class: `toast ${kind}`, data: { text } }, sign, el("p", { text }), close);
  place.append(box);
  while (place.children.length > MOST) place.firstChild.remove();
  if (place.showPopover) {
    if (place.matches(":popover-open")) place.hidePopover(); // above a dialog that was opened since
    place.showPopover();
  }
  setTimeout(() => leave(box), STAYS[kind]);
}

function leave(box) {
  box.remove();
  if (list && !list.children.length && list.hidePopover && list.matches(":popover-open")) list.hidePopover();
}

export async function copy(text, what = "Copied") {
  try {
    await navigator.clipboard.writeText(text);
    toast(what, "done");
  } catch {
    toast("The browser did not allow copying.", "error");
  }
}

// The keys that work everywhere in the page, and the dialog that lists them.

import { el } from "../dom.js";
import { go } from "../state/places.js";
import { openDialog } from "./confirm.js";

const IS_APPLE = /^(Mac|iP)/.test(navigator.platform);
export const COMMAND = IS_APPLE ? "⌘" : "Ctrl";
const ALT = IS_APPLE ? "⌥" : "Alt";

const KEYS = [
  [["Enter"], "Send your message"],
  [["Shift", "Enter"], "New line"],
  [["↑"], "Edit your last message (in an empty field)"],
  [["@"], "Mention someone, or a channel with #"],
  [[COMMAND, "K"], "Jump to a channel"],
  [[ALT, "↑"], "Previous channel"],
  [[ALT, "↓"], "Next channel"],
  [["↑", "↓"], "Move through the messages, when their list is focused"],
  [["Esc"], "Close the thread, the developer tools, a dialog"],
  [[COMMAND, "."], "Open or close the developer tools"],
  [["?"], "Show this list"],
];

export function openShortcuts() {
  if (document.querySelector("dialog[open]")) return;
  const keys = (all) =>
    el(
      "dt",
      {},
      all.map((key) => el("kbd", { text: key })),
    );
  openDialog(
    "Keyboard shortcuts",
    el(
      "dl",
      { class: "keys" },
      KEYS.map(([all, text]) => [keys(all), el("dd", { text })]),
    ),
    [],
    "shortcuts",
  );
}

export function listenToKeys(page) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const done = onKey(page, event);
    if (done) event.preventDefault();
  });
  document.querySelector(".skip").addEventListener("click", skip);
}

// The address says where one is, so this link must not change it.
function skip(event) {
  event.preventDefault();
  document.querySelector(".pane:not([hidden]) .scroller")?.focus();
}

function onKey(page, event) {
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key.toLowerCase() === "k") return act(() => page.openPalette());
  if (isCommand && event.key === ".") return act(() => page.toggleDrawer());
  if (document.querySelector("dialog[open]")) return false;
  if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown"))
    return step(page, event.key === "ArrowUp" ? -1 : 1);
  if (event.key === "Escape") return !document.querySelector(".menu:popover-open") && page.closeSomething();
  if (event.key === "?" && !isWriting(event.target)) return act(openShortcuts);
  return false;
}

function act(fn) {
  fn();
  return true;
}

function isWriting(node) {
  return node.matches?.("input, textarea, select, [contenteditable]");
}

function step(page, by) {
  const places = page.sidebar.places();
  const at = places.findIndex((href) => href === page.address());
  go(places[(at + by + places.length) % places.length]);
  return true;
}

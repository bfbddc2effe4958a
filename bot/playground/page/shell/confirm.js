// Dialogs of the page itself: yes or no, and small ones with content of their own.

import { el, icon } from "../dom.js";
import { wordsOf } from "../text/text.js";

// Asks as Slack does for an element with `confirm`; resolves to whether the answer was yes.
export function openConfirm(confirm) {
  return new Promise((resolve) => {
    const yes = el("button", {
      class: `button ${confirm.style === "danger" ? "danger" : "primary"}`,
      type: "button",
      text: wordsOf(confirm.confirm) || "Yes",
      on: { click: () => dialog.close("yes") },
    });
    const no = el("button", {
      class: "button",
      type: "button",
      text: wordsOf(confirm.deny) || "Cancel",
      on: { click: () => dialog.close("") },
    });
    const dialog = openDialog(
      wordsOf(confirm.title) || "Are you sure?",
      [el("p", { text: wordsOf(confirm.text) })],
      [no, yes],
    );
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
    yes.focus();
  });
}

export function openDialog(title, content, buttons = [], className = "") {
  const close = el(
    "button",
    { class: "icon-button", type: "button", "aria-label": "Close", on: { click: () => dialog.close("") } },
    icon("close"),
  );
  const dialog = el(
    "dialog",
    { class: `dialog ${className}`, "aria-label": title },
    el("header", { class: "dialog-head" }, el("h2", { text: title }), close),
    el("div", { class: "dialog-body" }, content),
    buttons.length ? el("footer", { class: "dialog-foot" }, buttons) : null,
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close(""));
  document.body.append(dialog);
  dialog.returnValue = "";
  dialog.showModal();
  return dialog;
}

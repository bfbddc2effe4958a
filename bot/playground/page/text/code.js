// A block of code: to the letter, scrolling by itself, with a button that copies it.

import { el, icon } from "../dom.js";

const COPIED_FOR = 1500;

export function codeBlock(children, language = "") {
  const code = el("code", {}, children);
  const pre = el("pre", { class: "pre", tabindex: "0" }, code);
  const copy = el(
    "button",
    { class: "copy icon-button", type: "button", "aria-label": "Copy code", title: "Copy" },
    icon("copy"),
  );
  copy.addEventListener("click", () => copyText(code.textContent, copy));
  const name = language ? el("span", { class: "language", text: language }) : null;
  return el("div", { class: "code-block" }, name, copy, pre);
}

async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    return; // the browser does not let us; the text can still be selected
  }
  button.replaceChildren(icon("check"));
  button.title = "Copied";
  setTimeout(() => {
    button.replaceChildren(icon("copy"));
    button.title = "Copy";
  }, COPIED_FOR);
}

// Shows the modal that the app has opened, in a native dialog: submitted with errors on its blocks, closed with Esc.

import { el, icon } from "../dom.js";
import { drawBlocks } from "../blocks/blocks.js";
import { settleBlocks } from "../blocks/steady.js";
import { wordsOf } from "../text/text.js";
import { actAndTell, contextFor, sendTyped } from "./context.js";
import { toast } from "./toast.js";

export class ModalView {
  constructor(page) {
    this._page = page;
    this._errors = {};
    this._title = el("h2", { id: "modal-title" });
    this._blocks = el("div", { class: "blocks" });
    this._submit = el("button", { class: "button primary", type: "button", on: { click: () => this._send() } });
    this._cancel = el("button", { class: "button", type: "button", on: { click: () => this._close() } });
    const close = el(
      "button",
      { class: "icon-button", type: "button", "aria-label": "Close", on: { click: () => this._close() } },
      icon("close"),
    );
    this._dialog = el(
      "dialog",
      { class: "dialog modal", "aria-labelledby": "modal-title" },
      el("header", { class: "dialog-head" }, this._title, el("span", { class: "grow" }), close),
      el("div", { class: "dialog-body", tabindex: "-1" }, this._blocks),
      el("footer", { class: "dialog-foot" }, this._cancel, this._submit),
    );
    this._dialog.addEventListener("cancel", (event) => {
      event.preventDefault(); // Slack says when it is closed
      this._close();
    });
    this._dialog.addEventListener("keydown", (event) => this._key(event));
    document.body.append(this._dialog);
  }

  draw() {
    const modal = this._page.mirror.get("modal");
    if (!modal) return this._dialog.open && this._dialog.close();
    const drawn = JSON.stringify([modal.id, this._page.mirror.version("modal"), this._errors]);
    if (drawn !== this._drawn) this._drawModal(modal);
    this._drawn = drawn;
    if (this._dialog.open) return null;
    this._dialog.showModal();
    return this._focusFirst();
  }

  _drawModal(modal) {
    if (modal.id !== this._id) {
      this._errors = {};
      this._blocks.replaceChildren();
    }
    this._id = modal.id;
    this._title.textContent = wordsOf(modal.title) || this._page.appName();
    this._submit.textContent = wordsOf(modal.submit) || "Submit";
    this._submit.hidden = !modal.submit;
    this._cancel.textContent = wordsOf(modal.close) || (modal.submit ? "Cancel" : "Close");
    const context = contextFor(this._page, { view: modal.id }, modal, this._errors);
    settleBlocks(this._blocks, drawBlocks(modal.blocks, context));
  }

  _focusFirst() {
    const first = this._dialog.querySelector(".dialog-body :is(input, textarea, select)");
    (first || (this._submit.hidden ? this._cancel : this._submit)).focus();
  }

  async _send() {
    const surface = { view: this._id };
    this._submit.disabled = true;
    const isSent = await sendTyped(this._page, surface);
    const done = isSent ? await this._page.mirror.act("submit", { surface }) : {};
    this._submit.disabled = false;
    this._errors = done.errors || {};
    if (done.error) toast(done.error, "error");
    this.draw();
    if (Object.keys(this._errors).length) this._focusWrong();
  }

  _focusWrong() {
    this._dialog.querySelector("[aria-invalid=true]")?.focus();
  }

  _close() {
    return actAndTell(this._page, "close", { surface: { view: this._id } });
  }

  _key(event) {
    const isPlainField = event.target.matches("input:not([type=checkbox], [type=radio])");
    const meant = event.key === "Enter" && (event.ctrlKey || event.metaKey || isPlainField);
    if (meant && !this._submit.hidden && !event.isComposing) {
      event.preventDefault();
      this._send();
    }
  }
}

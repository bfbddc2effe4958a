// The developer drawer at the bottom: what app and Slack say to each other, ways to disturb it, and forms sent by hand.

import { el, icon } from "../dom.js";
import { keep, remembered } from "../state/storage.js";
import { ForgeTab } from "./forge.js";
import { LogTab } from "./log.js";
import { ToolboxTab } from "./toolbox.js";

const NAME = "parley/drawer";
const LEAST = 180;
const STEP = 24;

export class Drawer {
  constructor(page) {
    this._page = page;
    this._kept = { open: false, height: 320, tab: "log", ...remembered(NAME, {}) };
    this._tabs = { log: new LogTab(page), toolbox: new ToolboxTab(page), forge: new ForgeTab(page) };
    this._buttons = Object.entries(this._tabs).map(([name, tab]) => this._tabButton(name, tab.title));
    this._grip = el("div", {
      class: "grip",
      role: "separator",
      tabindex: "0",
      "aria-orientation": "horizontal",
      "aria-label": "Height of the developer tools",
      "aria-valuemin": String(LEAST),
      "aria-valuemax": "2000",
    });
    const close = el(
      "button",
      {
        class: "icon-button",
        type: "button",
        "aria-label": "Close developer tools",
        title: "Close (Esc)",
        on: { click: () => this.toggle(false) },
      },
      icon("close"),
    );
    const bar = el(
      "header",
      { class: "drawer-head" },
      el("div", { class: "tabs", role: "tablist", "aria-label": "Developer tools" }, this._buttons),
      el("span", { class: "grow" }),
      close,
    );
    const panels = Object.entries(this._tabs).map(([name, tab]) => this._panel(name, tab));
    this.node = el(
      "section",
      { class: "drawer", "aria-label": "Developer tools", hidden: true },
      this._grip,
      bar,
      panels,
    );
    this._listen(this._grip);
    this._setHeight(this._kept.height);
  }

  get isOpen() {
    return this._kept.open;
  }

  toggle(open = !this._kept.open) {
    const from = document.activeElement;
    const wasInside = this.node.contains(from);
    this._kept.open = open;
    this._keep();
    this.watch();
    this.draw(); // what is hidden takes no focus
    this._page.redraw();
    if (open) this._focus(from);
    else if (wasInside) this._giveBack();
  }

  _focus(from) {
    if (!this.node.contains(from)) this._from = from;
    this._buttons.find((button) => button.dataset.tab === this._kept.tab)?.focus();
  }

  // To where the focus was when it was opened, if that is still there.
  _giveBack() {
    this._from?.focus();
    if (document.activeElement === document.body) this._page.focusComposer();
  }

  // The log is sent only to those who look at it.
  watch() {
    if (this._page.mirror.open) this._page.mirror.act("watch", { on: this._kept.open });
  }

  draw() {
    this.node.hidden = !this._kept.open;
    if (!this._kept.open) return;
    for (const button of this._buttons) this._mark(button);
    for (const panel of this.node.querySelectorAll(".drawer-panel"))
      panel.hidden = panel.dataset.tab !== this._kept.tab;
    this._tabs[this._kept.tab].draw();
  }

  _tabButton(name, title) {
    const choose = () => {
      this._kept.tab = name;
      this._keep();
      this.draw();
    };
    const move = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next =
        this._buttons[(this._buttons.indexOf(event.target) + step + this._buttons.length) % this._buttons.length];
      next.focus();
      next.click();
    };
    return el("button", {
      class: "tab",
      type: "button",
      role: "tab",
      id: `tab-${name}`,
      "aria-controls": `panel-${name}`,
      data: { tab: name },
      text: title,
      on: { click: choose, keydown: move },
    });
  }

  _mark(button) {
    const isIt = button.dataset.tab === this._kept.tab;
    button.setAttribute("aria-selected", String(isIt));
    button.tabIndex = isIt ? 0 : -1;
  }

  _panel(name, tab) {
    return el(
      "div",
      {
        class: "drawer-panel",
        role: "tabpanel",
        id: `panel-${name}`,
        "aria-labelledby": `tab-${name}`,
        data: { tab: name },
      },
      tab.node,
    );
  }

  _listen(grip) {
    grip.addEventListener("pointerdown", (event) => {
      grip.setPointerCapture(event.pointerId);
      const move = (moved) => this._setHeight(innerHeight - moved.clientY);
      grip.addEventListener("pointermove", move);
      grip.addEventListener("pointerup", () => grip.removeEventListener("pointermove", move) || this._keep(), {
        once: true,
      });
    });
    grip.addEventListener("keydown", (event) => {
      const by = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
      if (!by || event.altKey) return;
      event.preventDefault();
      this._setHeight(this._kept.height + by);
      this._keep();
    });
  }

  _setHeight(height) {
    this._kept.height = Math.round(Math.max(LEAST, Math.min(height, Math.max(LEAST, innerHeight - 220))));
    this.node.style.setProperty("--drawer-height", `${this._kept.height}px`);
    this._grip.setAttribute("aria-valuenow", String(this._kept.height));
  }

  _keep() {
    keep(NAME, this._kept);
  }
}

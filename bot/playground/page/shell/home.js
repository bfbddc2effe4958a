// The app's Home tab, and the head with its two tabs that it shares with the direct messages.

import { el, icon } from "../dom.js";
import { avatar, today } from "../names.js";
import { drawBlocks } from "../blocks/blocks.js";
import { settleBlocks } from "../blocks/steady.js";
import { HOME, MENU, addressOf } from "../state/places.js";
import { contextFor } from "./context.js";

export function backButton() {
  return el(
    "a",
    { class: "icon-button narrow-only", href: MENU, "aria-label": "Back to the list of channels" },
    icon("back"),
  );
}

export function appHead(page, current) {
  const app = page.appUser();
  const im = page.im();
  const tab = (name, text, href) =>
    el("a", { class: "tab", href, "aria-current": name === current ? "page" : null, text });
  return [
    backButton(),
    avatar(app, "small"),
    el("h1", { class: "pane-title" }, el("span", { text: page.appName() })),
    el("span", { class: "badge", text: page.app().is_agent ? "Agent" : "App" }),
    el(
      "nav",
      { class: "tabs", "aria-label": page.appName() },
      tab("home", "Home", HOME),
      im ? tab("messages", "Messages", addressOf(im.id)) : null,
    ),
  ];
}

export class HomeView {
  constructor(page) {
    this._page = page;
    this._head = el("header", { class: "pane-head" });
    this._blocks = el("div", { class: "blocks" });
    this._none = el("div", { class: "home-none" }, icon("home"), el("p", { class: "quiet" }));
    this.node = el(
      "section",
      { class: "pane home", "aria-label": "Home" },
      this._head,
      el(
        "div",
        { class: "scroller", tabindex: "0", role: "region", "aria-label": "What is on Home" },
        el("div", { class: "home-inner" }, this._blocks, this._none),
      ),
    );
  }

  // The app hears that its Home was opened, and publishes what is to be seen there.
  open() {
    this._page.mirror.act("home");
  }

  draw() {
    const { mirror } = this._page;
    const drawn = JSON.stringify([mirror.version("home"), mirror.version("app"), mirror.version("me"), today()]);
    if (drawn === this._drawn) return;
    this._drawn = drawn;
    this._head.replaceChildren(...appHead(this._page, "home"));
    const home = mirror.get("home");
    this._none.hidden = Boolean(home);
    this._none.lastChild.textContent = this._page.app().connected
      ? `${this._page.appName()} is preparing its Home…`
      : `${this._page.appName()} is not connected, so its Home cannot be shown yet.`;
    this._blocks.hidden = !home;
    if (home) settleBlocks(this._blocks, drawBlocks(home.blocks, contextFor(this._page, { view: home.id }, home)));
  }
}

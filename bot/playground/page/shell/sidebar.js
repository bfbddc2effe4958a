// The left of the page: the team, its channels, the app, who one is and as whom else one could look.

import { el, icon, keyed } from "../dom.js";
import { avatar, channelIcon, nameOf, roleOf } from "../names.js";
import { channelsOf, unreadOf } from "../state/conversation.js";
import { HOME, addressAs, addressOf } from "../state/places.js";
import { COMMAND } from "./shortcuts.js";
import { ICONS, nextTheme, themeNow } from "./theme.js";

export class Sidebar {
  constructor(page) {
    this._page = page;
    this._team = el("span", { class: "team" });
    this._channels = el("ul", { class: "side-list" });
    this._apps = el("ul", { class: "side-list" });
    this._me = el("button", { class: "myself", type: "button", popovertarget: "people" });
    this._people = el("div", { class: "menu people", id: "people", popover: "auto", "aria-label": "View as" });
    this._people.addEventListener("beforetoggle", () => this._drawPeople());
    const jump = el(
      "button",
      { class: "side-jump", type: "button", on: { click: () => page.openPalette() } },
      icon("search"),
      el("span", { text: "Jump to…" }),
      el("kbd", { text: `${COMMAND} K` }),
    );
    const nav = el(
      "nav",
      { class: "side-nav", "aria-label": "Channels and apps" },
      el("h2", { text: "Channels" }),
      this._channels,
      el("h2", { text: "Apps" }),
      this._apps,
    );
    this.node = el(
      "div",
      { class: "sidebar" },
      el("header", { class: "side-head" }, this._team, el("span", { class: "side-note", text: "Playground" })),
      jump,
      nav,
      this._foot(),
    );
  }

  draw() {
    const { mirror } = this._page;
    this._team.textContent = mirror.get("team")?.name || "";
    const { named, ims } = channelsOf(mirror);
    const drawLink = (entry) => this._link(entry);
    keyed(
      this._channels,
      named.map((channel) => this._entry(channel)),
      (entry) => entry.href,
      drawLink,
    );
    const home = {
      href: HOME,
      name: `${this._page.appName()} Home`,
      sign: "home",
      current: this._page.place.kind === "home",
      unread: {},
    };
    keyed(this._apps, [...ims.map((channel) => this._entry(channel)), home], (entry) => entry.href, drawLink);
    this._drawMe();
    this._drawTools();
  }

  // The addresses of all places in the order they are listed.
  places() {
    return [...this.node.querySelectorAll(".side-nav a")].map((link) => link.getAttribute("href"));
  }

  _entry(channel) {
    const { place } = this._page;
    const isIm = channel.kind === "im";
    return {
      href: addressOf(channel.id),
      name: isIm ? this._page.appName() : channel.name,
      sign: channelIcon(channel),
      app: isIm ? this._page.app().user : "",
      note:
        { group: "private", im: this._page.app().is_agent ? "agent" : "app" }[channel.kind] ||
        (channel.is_ext_shared ? "shared" : ""),
      current: place.kind === "channel" && place.channel === channel.id,
      online: isIm ? Boolean(this._page.app().connected) : null,
      unread: unreadOf(this._page, channel),
    };
  }

  _link({ href, name, sign, app, note, current, unread, online }) {
    const mark = app
      ? el(
          "span",
          { class: "side-avatar" },
          avatar(this._page.mirror.get(`user/${app}`), "tiny"),
          el("span", { class: online ? "presence on" : "presence" }),
        )
      : icon(sign);
    return el(
      "li",
      {},
      el(
        "a",
        {
          class: `side-link ${unread.some ? "unread" : ""}`,
          href,
          "aria-current": current ? "page" : null,
          data: { focus: `side/${href}` },
        },
        mark,
        el("span", { class: "side-name", text: name, dir: "auto" }),
        note ? el("span", { class: note === "agent" || note === "app" ? "badge" : "hush", text: note }) : null,
        el("span", { class: "grow" }),
        unread.count
          ? el("span", { class: "count", text: String(unread.count), "aria-label": `${unread.count} new` })
          : null,
        unread.some && !unread.count ? el("span", { class: "hush", text: "unread" }) : null,
      ),
    );
  }

  _drawMe() {
    const me = this._page.mirror.get(`user/${this._page.mirror.get("me")}`);
    const drawn = JSON.stringify(me);
    if (!me || drawn === this._drawnMe) return;
    this._drawnMe = drawn;
    const words = el(
      "span",
      { class: "me-words" },
      el("strong", { text: nameOf(me) }),
      el("span", { text: `You · ${roleOf(me)}` }),
    );
    this._me.replaceChildren(avatar(me, "small"), words, icon("up"));
    this._me.setAttribute("aria-label", `You are ${nameOf(me)}, ${roleOf(me)}. Change who you are`);
  }

  _drawPeople() {
    const me = this._page.mirror.get("me");
    const people = this._page.mirror.group("user").filter((user) => !user.is_bot);
    const item = (user) =>
      el(
        "a",
        { class: "menu-item person", href: addressAs(user.name), "aria-current": user.id === me ? "true" : null },
        avatar(user, "small"),
        el(
          "span",
          { class: "me-words" },
          el("strong", { text: nameOf(user) }),
          el("span", { class: "quiet", text: roleOf(user) }),
        ),
        user.id === me ? icon("check") : null,
      );
    this._people.replaceChildren(
      el("p", { class: "menu-title", text: "View as" }),
      ...people.map((user) => el("div", { class: "person-row" }, item(user), this._inNewTab(user))),
      el("p", { class: "menu-note", text: "Open several people in tabs of their own to be all of them at once." }),
    );
  }

  _inNewTab(user) {
    const label = `Open as ${nameOf(user)} in a new tab`;
    const to = { href: addressAs(user.name), target: "_blank", rel: "noopener" };
    return el("a", { class: "icon-button", "aria-label": label, title: label, ...to }, icon("external"));
  }

  _foot() {
    const button = (click) => el("button", { class: "icon-button", type: "button", on: { click } });
    this._theme = button(() => {
      nextTheme();
      this._drawTools();
    });
    this._drawer = button(() => this._page.toggleDrawer());
    this._keys = button(() => this._page.openShortcuts());
    this._keys.append(icon("keyboard"));
    label(this._keys, "Keyboard shortcuts (?)");
    return el(
      "footer",
      { class: "side-foot" },
      this._people,
      this._me,
      el("div", { class: "side-tools" }, this._drawer, el("span", { class: "grow" }), this._theme, this._keys),
    );
  }

  _drawTools() {
    const theme = themeNow();
    this._theme.replaceChildren(icon(ICONS[theme]));
    label(this._theme, `Theme: ${theme}. Change it`);
    if (!this._drawer.firstChild) this._drawer.append(icon("code"), el("span", { text: "Developer tools" }));
    this._drawer.className = "side-tool";
    this._drawer.setAttribute("aria-expanded", String(this._page.drawerIsOpen()));
  }
}

function label(button, text) {
  button.setAttribute("aria-label", text);
  button.title = text;
}

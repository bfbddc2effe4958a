// Puts the page together: one state, one place, and everything drawn anew from the mirror when either changes.

import { el } from "./dom.js";
import { nameOf, setAhead } from "./names.js";
import { Drawer } from "./drawer/drawer.js";
import { Bars } from "./shell/bars.js";
import { ChannelView } from "./shell/channel.js";
import { tellLost, typedFor } from "./shell/context.js";
import { HomeView } from "./shell/home.js";
import { ModalView } from "./shell/modal.js";
import { News } from "./shell/news.js";
import { openPalette } from "./shell/palette.js";
import { listenToKeys, openShortcuts } from "./shell/shortcuts.js";
import { Sidebar } from "./shell/sidebar.js";
import { applyTheme } from "./shell/theme.js";
import { ThreadView } from "./shell/thread.js";
import { toast } from "./shell/toast.js";
import { asSent } from "./shell/welcome.js";
import { channelItems, channelsOf, firstOf, newestOf, threadItems } from "./state/conversation.js";
import { Drafts } from "./state/drafts.js";
import { Mirror } from "./state/mirror.js";
import { HOME, addressOf, go, person, placeNow, settlePerson, takeArchiveAddress } from "./state/places.js";
import { Seen } from "./state/seen.js";

const NARROW = matchMedia("(max-width: 760px)");
const EVERY_MINUTE = 60_000;

class Page {
  constructor() {
    this.wanted = takeArchiveAddress(); // a message to bring into view once it is there
    this.place = placeNow();
    this.mirror = new Mirror(person());
    this.seen = new Seen(person());
    this.typed = typedFor(this.mirror);
    this.drafts = new Drafts(this.mirror);
    this.sidebar = new Sidebar(this);
    this.bars = new Bars(this);
    this.channel = new ChannelView(this);
    this.home = new HomeView(this);
    this.thread = new ThreadView(this);
    this.modal = new ModalView(this);
    this.drawer = new Drawer(this);
    this.news = new News(this);
    this._layOut();
    this._listen();
  }

  app() {
    return this.mirror.get("app") || {};
  }

  appUser() {
    return this.mirror.get(`user/${this.app().user}`);
  }

  appName() {
    return this.appUser() ? nameOf(this.appUser()) : "Parley";
  }

  // As it is mentioned.
  appHandle() {
    return `@${this.appUser()?.name || "parley"}`;
  }

  im() {
    return channelsOf(this.mirror).ims[0];
  }

  address() {
    return this.place.kind === "home" ? HOME : addressOf(this.place.channel || "");
  }

  // Why nothing can be written now, in words; empty if it can.
  refusal() {
    return this.mirror.open ? "" : "Reconnecting… your draft is kept";
  }

  redraw() {
    if (this._due) return;
    this._due = true;
    requestAnimationFrame(() => this._draw());
    if (document.hidden) setTimeout(() => this._draw(), 50); // a hidden tab gets no frames
  }

  openChannel = (id) =>
    this.mirror.get(`channel/${id}`) ? go(addressOf(id)) : toast("You are not in that channel.", "error");

  openThread = (channel, ts, withFocus = false) => {
    go(addressOf(channel, ts));
    if (withFocus) this._focusOnceShown(this.thread, this.thread.composer);
  };

  // Goes to a message by its link: {channel, ts, thread}.
  openMessage(found) {
    this.wanted = found;
    go(addressOf(found.channel, found.thread));
    this.redraw();
  }

  // What opens when somebody's name is clicked; null if nothing does.
  wayToPerson = (id) => (id === this.app().user && this.im() ? () => go(HOME) : null);
  openPalette = () => openPalette(this);
  openShortcuts = () => openShortcuts();
  toggleDrawer = () => this.drawer.toggle();
  drawerIsOpen = () => this.drawer.isOpen;
  isNarrow = () => NARROW.matches;
  focusComposer = () => NARROW.matches || this.channel.composer.focus();

  editMessage(message, inThread) {
    const newest = this.mirror.get(`message/${message.channel}/${message.ts}`) || message;
    (inThread ? this.thread : this.channel).composer.edit(newest);
  }

  trySending = (channel, prompt) => this.channel.composer.write(asSent(this, channel, prompt));

  // After something was sent: the thread where the app will answer opens beside the channel.
  wrote(channel, thread, text, result) {
    const forApp = channel.kind === "im" || text.toLowerCase().includes(this.appHandle());
    const opens = !thread && forApp && channel.app_is_in && result?.ts && !NARROW.matches;
    if (opens) this.openThread(channel.id, result.ts);
    const near = opens ? this.thread : this.channel;
    if (!thread) this.stayNear(near, near.list);
  }

  // Whoever writes goes on writing. For others the button they pressed is gone, and this is where it goes on.
  stayNear(view, part) {
    const isWriting = document.activeElement?.matches("textarea, input");
    if (!isWriting) this._focusOnceShown(view, part);
  }

  // A place that was gone to is drawn only when the address has changed; nothing hidden takes the focus.
  _focusOnceShown(view, part) {
    this._toFocus = { view, part };
    this.redraw();
  }

  // What Esc means: the innermost thing that is open closes. Whether there was one.
  closeSomething() {
    if (this.drawer.isOpen && this.drawer.node.contains(document.activeElement)) this.drawer.toggle(false);
    else if (this.place.kind === "channel" && this.place.thread) this.thread.close();
    else if (this.drawer.isOpen) this.drawer.toggle(false);
    else return false;
    return true;
  }

  _layOut() {
    const main = el(
      "main",
      { class: "main", id: "main", tabindex: "-1" },
      this.bars.node,
      el("div", { class: "panes" }, this.channel.node, this.home.node, this.thread.node),
    );
    this._words = el("p", { text: "Connecting to the playground…" });
    this._waiting = el("div", { class: "waiting", role: "status" }, el("span", { class: "spinner" }), this._words);
    this._app = document.getElementById("app");
    this._app.append(this.sidebar.node, el("div", { class: "right" }, main, this.drawer.node), this._waiting);
  }

  _listen() {
    this.mirror.listen((keys, first) => {
      this.news.hear(keys, first);
      tellLost(this);
      if (first) this._connected();
      this.redraw();
    });
    addEventListener("hashchange", () => this._moved());
    addEventListener("pagehide", () => this.typed.flushAll());
    addEventListener("resize", () => this.redraw());
    listenToKeys(this);
    setInterval(() => this.redraw(), EVERY_MINUTE);
  }

  // At the beginning, and whenever the connection is back.
  _connected() {
    this._become(this.mirror.get(`user/${this.mirror.get("me")}`));
    this.typed.resend();
    if (this.drawer.isOpen) this.drawer.watch();
    if (this.place.kind === "home") this.home.open();
  }

  // Somebody is always looking; the address says who, also if it named nobody or somebody who is not there.
  _become(user) {
    const wanted = settlePerson(user);
    if (wanted === null) return;
    this.mirror.as = user.name;
    this.seen = new Seen(user.name);
    if (wanted) toast(`There is nobody called “${wanted}” here: you are ${nameOf(user)}.`, "error");
  }

  _moved() {
    const before = this.place;
    this.place = placeNow();
    if (this.place.kind === "home" && before.kind !== "home") this.home.open();
    const isElsewhere = before.kind !== this.place.kind || before.channel !== this.place.channel;
    this._draw();
    if (isElsewhere && this.place.kind === "channel") this.focusComposer();
  }

  _draw() {
    this._due = false;
    const { ready } = this.mirror;
    this._waiting.hidden = ready;
    this._app.classList.toggle("is-ready", ready);
    if (!ready && this.mirror.refused > 2)
      this._words.textContent = "The playground does not answer. Is it still running?";
    if (!ready) return;
    setAhead(this.mirror.get("trouble")?.ahead);
    const channel = this._channelNow();
    this._open(channel);
    this._app.dataset.screen = this._screen();
    this.sidebar.draw();
    this.bars.draw();
    this._drawPlace(channel);
    this.modal.draw();
    this.drawer.draw();
    if (!this._begun) this._begin();
    if (this._toFocus && !this._toFocus.view.node.hidden) {
      this._toFocus.part.focus();
      this._toFocus = null;
    }
    this.news.titled(
      this.place.kind === "home" ? `${this.appName()} Home` : channel?.name ? `#${channel.name}` : this.appName(),
    );
  }

  // One can write at once.
  _begin() {
    this._begun = true;
    if (document.activeElement === document.body && this.place.kind === "channel") this.focusComposer();
  }

  // What is open and in sight counts as read; the views first note up to where it was before.
  _open(channel) {
    const isAway = this.place.kind === "home" || !channel;
    const thread = !isAway && this.place.thread;
    if (isAway) this.channel.leave();
    if (!thread) this.thread.leave();
    if (isAway) return;
    this.channel.open(channel);
    if (thread) this.thread.open(channel, thread);
    if (document.hidden || this._screen() === "menu") return;
    this.seen.mark(channel.id, newestOf(channelItems(this, channel.id)));
    if (thread) this.seen.mark(`${channel.id}/${thread}`, newestOf(threadItems(this, channel.id, thread)));
  }

  _drawPlace(channel) {
    const isHome = this.place.kind === "home";
    const thread = !isHome && this.place.thread;
    this.home.node.hidden = !isHome;
    this.channel.node.hidden = isHome || !channel;
    this.thread.node.hidden = !thread;
    if (isHome) return this.home.draw();
    if (!channel) return null;
    this.channel.draw(channel);
    if (thread) this.thread.draw(channel, thread);
    return this._bringIntoView();
  }

  _bringIntoView() {
    if (!this.wanted?.ts) return;
    const list = this.wanted.thread ? this.thread.list : this.channel.list;
    if (list.show(this.wanted.ts)) this.wanted = null;
  }

  _screen() {
    if (this.place.kind === "menu") return "menu";
    return this.place.kind === "channel" && this.place.thread ? "thread" : "channel";
  }

  // The channel that is shown; the first one where the address names none that one is in.
  _channelNow() {
    const found = this.place.kind === "channel" && this.mirror.get(`channel/${this.place.channel}`);
    if (found || this.place.kind === "home") return found;
    const first = firstOf(this.mirror);
    if (this.place.kind !== "menu" && first) this.place = { kind: "channel", channel: first.id, thread: "" };
    return first;
  }
}

applyTheme();
new Page();

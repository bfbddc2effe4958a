// The middle of the page: a channel or the direct messages with the app, with its head, messages and composer.

import { el, icon } from "../dom.js";
import { avatar, channelIcon, nameOf } from "../names.js";
import { channelItems } from "../state/conversation.js";
import { Composer } from "./composer.js";
import { appHead, backButton } from "./home.js";
import { drawInvitation, needsInvitation } from "./invitation.js";
import { MessageList } from "./messages.js";
import { drawWelcome } from "./welcome.js";

const FACES = 4;

export class ChannelView {
  constructor(page) {
    this._page = page;
    this._head = el("header", { class: "pane-head" });
    this.list = new MessageList(page, "Messages");
    this.composer = new Composer(page);
    this.node = el(
      "section",
      { class: "pane channel", "aria-label": "Channel" },
      this._head,
      this.list.node,
      this.composer.node,
    );
  }

  draw(channel) {
    const { mirror } = this._page;
    const items = channelItems(this._page, channel.id);
    const refresh = JSON.stringify([
      channel,
      mirror.version("app"),
      mirror.version("home"),
      items.length === 0,
      this._page.place.kind,
    ]);
    if (refresh !== this._refresh) this._around(channel, items.length === 0);
    this._refresh = refresh;
    this._invite(channel);
    this.list.draw(items, mirror.get("me"));
    const name = channel.kind === "im" ? `Message ${this._page.appName()}` : `Message #${channel.name}`;
    const placeholder = this._placeholder(channel, name);
    this.composer.draw({ channel, thread: "", name, placeholder, refusal: this._page.refusal() });
  }

  // A line marks what is unread by now.
  open(channel) {
    if (channel.id === this._channel) return;
    this._channel = channel.id;
    this.list.open(this._page.seen.at(channel.id));
  }

  leave() {
    this._channel = "";
  }

  _invite(channel) {
    const wanted = needsInvitation(this._page, channel) ? channel.id : "";
    if (wanted === this._invited) return;
    this._invited = wanted;
    this.list.end.replaceChildren(...(wanted ? [drawInvitation(this._page, channel)] : []));
  }

  _around(channel, isEmpty) {
    this._head.replaceChildren(...(channel.kind === "im" ? appHead(this._page, "messages") : this._ownHead(channel)));
    this.list.top.replaceChildren(drawWelcome(this._page, channel, isEmpty));
    this.list.node.classList.toggle("is-empty", isEmpty);
    this.node.setAttribute(
      "aria-label",
      channel.kind === "im" ? `Messages with ${this._page.appName()}` : `#${channel.name}`,
    );
  }

  _ownHead(channel) {
    const people = channel.members.map((id) => this._page.mirror.get(`user/${id}`)).filter(Boolean);
    const names = people.map(nameOf).join(", ");
    return [
      backButton(),
      el(
        "h1",
        { class: "pane-title" },
        icon(channelIcon(channel)),
        el("span", { text: channel.name, dir: "auto" }),
      ),
      channel.is_ext_shared ? el("span", { class: "badge wide-only", text: "Shared" }) : null,
      channel.app_is_in ? null : el("span", { class: "badge wide-only", text: `Without ${this._page.appName()}` }),
      el("span", { class: "grow" }),
      el(
        "span",
        { class: "faces", title: names, role: "img", "aria-label": `${channel.members.length} members: ${names}` },
        people.slice(0, FACES).map((user) => avatar(user, "small")),
        el("span", { class: "quiet", text: String(channel.members.length) }),
      ),
    ].filter(Boolean);
  }

  _placeholder(channel, name) {
    if (channel.kind === "im" || !channel.app_is_in) return name;
    const how = `ention ${this._page.appHandle()} to start`;
    return this._page.isNarrow() ? `M${how}` : `${name} · m${how}`;
  }
}

// Draws one message: who wrote it and when, its content and files, and the way into its thread.

import { el, icon, replaceKeepingFocus } from "../dom.js";
import { ago, avatar, counted, nameOf, shortTimeNode, timeNode } from "../names.js";
import { drawBlocks, drawText } from "../blocks/blocks.js";
import { settleBlocks } from "../blocks/steady.js";
import { permalink } from "../state/places.js";
import { actAndTell, contextFor } from "./context.js";
import { copy } from "./toast.js";

// item: {message, key, grouped, isPrivate, replies, hidden, unseen, status, inThread}
export function drawMessage(page, item, old) {
  const { message } = item;
  const fresh = el(
    "li",
    {
      class: classes(item),
      tabindex: "-1",
      data: { ts: message.ts, focus: `${item.inThread ? "thread" : "channel"}/${item.key}` },
    },
    gutter(page, item),
    el(
      "div",
      { class: "message-body" },
      heading(page, item),
      content(page, item),
      files(message),
      threadLink(page, item),
    ),
    tools(page, item),
  );
  if (!old) return fresh;
  old.className = fresh.className;
  settleInto(old, fresh);
  return old;
}

// The content is settled part by part, so that a growing reply does not blink; of the rest, what differs is replaced.
function settleInto(old, fresh) {
  const [was, is] = [old, fresh].map((node) => node.querySelector(".message-content"));
  settleBlocks(was.firstElementChild, is.firstElementChild);
  const [before, after] = [old, fresh].map((node) => [...node.children, ...node.children[1].children]);
  before.forEach((node, at) => {
    const isContent = node.matches(".message-body, .message-content");
    if (!isContent && !node.isEqualNode(after[at])) replaceKeepingFocus(node, after[at]);
  });
}

function classes({ message, grouped, isPrivate }) {
  const own = ["message", grouped && "grouped", isPrivate && "private", message.by_app && "by-app"];
  return [...own, message.streaming && "streaming"].filter(Boolean).join(" ");
}

function gutter(page, { message, grouped }) {
  const inside = grouped ? shortTimeNode(message.ts) : avatar(page.mirror.get(`user/${message.user}`));
  return el("div", { class: "message-gutter" }, inside);
}

function heading(page, { message, grouped, isPrivate }) {
  const user = page.mirror.get(`user/${message.user}`);
  const name = message.name || nameOf(user);
  if (grouped) return el("span", { class: "hush", text: `${name}:` });
  return el(
    "div",
    { class: "message-head" },
    isPrivate ? el("span", { class: "only-you" }, icon("eye"), "Only visible to you") : null,
    el("span", {
      class: "message-who",
      text: name,
      dir: "auto",
      title: user && user.name !== name ? `@${user.name}` : null,
    }),
    message.by_app ? el("span", { class: "badge", text: "App" }) : null,
    user?.is_guest ? el("span", { class: "badge", text: "Guest" }) : null,
    user?.is_external ? el("span", { class: "badge", text: user.team_name || "External" }) : null,
    timeNode(message.ts),
  );
}

function content(page, { message, isPrivate }) {
  const surface = isPrivate
    ? { private: message.channel, ts: message.ts }
    : { channel: message.channel, ts: message.ts };
  const context = contextFor(page, surface, message);
  const drawn = message.blocks?.length
    ? drawBlocks(message.blocks, context)
    : el("div", { class: "blocks" }, drawText(message.text || "", context));
  if (message.streaming) endOf(drawn).append(el("span", { class: "cursor", "aria-hidden": "true" }));
  if (message.edited && !message.streaming && !message.by_app)
    endOf(drawn).append(el("span", { class: "edited", text: "(edited)" }));
  return el("div", { class: "message-content", dir: "auto" }, drawn);
}

// The last element that text could follow in.
function endOf(node) {
  const last = node.lastChild;
  const isEnd = !last || last.nodeType !== Node.ELEMENT_NODE;
  return isEnd || last.matches("hr, img, input, svg, button, table, a, code, details, br") ? node : endOf(last);
}

function files({ files: all = [] }) {
  if (!all?.length) return el("div", { class: "files", hidden: true });
  return el("div", { class: "files" }, all.map(drawFile));
}

function drawFile({ name, mimetype, url }) {
  const link = { href: url, target: "_blank", rel: "noopener" };
  if (!/^image\/(png|jpe?g|gif|webp)$/.test(mimetype)) {
    return el(
      "a",
      { class: "file", ...link },
      icon("file"),
      el("span", { text: name, dir: "auto" }),
      el("span", { class: "quiet", text: kindOf(mimetype) }),
    );
  }
  const image = el("img", { src: url, alt: name, loading: "lazy" });
  image.addEventListener("error", () => image.replaceWith(el("span", { class: "quiet", text: name })));
  return el("a", { class: "picture", title: name, ...link }, image);
}

function kindOf(mimetype) {
  return (mimetype || "").split("/").at(-1).toUpperCase().slice(0, 12);
}

function threadLink(page, { message, replies = [], hidden = 0, status, unseen, inThread }) {
  if (inThread || (!replies.length && !status && !hidden))
    return el("div", { class: "thread-link-place", hidden: true });
  const who = [...new Set(replies.map((reply) => reply.user))].slice(0, 4);
  const open = () => page.openThread(message.channel, message.ts);
  return el(
    "button",
    {
      class: `thread-link ${unseen ? "unseen" : ""}`,
      type: "button",
      on: { click: open },
      data: { focus: `thread-link/${message.channel}/${message.ts}` },
    },
    who.map((id) => avatar(page.mirror.get(`user/${id}`), "tiny")),
    replies.length ? el("strong", { text: counted(replies.length, "reply", "replies") }) : null,
    unseen ? el("span", { class: "dot", title: "New replies" }) : null,
    hidden ? el("span", { class: "working" }, icon("eye"), el("span", { text: `${hidden} only visible to you` })) : null,
    status ? el("span", { class: "working" }, el("span", { class: "spinner" }), el("span", { text: status })) : null,
    !status && replies.length ? el("span", { class: "quiet", text: `Last reply ${ago(replies.at(-1).ts)}` }) : null,
    el("span", { class: "thread-link-go" }, "View thread", icon("right")),
  );
}

function tools(page, { message, isPrivate, inThread }) {
  if (isPrivate) {
    const dismiss = () => actAndTell(page, "dismiss", { channel: message.channel, ts: message.ts });
    return el("div", { class: "message-tools always" }, tool("Dismiss", "close", dismiss));
  }
  const mine = message.user === page.mirror.get("me");
  return el(
    "div",
    { class: "message-tools" },
    inThread ? null : tool("Reply in thread", "thread", () => page.openThread(message.channel, message.ts, true)),
    mine ? tool("Edit message", "edit", () => page.editMessage(message, inThread)) : null,
    tool("Copy link", "copy", () => copy(permalink(message), "Link copied")),
  );
}

function tool(label, name, click) {
  return el(
    "button",
    { class: "icon-button", type: "button", "aria-label": label, title: label, on: { click } },
    icon(name),
  );
}

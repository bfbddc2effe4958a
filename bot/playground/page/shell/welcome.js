// For newcomers: what this place is, what Parley does, and things to try with one click.

import { el, icon } from "../dom.js";
import { mark, nameOf } from "../names.js";

// Which model answers here, if it is not a real one; else nothing.
export function aboutTheModel(page) {
  const { advice } = page.app();
  return advice ? `A scripted model answers here, the same way each time. ${advice}` : "";
}

// The text of a prompt as it is sent from this channel.
export function asSent(page, channel, prompt) {
  return channel.kind === "im" ? prompt : `${page.appHandle()} ${prompt}`;
}

// That someone like this person is refused unless the settings say otherwise; empty for members.
export function refused(page) {
  const me = page.mirror.get(`user/${page.mirror.get("me")}`);
  const [who, all, setting] = me?.is_external
    ? [`from ${me.team_name || "outside"}`, "people from outside", "PARLEY_ALLOW_EXTERNALS"]
    : ["a guest", "guests", "PARLEY_ALLOW_GUESTS"];
  if (!me?.is_external && !me?.is_guest) return "";
  return (
    `You are ${nameOf(me)}, ${who}. ${page.appName()} refuses ${all} by default: try it, and see what they are told. ` +
    `${setting}=true in .env allows them.`
  );
}

export function drawWelcome(page, channel, isEmpty) {
  if (!isEmpty)
    return el("p", {
      class: "beginning quiet",
      text: `This is the very beginning of ${channel.kind === "im" ? "your direct messages" : `#${channel.name}`}.`,
    });
  return el(
    "section",
    { class: "welcome", "aria-label": "Welcome" },
    el("div", { class: "welcome-mark" }, mark()),
    words(page, channel),
    tryThese(page, channel),
    scripted(page),
  );
}

function words(page, channel) {
  const name = page.appName();
  const title = channel.kind === "im" ? `Talk to ${name}` : `Welcome to #${channel.name}`;
  return [el("h2", { text: title, dir: "auto" }), el("p", { text: explain(channel, name, page.appHandle()) })];
}

function explain(channel, name, handle) {
  if (!channel.app_is_in)
    return `${name} is not in this channel, so it hears nothing here. People can still talk to each other.`;
  const start = channel.kind === "im" ? `Write what you need.` : `Mention ${handle} with a task.`;
  return `${start} ${name} works on it in a thread, asks with a form when a decision is yours, and then goes on.`;
}

function tryThese(page, channel) {
  const prompts = page.app().prompts || [];
  if (!channel.app_is_in || !prompts.length) return null;
  const draw = (prompt) =>
    el(
      "li",
      {},
      el(
        "button",
        { class: "prompt", type: "button", on: { click: () => page.trySending(channel, prompt) } },
        el("span", { text: prompt, dir: "auto" }),
        icon("right"),
      ),
    );
  const why = refused(page);
  return [
    why ? el("p", { class: "scripted" }, icon("lock"), why) : null,
    el("h3", { text: "Try one of these" }),
    el("ul", { class: "prompts" }, prompts.map(draw)),
  ];
}

function scripted(page) {
  const words = aboutTheModel(page);
  return words ? el("p", { class: "scripted" }, icon("info"), words) : null;
}

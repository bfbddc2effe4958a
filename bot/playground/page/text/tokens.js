// What stands between < and > in Slack's text: people, channels, broadcasts, dates and links; and its three entities.

import { el } from "../dom.js";
import { now } from "../names.js";
import { link } from "./links.js";

const TOKEN = /<([^<>\n]{1,4000})>/y;
const LINK = /^[a-z][a-z0-9+.-]{1,20}:\S+$/i;
const BROADCASTS = new Set(["here", "channel", "everyone"]);
const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

export function decoded(text) {
  return text.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity]);
}

// What is written at this place, as { node, end }; null if it is none of Slack's tokens.
export function tokenAt(text, at, context) {
  TOKEN.lastIndex = at;
  const found = TOKEN.exec(text);
  const node = found && drawToken(found[1], context);
  return node ? { node, end: TOKEN.lastIndex } : null;
}

function drawToken(inside, context) {
  const bar = inside.indexOf("|");
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? "" : decoded(inside.slice(bar + 1));
  switch (target[0]) {
    case "@":
      return /^@[UWB]\w+$/.test(target) ? person(target.slice(1), label, context) : null;
    case "#":
      return /^#[CGD]\w+$/.test(target) ? channel(target.slice(1), label, context) : null;
    case "!":
      return special(target.slice(1), label, context);
  }
  const address = decoded(target);
  return LINK.test(address) ? link(address, label || address.replace(/^mailto:/i, ""), context) : null;
}

export function person(id, label, context) {
  const user = context.users?.(id);
  const name = user ? user.real_name || user.name : label || id;
  const marked = id === context.me ? "mention me" : "mention";
  return reference(marked, `@${name}`, user && context.wayToPerson?.(id));
}

export function channel(id, label, context) {
  const found = context.channels?.(id);
  const name = found ? (found.kind === "im" ? "Direct message" : `#${found.name}`) : `#${label || id}`;
  return reference("mention", name, found && context.openChannel && (() => context.openChannel(id)));
}

export function broadcast(name) {
  return reference("mention broadcast", `@${name}`);
}

function reference(className, words, open) {
  if (!open) return el("span", { class: className }, el("bdi", { text: words }));
  return el("button", { class: className, type: "button", on: { click: open } }, el("bdi", { text: words }));
}

function special(target, label, context) {
  const [name, ...rest] = target.split("^");
  if (BROADCASTS.has(name)) return broadcast(name);
  if (name === "subteam") return reference("mention", label ? `@${label.replace(/^@/, "")}` : `@${rest[0] ?? "group"}`);
  if (name === "date") return date(rest[0], rest[1], rest[2], label, context);
  return label ? el("span", {}, el("bdi", { text: label })) : null;
}

// A moment in the reader's own time zone and manner; the fallback if it is no moment.
export function date(seconds, format, address, fallback, context) {
  const moment = new Date(Number(seconds) * 1000);
  if (!/^-?\d{1,12}$/.test(seconds ?? "") || Number.isNaN(moment.getTime()))
    return el("span", { text: fallback || "a date" });
  const words = decoded(format || "{date} at {time}").replace(
    /\{(\w+)\}/g,
    (all, name) => DATES[name]?.(moment) ?? all,
  );
  const time = el("time", { datetime: moment.toISOString(), title: moment.toLocaleString(), text: words });
  return address ? link(decoded(address), time, context) : time;
}

const DATES = {
  date_num: (moment) => [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join("-"),
  date_slash: (moment) => [two(moment.getMonth() + 1), two(moment.getDate()), moment.getFullYear()].join("/"),
  date: (moment) => day(moment, { month: "long" }),
  date_short: (moment) => day(moment, { month: "short" }),
  date_long: (moment) => day(moment, { weekday: "long", month: "long" }),
  date_pretty: (moment) => nearDay(moment) ?? DATES.date(moment),
  date_short_pretty: (moment) => nearDay(moment) ?? DATES.date_short(moment),
  date_long_pretty: (moment) => nearDay(moment) ?? DATES.date_long(moment),
  day_divider_pretty: (moment) => nearDay(moment) ?? DATES.date_long(moment),
  time: (moment) => moment.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" }),
  time_secs: (moment) => moment.toLocaleTimeString([], { hour: "numeric", minute: "2-digit", second: "2-digit" }),
  ago: (moment) => ago(moment),
};

function two(number) {
  return String(number).padStart(2, "0");
}

function day(moment, more) {
  return moment.toLocaleDateString([], { day: "numeric", year: "numeric", ...more });
}

function nearDay(moment) {
  const midnight = (then) => new Date(then.getFullYear(), then.getMonth(), then.getDate()).getTime();
  const days = Math.round((midnight(moment) - midnight(new Date(now()))) / 86_400_000);
  return { "-1": "yesterday", 0: "today", 1: "tomorrow" }[days] ?? null;
}

function ago(moment) {
  const seconds = (moment.getTime() - now()) / 1000;
  const [size, unit] = [
    [86_400, "day"],
    [3_600, "hour"],
    [60, "minute"],
    [1, "second"],
  ].find(([size]) => Math.abs(seconds) >= size) ?? [1, "second"];
  return new Intl.RelativeTimeFormat([], { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

// What people, channels and moments are called and how they look: names, roles, avatars, times.

import { el, svg } from "./dom.js";

const LANGUAGE = navigator.language.startsWith("en") ? navigator.language : "en-GB";
const TIME = new Intl.DateTimeFormat(LANGUAGE, { hour: "numeric", minute: "2-digit" });
const FULL = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "full", timeStyle: "medium" });
const DAY = new Intl.DateTimeFormat(LANGUAGE, { weekday: "long", day: "numeric", month: "long" });
const DATE = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "long" });
const HUES = 8;
const A_DAY = 86_400_000;

let ahead = 0; // how far the playground's clock was pushed on, in milliseconds

export function setAhead(seconds) {
  ahead = (seconds || 0) * 1000;
}

export function now() {
  return Date.now() + ahead;
}

// Another one with every day, and whenever the clock was pushed on: what is said of dates is another then.
export function today() {
  return `${new Date(now()).toDateString()} +${ahead}`;
}

export function nameOf(user) {
  return user ? user.real_name || user.name || user.id : "Someone";
}

export function roleOf(user) {
  if (user.is_bot) return "agent";
  if (user.is_external) return `from ${user.team_name || "another organisation"}`;
  if (user.is_guest) return "guest";
  return user.is_admin ? "admin" : "member";
}

// "1 reply", "2 replies"
export function counted(count, one, several) {
  return `${count} ${count === 1 ? one : several}`;
}

export function channelIcon(channel) {
  if (channel.is_ext_shared) return "shared";
  return { group: "lock", im: "chat" }[channel.kind] || "hash";
}

export function avatar(user, size = "") {
  if (user?.is_bot) return el("span", { class: `avatar app ${size}`, "aria-hidden": "true" }, mark());
  const hue = `hue-${user ? hash(user.id) % HUES : 0}`;
  return el("span", { class: `avatar ${hue} ${size}`, text: initials(nameOf(user)), "aria-hidden": "true" });
}

// Parley's own mark: two speech bubbles that meet, the second with the dot of a question.
export function mark() {
  return svg(
    "svg",
    { viewBox: "0 0 36 36", "aria-hidden": "true" },
    svg("path", {
      class: "mark-back",
      d: "M7 8h15a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3h-8l-5 4v-4H7a3 3 0 0 1-3-3v-7a3 3 0 0 1 3-3z",
    }),
    svg("path", {
      class: "mark-front",
      d: "M17 14h12a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3v4l-5-4h-7a3 3 0 0 1-3-3v-7a3 3 0 0 1 3-3z",
    }),
    svg("circle", { class: "mark-dot", cx: 19, cy: 20.5, r: 1.4 }),
    svg("circle", { class: "mark-dot", cx: 23, cy: 20.5, r: 1.4 }),
    svg("circle", { class: "mark-dot", cx: 27, cy: 20.5, r: 1.4 }),
  );
}

function initials(name) {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...word][0] || "");
  return letters.join("").toUpperCase() || "?";
}

// A number that is the same for the same text, whatever came before.
function hash(text) {
  return [...text].reduce((sum, letter, position) => sum + (position + 1) * letter.codePointAt(0), 0);
}

const dateOf = (ts) => new Date(Number(ts) * 1000);

export function timeOf(ts) {
  return TIME.format(dateOf(ts));
}

export function fullDate(ts) {
  return FULL.format(dateOf(ts));
}

export function dayKey(ts) {
  return dateOf(ts).toDateString();
}

export function dayName(ts) {
  const date = dateOf(ts);
  const days = Math.round((midnight(now()) - midnight(date)) / A_DAY);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return days > 0 && days < 200 ? DAY.format(date) : DATE.format(date);
}

function midnight(moment) {
  return new Date(moment).setHours(0, 0, 0, 0);
}

export function ago(ts) {
  const minutes = Math.round((now() - Number(ts) * 1000) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const day = dayName(ts);
  return `${["Today", "Yesterday"].includes(day) ? day.toLowerCase() : day} at ${timeOf(ts)}`;
}

export function timeNode(ts) {
  return el("time", { class: "time", datetime: dateOf(ts).toISOString(), title: fullDate(ts), text: timeOf(ts) });
}

// For the narrow place beside a grouped message: without AM or PM.
export function shortTimeNode(ts) {
  const node = timeNode(ts);
  const parts = TIME.formatToParts(dateOf(ts)).filter(({ type }) => type !== "dayPeriod");
  node.textContent = parts
    .map(({ value }) => value)
    .join("")
    .trim();
  node.classList.add("late");
  return node;
}

// A message's text as one would have typed it: names instead of ids, no escapes.
export function asTyped(text, mirror) {
  return text
    .replace(/<@([A-Z0-9]+)(?:\|[^>]*)?>/g, (all, id) => `@${mirror.get(`user/${id}`)?.name || id}`)
    .replace(/<#([A-Z0-9]+)(?:\|[^>]*)?>/g, (all, id) => `#${mirror.get(`channel/${id}`)?.name || id}`)
    .replace(/<!(here|channel|everyone)(?:\|[^>]*)?>/g, "@$1")
    .replace(/<((?:https?|mailto):[^|>]+)(?:\|[^>]*)?>/g, "$1")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");
}

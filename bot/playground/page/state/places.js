// Where in the page one is: read from the address, and changed through it, so that Back works.

import { keep, remembered } from "./storage.js";

export const MENU = "#menu";
export const HOME = "#home";
const LAST = "parley/person"; // who was the last one to look in this browser

// {kind: "channel", channel, thread} | {kind: "home"} | {kind: "menu"} | {kind: "none"}
export function placeNow() {
  const [channel, thread = ""] = decoded(location.hash.slice(1)).split("/");
  if (channel === "home" || channel === "menu") return { kind: channel };
  return channel ? { kind: "channel", channel, thread } : { kind: "none" };
}

// What somebody typed there may be no address at all.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function namedPerson() {
  return new URLSearchParams(location.search).get("as") || "";
}

export function person() {
  return namedPerson() || String(remembered(LAST, "ann"));
}

// Puts into the address who one really is; whom it named instead ("" if nobody), or null if it was right.
export function settlePerson({ id, name }) {
  keep(LAST, name);
  const wanted = namedPerson();
  if ([id, name].includes(wanted)) return null;
  history.replaceState(null, "", addressAs(name));
  return wanted;
}

export function addressOf(channel, thread = "") {
  return thread ? `#${channel}/${thread}` : `#${channel}`;
}

export function go(hash, { instead = false } = {}) {
  if (location.hash === hash) return;
  if (instead) {
    history.replaceState(null, "", hash);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = hash;
  }
}

export function addressAs(name) {
  return `/?as=${encodeURIComponent(name)}${location.hash}`;
}

// The link to a message as Slack writes them: /archives/<channel>/p<ts without its dot>[?thread_ts=…]
export function permalink({ channel, ts, thread_ts: thread }) {
  const at = `/archives/${channel}/p${ts.replace(".", "")}`;
  const query = new URLSearchParams({ as: person() });
  if (thread && thread !== ts) query.set("thread_ts", thread);
  return `${location.origin}${at}?${query}`;
}

// This machine goes by several names, a tunnel leads to it from another port, and links carry but one of them.
function isOurs({ origin, hostname }) {
  return origin === location.origin || ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}

// {channel, ts, thread} of such a link, or null.
export function archived(url) {
  const found = /^\/archives\/([A-Z0-9]+)(?:\/p(\d{10})(\d{6}))?\/?$/.exec(url.pathname);
  if (!found || !isOurs(url)) return null;
  const [, channel, seconds, rest] = found;
  return { channel, ts: seconds ? `${seconds}.${rest}` : "", thread: url.searchParams.get("thread_ts") || "" };
}

// A link of this workspace as the person of this tab has it, so that they stay who they are; others as they are.
export function asMine(url) {
  if (!archived(url)) return url;
  const mine = new URL(url.pathname + url.search, location.origin);
  mine.searchParams.set("as", person());
  return mine;
}

// An /archives/ address becomes the page's own one; the message it names is returned, to be shown.
export function takeArchiveAddress() {
  const found = archived(new URL(location.href));
  if (found)
    history.replaceState(null, "", `/?as=${encodeURIComponent(person())}${addressOf(found.channel, found.thread)}`);
  return found;
}

// Reads conversations out of the mirror: a channel's own messages, a thread's, and what of them is unread.

import { ago, counted } from "../names.js";

const byTs = (one, other) => (one.ts < other.ts ? -1 : 1);
const isRoot = (message) => !message.thread_ts || message.thread_ts === message.ts;

export function channelsOf(mirror) {
  const all = mirror.group("channel");
  const named = all
    .filter(({ kind }) => kind !== "im")
    .sort((one, other) => order(one) - order(other) || (one.name < other.name ? -1 : 1));
  return { named, ims: all.filter(({ kind }) => kind === "im") };
}

// Where one begins: where the app is, if that is anywhere.
export function firstOf(mirror) {
  const { named, ims } = channelsOf(mirror);
  return named.find(({ app_is_in: hasApp }) => hasApp) || named[0] || ims[0];
}

// Where everybody is comes first, as it is where one starts.
function order(channel) {
  return channel.name === "general" ? 0 : 1;
}

// The channel's own messages as the list draws them, those for one's own eyes among them.
export function channelItems(page, channel) {
  const { mirror } = page;
  const all = mirror.group(`message/${channel}`).sort(byTs);
  const replies = Map.groupBy(
    all.filter((message) => !isRoot(message)),
    (message) => message.thread_ts,
  );
  const roots = all.filter(isRoot).map((message) => rootItem(page, message, replies.get(message.ts) || []));
  return withPrivate(roots, mirror, channel, (message) => isRoot(message));
}

function rootItem(page, message, replies) {
  const { mirror, seen } = page;
  const status = statusWords(page, message.channel, message.ts);
  const last = replies.at(-1);
  const unseen =
    Boolean(last) && last.user !== mirror.get("me") && last.ts > seen.at(`${message.channel}/${message.ts}`);
  const hidden = mirror
    .group(`private/${message.channel}`)
    .filter(({ thread_ts, ts }) => thread_ts === message.ts && ts !== message.ts).length;
  const same = [replies.length, last && ago(last.ts), unseen, status, hidden];
  return { ...itemOf(mirror, "message", message), replies, hidden, status, unseen, same };
}

export function threadItems(page, channel, thread) {
  const { mirror } = page;
  const all = mirror.group(`message/${channel}`).sort(byTs);
  const root = all.find((message) => message.ts === thread);
  const replies = all.filter((message) => message.thread_ts === thread && message.ts !== thread);
  const items = [root, ...replies]
    .filter(Boolean)
    .map((message) => ({ ...itemOf(mirror, "message", message), inThread: true }));
  if (root && replies.length) items[0].after = counted(replies.length, "reply", "replies");
  return withPrivate(items, mirror, channel, (message) => message.thread_ts === thread);
}

function withPrivate(items, mirror, channel, belongs) {
  const shown = mirror.group(`private/${channel}`).filter(belongs);
  const drawn = shown.map((message) => ({ ...itemOf(mirror, "private", message), isPrivate: true }));
  return drawn.length ? [...items, ...drawn].sort((one, other) => byTs(one.message, other.message)) : items;
}

function itemOf(mirror, kind, message) {
  const key = `${kind}/${message.channel}/${message.ts}`;
  return { message, key, version: [mirror.version(key), mirror.version(`user/${message.user}`)] };
}

// "Parley is thinking…", or nothing.
export function statusWords(page, channel, thread) {
  const status = page.mirror.get(`status/${channel}/${thread}`);
  return status?.text ? `${page.appName()} ${status.text}` : "";
}

// {some: is anything unread, count: how much of it is meant for this person}
export function unreadOf(page, channel) {
  const { mirror, seen } = page;
  const me = mirror.get("me");
  const all = mirror.group(`message/${channel.id}`);
  const mine = new Set(all.filter((message) => message.user === me).map((message) => message.thread_ts || message.ts));
  const fresh = all.filter((message) => message.user !== me && message.ts > seen.at(placeOf(message)));
  const meant = fresh.filter(
    (message) => channel.kind === "im" || message.text.includes(`<@${me}>`) || mine.has(message.thread_ts),
  );
  return { some: fresh.some((message) => isRoot(message)) || meant.length > 0, count: meant.length };
}

// The ts of the newest of these items that everybody sees.
export function newestOf(items) {
  return items.findLast(({ isPrivate }) => !isPrivate)?.message.ts;
}

export function placeOf(message) {
  return isRoot(message) ? message.channel : `${message.channel}/${message.thread_ts}`;
}

export function lastOwn(page, channel, thread) {
  const me = page.mirror.get("me");
  const here = (message) => (thread ? message.thread_ts === thread || message.ts === thread : isRoot(message));
  return page.mirror
    .group(`message/${channel}`)
    .filter((message) => message.user === me && here(message))
    .sort(byTs)
    .at(-1);
}

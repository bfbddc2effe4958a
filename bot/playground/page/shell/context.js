// What the blocks of a message, a modal or the Home need to know of the page around them.

import { surfaceKey } from "../blocks/acting.js";
import { Typed } from "../state/typed.js";
import { openConfirm } from "./confirm.js";
import { toast } from "./toast.js";

// `content` is {blocks, form}; `errors` are words for blocks that were refused.
export function contextFor(page, surface, content, errors = {}) {
  const { mirror } = page;
  return {
    me: mirror.get("me"),
    users: (id) => mirror.get(`user/${id}`),
    channels: (id) => mirror.get(`channel/${id}`),
    form: page.typed.merged(surface, content.form || {}),
    surface,
    errors,
    act: (name, fields = {}) => actOn(page, surface, name, fields),
    openConfirm,
    openThread: (channel, thread, ts) => page.openMessage({ channel, thread, ts }),
    openChannel: page.openChannel,
    wayToPerson: page.wayToPerson,
  };
}

async function actOn(page, surface, name, fields) {
  if (name === "fill") return page.typed.fill(surface, fields);
  if (name === "click") page.typed.handOver(surface);
  const settle = name === "pick" ? page.typed.pick(surface, fields) : () => {};
  const isSent = await sendTyped(page, surface);
  const result = isSent ? await actAndTell(page, name, { surface, ...fields }) : null;
  settle(result !== null);
  if (name === "pick" && result === null) page.mirror.touch(keyOf(page.mirror, surface)); // as it was before
  return result;
}

// Sends what is filled in but has not arrived; false if some of it was not taken, which is then pointed out.
export async function sendTyped(page, surface) {
  const [wrong] = await page.typed.flush(surface);
  if (wrong?.lost) toast(wrong.error, "error");
  else if (wrong) focusField(surface, wrong);
  return !wrong;
}

// A message may be drawn twice, in the channel and as the beginning of its thread: the one beside what is focused.
function focusField(surface, { block_id, action_id }) {
  const id = `${surfaceKey(surface)}/${block_id}/${action_id}`;
  const isIt = ({ dataset }) => dataset.focus === id || dataset.focus.startsWith(`${id}/`);
  const found = [...document.querySelectorAll("[data-focus]")].filter(isIt);
  const pane = document.activeElement?.closest(".pane, dialog");
  (found.find((node) => pane?.contains(node)) || found[0])?.focus();
}

// What people fill in, as it is told to the local Slack. What it refuses is said, unless the field has gone meanwhile;
// what is lost is sent again.
export function typedFor(mirror) {
  const send = async (fields) => {
    const done = await mirror.act("fill", fields);
    if (done.error && !done.lost && typed.isThere(fields)) toast(done.error, "error");
    return done;
  };
  const typed = new Typed(send, (surface) => mirror.get(keyOf(mirror, surface))?.blocks);
  return typed;
}

// Says to whoever was typing in a message that its form has changed under their hands.
export function tellLost({ typed }) {
  for (const surface of typed.takeLost()) {
    if (!surface.view) toast("This form has changed in the meantime. What you were typing was not sent."); // else closed
  }
}

// Under which key the mirror has a surface: a message, a private one, the modal or the Home.
function keyOf(mirror, { view, private: hidden, channel, ts }) {
  if (view) return mirror.get("home")?.id === view ? "home" : "modal";
  return hidden ? `private/${hidden}/${ts}` : `message/${channel}/${ts}`;
}

// Does it, says in a toast if it was not done, and gives what came of it (null if nothing did).
export async function actAndTell(page, name, fields = {}) {
  const done = await page.mirror.act(name, fields);
  if (done.error) toast(done.error, "error");
  return done.error ? null : done.result || {};
}

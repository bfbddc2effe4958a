// The note for who has mentioned the app where it is not: it cannot answer there, and can be invited.

import { el, icon } from "../dom.js";
import { actAndTell } from "./context.js";
import { toast } from "./toast.js";

// Whether this person has asked for the app in a channel that it is not in.
export function needsInvitation(page, channel) {
  const [me, mention] = [page.mirror.get("me"), `<@${page.app().user}>`];
  const asks = ({ user, text }) => user === me && text.includes(mention);
  return !channel.app_is_in && page.mirror.group(`message/${channel.id}`).some(asks);
}

export function drawInvitation(page, channel) {
  const invite = async () => {
    const isDone = await actAndTell(page, "invite", { channel: channel.id });
    if (isDone) toast(`${page.appName()} is in #${channel.name} now. Mention it again.`, "done");
  };
  return el(
    "div",
    { class: "invitation", role: "status" },
    el("span", { class: "only-you" }, icon("eye"), "Only visible to you"),
    el(
      "p",
      { dir: "auto" },
      `${page.appName()} is not in #${channel.name}, so it cannot answer there.`,
      el("button", { class: "button small", type: "button", text: "Invite it", on: { click: invite } }),
    ),
  );
}

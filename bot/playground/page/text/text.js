// Text objects, drawn: plain text to the letter, mrkdwn with its markup.

import { el } from "../dom.js";
import { withEmoji } from "./emoji.js";
import { drawMrkdwn } from "./mrkdwn.js";

export function drawTextObject(thing, context) {
  if (thing?.type === "mrkdwn") return drawMrkdwn(thing.text, context, { verbatim: thing.verbatim === true });
  return el("div", { class: "plain" }, plainNodes(thing));
}

// For a place that holds a line of words, such as a label or a button.
export function drawLine(thing, context) {
  if (thing?.type === "mrkdwn") return drawTextObject(thing, context);
  return el("bdi", {}, plainNodes(thing));
}

export function wordsOf(thing) {
  return typeof thing === "string" ? thing : String(thing?.text ?? "");
}

function plainNodes(thing) {
  const words = wordsOf(thing);
  return thing?.emoji === false ? words : withEmoji(words);
}

// Links and pictures whose addresses come from others: only harmless schemes, and the true one can be seen.

import { el } from "../dom.js";
import { archived, asMine } from "../state/places.js";

const SCHEMES = new Set(["http:", "https:", "mailto:"]);
const LOOKS_LIKE_HOST =
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^\s/?#@]*@)?((?:[\p{L}\p{N}-]{1,63}\.){1,10}\p{L}{2,24})(?=[:/?#]|$)/iu;

// The address, or null if nobody should follow it.
export function safeUrl(address) {
  let url;
  try {
    url = new URL(String(address));
  } catch {
    return null;
  }
  return SCHEMES.has(url.protocol) ? url : null;
}

// An anchor around these children; an address that is not harmless is written out instead, as plain text.
export function link(address, children, context) {
  const url = safeUrl(address);
  const label = el("bdi", {}, children);
  if (!url)
    return el("span", { class: "unsafe-link", title: "This address is not opened from here." }, label, ` (${address})`);
  const anchor = el("a", { ...anchorProps(url), on: { click: (event) => follow(event, url, context) } }, label);
  const masked = hidesHost(label.textContent, url);
  return masked ? el("span", {}, anchor, el("span", { class: "true-host", text: ` (${url.host})` })) : anchor;
}

export function anchorProps(url) {
  const { href } = asMine(url);
  return { href, title: href, target: "_blank", rel: "noopener noreferrer" };
}

// Goes to a message of this workspace within the page; anything else, or a new tab, is left to the browser.
export function follow(event, url, context) {
  if (!archived(url) || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  openUrl(url, context);
}

export function openUrl(url, context) {
  const found = archived(url);
  if (found) context.openThread(found.channel, found.thread, found.ts);
  else window.open(url.href, "_blank", "noopener,noreferrer");
}

// Whether the words look like an address at another host than the one they lead to.
function hidesHost(words, url) {
  const shown = LOOKS_LIKE_HOST.exec(words.trim());
  if (!shown || url.protocol === "mailto:") return false;
  const host = safeUrl(`https://${shown[1]}`)?.hostname.replace(/^www\./, "");
  return Boolean(host) && host !== url.hostname.replace(/^www\./, "");
}

// A picture, or its description if there is none to show.
export function picture(thing, className) {
  const alt = String(thing.alt_text ?? "");
  const address = thing.image_url ?? thing.url;
  if (!isPicture(address)) return missing(alt, className);
  const image = el("img", {
    class: className,
    src: address,
    alt,
    title: alt,
    loading: "lazy",
    decoding: "async",
    referrerpolicy: "no-referrer",
  });
  image.addEventListener("error", () => image.replaceWith(missing(alt, className)));
  return image;
}

function isPicture(address) {
  try {
    const url = new URL(String(address)); // a whole one: words that are none are not asked of this server
    return url.protocol === "https:" || url.origin === location.origin || /^data:image\//i.test(url.href);
  } catch {
    return false;
  }
}

function missing(alt, className) {
  const words = alt || "no description";
  return el("span", { class: `${className} no-picture`, role: "img", "aria-label": words }, `Image: ${words}`);
}

// A small dialog to jump to any channel, the app or its Home by typing a part of the name.

import { el, icon } from "../dom.js";
import { channelIcon } from "../names.js";
import { channelsOf } from "../state/conversation.js";
import { HOME, addressOf, go } from "../state/places.js";
import { openDialog } from "./confirm.js";

export function openPalette(page) {
  if (document.querySelector("dialog[open]")) return;
  const all = targets(page);
  let [found, at] = [all, 0];
  const list = el("ul", { class: "palette-list", role: "listbox", id: "palette-list", "aria-label": "Places" });
  const field = el("input", {
    class: "field",
    type: "text",
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "palette-list",
    "aria-label": "Jump to",
    placeholder: "Channel, app or Home",
    autocomplete: "off",
  });
  const dialog = openDialog("Jump to", [field, list], [], "palette");

  const take = (target) => {
    dialog.close("");
    go(target.href);
  };
  const draw = () => {
    const option = (target, position) =>
      el(
        "li",
        {
          role: "option",
          id: `palette-${position}`,
          "aria-selected": String(position === at),
          on: { click: () => take(target) },
        },
        icon(target.sign),
        target.name,
      );
    list.replaceChildren(...found.map(option));
    field.setAttribute("aria-activedescendant", found.length ? `palette-${at}` : "");
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  field.addEventListener("input", () => {
    const wanted = field.value.trim().replace(/^[#@]/, "").toLowerCase();
    found = all.filter(({ name }) => name.toLowerCase().includes(wanted));
    at = 0;
    draw();
  });
  field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) at = (at + step + found.length) % found.length;
    else if (event.key === "Enter" && found[at]) take(found[at]);
    else return;
    event.preventDefault();
    draw();
  });
  draw();
  field.focus();
}

function targets(page) {
  const { named, ims } = channelsOf(page.mirror);
  return [
    ...named.map((channel) => ({ href: addressOf(channel.id), name: channel.name, sign: channelIcon(channel) })),
    ...ims.map((channel) => ({ href: addressOf(channel.id), name: page.appName(), sign: "chat" })),
    { href: HOME, name: `${page.appName()} Home`, sign: "home" },
  ];
}

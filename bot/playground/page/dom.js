// Makes elements and keeps lists of them in step with data, never from HTML text.

const SVG = "http://www.w3.org/2000/svg";

export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) setProp(node, name, value);
  append(node, children);
  return node;
}

function setProp(node, name, value) {
  if (value === false || value === null || value === undefined) return;
  if (name === "class") node.className = value;
  else if (name === "text") node.textContent = value;
  else if (name === "on") for (const [event, fn] of Object.entries(value)) node.addEventListener(event, fn);
  else if (name === "data") Object.assign(node.dataset, value);
  else node.setAttribute(name, value === true ? "" : value);
}

function append(node, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(node, child);
    else if (child !== null && child !== undefined && child !== false) node.append(child);
  }
}

// Each icon is what goes into a 20 by 20 box, drawn with a stroke of the text's colour.
const ICONS = {
  hash: "M7.5 3 6 17M14 3l-1.5 14M3.5 7.5h14M2.5 12.5h14",
  lock: "M5 9h10v8H5zM7 9V6.5a3 3 0 0 1 6 0V9",
  shared: "M12.5 10a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0zM16.5 10a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0z",
  home: "M3 9.5 10 3.5l7 6V17h-4.5v-4.5h-5V17H3z",
  chat: "M3 4h14v10H9l-4 3.5V14H3z",
  thread: "M3 4h14v9H8l-3 3v-3H3zM6.5 7.5h7M6.5 10h4",
  close: "m5 5 10 10M15 5 5 15",
  back: "M12 4.5 6.5 10l5.5 5.5M6.5 10H17",
  up: "m5 12 5-5 5 5",
  right: "m8 5 5 5-5 5",
  arrowdown: "M10 4v12M5 11l5 5 5-5",
  send: "M3.5 10 3 3.5 17.5 10 3 16.5zM3.5 10H10",
  stop: "M6 6h8v8H6z",
  attach: "m15.5 9.5-5.8 5.8a3.6 3.6 0 0 1-5-5l6-6a2.4 2.4 0 0 1 3.4 3.4l-5.9 5.9a1.2 1.2 0 0 1-1.7-1.7l5.3-5.3",
  at: "M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0zm0 0v1.2a2 2 0 0 0 4 0V10a7 7 0 1 0-2.8 5.6",
  bulb: "M7.5 14.5h5M8 17h4M10 3a5 5 0 0 0-3 9c.4.4.6.9.6 1.5v1h4.8v-1c0-.6.2-1.1.6-1.5a5 5 0 0 0-3-9z",
  sun: "M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM10 3v1M10 16v1M3 10h1M16 10h1M5 5l.7.7M14.3 14.3l.7.7M5 15l.7-.7M14.3 5.7l.7-.7",
  moon: "M16.5 12A7 7 0 0 1 8 3.5 7 7 0 1 0 16.5 12z",
  system: "M3 4h14v9.5H3zM7 17h6M10 13.5V17",
  code: "m7 6-4 4 4 4M13 6l4 4-4 4M11.3 4.5l-2.6 11",
  copy: "M7.5 7.5h9v9h-9zM12.5 7.5v-4h-9v9h4",
  check: "m4 10.5 4 4 8-9",
  warn: "M10 3.5 17.5 16.5h-15zM10 8.5v3.5M10 14.2v.3",
  info: "M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0zM10 9v4.5M10 6.5v.3",
  clock: "M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0zM10 6v4l2.8 1.8",
  repeat: "M4 9a6 6 0 0 1 10.5-3L16 7.5M16 4v3.5h-3.5M16 11a6 6 0 0 1-10.5 3L4 12.5M4 16v-3.5h3.5",
  eye: "M2.5 10S5 5 10 5s7.5 5 7.5 5-2.5 5-7.5 5-7.5-5-7.5-5zM12 10a2 2 0 1 1-4 0 2 2 0 0 1 4 0z",
  file: "M5 2.5h6.5L15 6v11.5H5zM11.5 2.5V6H15",
  search: "M14 8.5a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0zM12.5 12.5 17 17",
  keyboard: "M2.5 5h15v10h-15zM5.5 8h.1M8.5 8h.1M11.5 8h.1M14.5 8h.1M6.5 12h7",
  edit: "m4 16 .7-3.2L13.5 4l2.5 2.5-8.8 8.8z",
  dots: "M4.5 10h.1M10 10h.1M15.5 10h.1",
  external: "M11 3.5h5.5V9M16.5 3.5 9 11M14 12v4.5H3.5V6H8",
  plug: "M7 3v4M13 3v4M5 7h10v2.5a5 5 0 0 1-10 0zM10 14.5V18",
  bolt: "M11 2.5 4.5 11.5H10L9 17.5l6.5-9H10z",
  up_thumb: "M6.5 9 9.5 3c1.3 0 2 .8 2 2v3h4c1 0 1.7.9 1.5 1.9l-1.2 5.4c-.2.7-.8 1.2-1.5 1.2H6.5zM6.5 9H3v7.5h3.5",
  down_thumb:
    "M13.5 11l-3 6c-1.3 0-2-.8-2-2v-3h-4c-1 0-1.7-.9-1.5-1.9l1.2-5.4c.2-.7.8-1.2 1.5-1.2h7.8zM13.5 11H17V3.5h-3.5",
  trash: "M4 5.5h12M8 5.5V3.5h4v2M5.5 5.5 6.3 17h7.4l.8-11.5",
  circle: "M16 10a6 6 0 1 1-12 0 6 6 0 0 1 12 0z",
};

export function icon(name) {
  const path = svg("path", { d: ICONS[name] || ICONS.circle });
  return svg(
    "svg",
    { class: `icon icon-${name}`, viewBox: "0 0 20 20", "aria-hidden": "true", focusable: "false" },
    path,
  );
}

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// Keeps the children of parent in step with items. `same(item)` gives all that a drawing depends on (the item itself
// unless told); a child whose key and JSON of that are unchanged is left alone, any other is drawn again.
export function keyed(parent, items, key, draw, same = (item) => item) {
  const hadFocus = holdsFocus(parent);
  const old = new Map();
  for (const child of parent.children) if (child.keyedBy !== undefined) old.set(child.keyedBy, child);
  const kept = items.map((item) => {
    const name = String(key(item));
    const drawn = JSON.stringify(same(item));
    const child = old.get(name);
    old.delete(name);
    if (child && child.drawnFrom === drawn) return child;
    const fresh = draw(item, child);
    Object.assign(fresh, { keyedBy: name, drawnFrom: drawn });
    if (child && child !== fresh) replaceKeepingFocus(child, fresh);
    return fresh;
  });
  for (const child of old.values()) child.remove();
  putInOrder(parent, kept);
  if (hadFocus) findFocus(parent);
}

export function holdsFocus(node) {
  return node.contains(document.activeElement);
}

// After the focused element was taken out of this node: the nearest thing around it that can have the focus gets it.
export function findFocus(node) {
  if (!holdsFocus(node) && document.activeElement === document.body)
    node.closest("[tabindex]")?.focus({ preventScroll: true });
}

function putInOrder(parent, children) {
  let at = parent.firstElementChild;
  for (const child of children) {
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
}

// Puts `fresh` where `old` was; what was focused, selected, opened or scrolled in it by a `data-focus` id stays so.
// Where the focused control has no twin, what is around it gets the focus.
export function replaceKeepingFocus(old, fresh) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const selection = focused && selectionOf(focused);
  const scrolled = [...old.querySelectorAll("[data-focus]")].filter((node) => node.scrollTop || node.scrollLeft);
  const opened = [...old.querySelectorAll("details[data-focus]")];
  old.replaceWith(fresh);
  for (const node of opened) withFocusId(fresh, node.dataset.focus)?.toggleAttribute("open", node.open);
  for (const node of scrolled) {
    const twin = withFocusId(fresh, node.dataset.focus);
    if (twin) Object.assign(twin, { scrollTop: node.scrollTop, scrollLeft: node.scrollLeft });
  }
  const twin = focused && withFocusId(fresh, focused.dataset.focus);
  if (focused && !twin) findFocus(fresh);
  if (!twin) return;
  twin.focus({ preventScroll: true });
  if (selection) twin.setSelectionRange(...selection);
}

function selectionOf(node) {
  try {
    return node.selectionStart === null || node.selectionStart === undefined
      ? null
      : [node.selectionStart, node.selectionEnd, node.selectionDirection];
  } catch {
    return null; // a control that cannot be selected in, such as a checkbox in some browsers
  }
}

function withFocusId(root, id) {
  if (!id) return null;
  if (root.dataset && root.dataset.focus === id) return root;
  return [...root.querySelectorAll("[data-focus]")].find((node) => node.dataset.focus === id) || null;
}

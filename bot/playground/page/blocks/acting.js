// What every element shares: its place among the blocks, what it holds, and how using it is told to the app.

const pressed = new Set(); // buttons whose click is on its way; they stay so when their message is drawn anew
let lastId = 0;

export function newId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

export function surfaceKey(surface = {}) {
  if (surface.view) return `view/${surface.view}`;
  return surface.private ? `private/${surface.private}/${surface.ts}` : `${surface.channel}/${surface.ts}`;
}

// The id by which focus, and whatever else the person did there, is kept when it is drawn anew.
export function focusId({ context, block, element }, option) {
  const id = `${surfaceKey(context.surface)}/${block.block_id}/${element.action_id}`;
  return option === undefined ? id : `${id}/${option}`;
}

export function fieldsOf({ context, block, element }) {
  return { surface: context.surface, block_id: block.block_id, action_id: element.action_id };
}

export function held({ context, block, element }) {
  return context.form?.[block.block_id]?.[element.action_id] ?? null;
}

export function optionsOf(element) {
  return element.options ?? (element.option_groups ?? []).flatMap((group) => group.options ?? []);
}

// The positions of the options that are chosen now.
export function chosen(place) {
  const { element } = place;
  const now = held(place);
  const several = now ? now.selected_options : element.initial_options;
  const picked = several ?? [now ? now.selected_option : element.initial_option];
  return picked
    .filter(Boolean)
    .map((option) => positionOf(option, optionsOf(element)))
    .filter((position) => position >= 0);
}

function positionOf(option, options) {
  return options.findIndex(({ value, text }) => value === option.value && text?.text === option.text?.text);
}

// Whether using it is told to the app at once, and not only kept for a later click.
export function tellsAtOnce({ block }) {
  return block.type !== "input" || block.dispatch_action === true;
}

// Fills it in, or picks it if that is told at once; false if the person thought better of it.
export async function give(place, value) {
  const { context, element } = place;
  const atOnce = tellsAtOnce(place);
  if (atOnce && element.confirm && !(await context.openConfirm(element.confirm))) return false;
  await context.act(atOnce ? "pick" : "fill", { ...fieldsOf(place), value });
  return true;
}

export function isBusy(id, context) {
  return pressed.has(id) || Boolean(context.busy?.has(id));
}

// Does the work once, however often it is pressed; the button is busy until it is done.
export async function press(id, work) {
  if (pressed.has(id)) return;
  mark(id, true);
  try {
    await work();
  } finally {
    mark(id, false);
  }
}

function mark(id, busy) {
  if (busy) pressed.add(id);
  else pressed.delete(id);
  for (const node of document.querySelectorAll("[data-focus]")) {
    if (node.dataset.focus === id) showBusy(node, busy);
  }
}

// Not the attribute `disabled`: that would take the focus away.
export function showBusy(node, busy) {
  node.classList.toggle("busy", busy);
  for (const name of ["aria-disabled", "aria-busy"]) {
    if (busy) node.setAttribute(name, "true");
    else node.removeAttribute(name);
  }
}

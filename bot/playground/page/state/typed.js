// Holds what is filled into forms until the local Slack says the same: no update and no lost connection loses it.

const SEND_AFTER = 180;
const TYPED = new Set(["plain_text_input", "email_text_input", "url_text_input", "number_input"]);
const ONE = new Set(["radio_buttons", "static_select", "external_select", "overflow"]);
const SEVERAL = new Set(["checkboxes", "multi_static_select", "multi_external_select"]);
const OTHERS = {
  users_select: "selected_user",
  conversations_select: "selected_conversation",
  channels_select: "selected_channel",
  multi_users_select: "selected_users",
  multi_conversations_select: "selected_conversations",
  multi_channels_select: "selected_channels",
  datepicker: "selected_date",
  timepicker: "selected_time",
  datetimepicker: "selected_date_time",
};

export class Typed {
  constructor(send, blocksOf) {
    this._send = send; // (fields) -> Promise of {error, lost}: tells the local Slack
    this._blocksOf = blocksOf; // (surface) -> the blocks that stand there now
    this._held = new Map(); // surface -> block/action -> entry
    this._begun = new Map(); // surface -> {surface, keys}: texts that no button was pressed for yet
  }

  // It is shown from now on, and sent: what is typed, with the next pause in the typing.
  fill(surface, fields) {
    const entry = this._hold(surface, fields);
    this._begin(entry);
    if (typeof fields.value !== "string" || !entry.held) return this._tell(entry);
    entry.timer = setTimeout(() => this._tell(entry), SEND_AFTER);
    return null;
  }

  // It is shown while somebody else tells the app; give back whether that was done. If not, a field keeps it.
  pick(surface, fields) {
    const entry = this._hold(surface, fields, true);
    return (isDone) => {
      entry.arrived = isDone;
      entry.isPicked = isDone || !entry.isField;
      if (!isDone && !entry.isField) this._here(surface).delete(entry.key);
    };
  }

  // The newest there is: what the mirror says, and over it what it has not echoed yet.
  merged(surface, form = {}) {
    const all = { ...form };
    const here = this._here(surface);
    for (const [key, { block_id, action_id, held, arrived }] of here) {
      if (arrived && sameHeld(form[block_id]?.[action_id], held)) here.delete(key);
      else all[block_id] = { ...all[block_id], [action_id]: held };
    }
    return all;
  }

  // Sends at once what has not arrived; resolves to those fields that were not taken.
  async flush(surface) {
    const due = [...this._here(surface).values()].filter((entry) => this._isDue(entry));
    await Promise.all(due.map((entry) => this._tell(entry)));
    return due.filter(({ arrived }) => !arrived);
  }

  // A button is pressed: what was typed is on its way.
  handOver(surface) {
    this._begun.delete(JSON.stringify(surface));
  }

  // The surfaces where a field has gone with a text in it that no button was pressed for, once each.
  takeLost() {
    const lost = [...this._begun.values()].filter(({ surface, keys }) => {
      const now = this._blocksOf(surface);
      return [...keys.values()].some(({ block_id, action_id }) => !placeIn(now, block_id, action_id));
    });
    for (const { surface } of lost) this.handOver(surface);
    return lost.map(({ surface }) => surface);
  }

  isThere({ surface, block_id, action_id }) {
    return Boolean(placeIn(this._blocksOf(surface), block_id, action_id));
  }

  // The page goes away: there is no time left to wait for a pause in the typing.
  flushAll() {
    for (const here of this._held.values()) for (const entry of here.values()) if (this._isDue(entry)) this._tell(entry);
  }

  // The connection is back: what was filled in without one is sent now.
  resend() {
    const all = [...this._held.values()].flatMap((here) => [...here.values()]);
    for (const entry of all) if (entry.lost && this._isDue(entry)) this._tell(entry);
  }

  _here(surface) {
    const at = JSON.stringify(surface);
    if (!this._held.has(at)) this._held.set(at, new Map());
    return this._held.get(at);
  }

  _begin({ surface, key, block_id, action_id, value, held }) {
    if (!held || !TYPED.has(held.type)) return;
    const at = JSON.stringify(surface);
    if (!this._begun.has(at)) this._begun.set(at, { surface, keys: new Map() });
    if (value.trim()) this._begun.get(at).keys.set(key, { block_id, action_id });
    else this._begun.get(at).keys.delete(key);
  }

  _hold(surface, { block_id, action_id, value }, isPicked = false) {
    const [here, key] = [this._here(surface), `${block_id}/${action_id}`];
    const { block, element } = placeIn(this._blocksOf(surface), block_id, action_id) || {};
    const held = element && heldBy(element, value);
    const entry = { surface, key, block_id, action_id, value, held, isPicked, isField: block?.type === "input" };
    clearTimeout(here.get(key)?.timer);
    if (held && element.type !== "overflow") here.set(key, entry);
    return entry;
  }

  // Not for what was picked, which is no field, nor for a field that is gone.
  _isDue(entry) {
    return !entry.arrived && !entry.isPicked && this.isThere(entry);
  }

  // Once at a time; sets `arrived`, or `error`, and `lost` if nobody was there to take or refuse it.
  _tell(entry) {
    const { surface, block_id, action_id, value } = entry;
    clearTimeout(entry.timer);
    entry.telling ??= this._send({ surface, block_id, action_id, value }).then(({ error, lost = false }) => {
      Object.assign(entry, { telling: null, arrived: !error, error, lost });
    });
    return entry.telling;
  }
}

// {block, element} of these ids, those in containers too.
function placeIn(blocks, blockId, actionId) {
  for (const block of blocks || []) {
    const element = elementsOf(block).find((each) => each.action_id === actionId);
    if (element && block.block_id === blockId) return { block, element };
    const inside = placeIn(block.child_blocks, blockId, actionId);
    if (inside) return inside;
  }
  return null;
}

export function elementsOf(block) {
  const all = [block.element, block.accessory, ...(Array.isArray(block.elements) ? block.elements : [])];
  return all.filter((element) => element && element.action_id);
}

// What Slack's state.values holds of an element after this text was typed or these positions were picked.
function heldBy(element, value) {
  const { type, options = [] } = element;
  if (TYPED.has(type)) return { type, value: value === "" ? null : value };
  if (ONE.has(type)) return { type, selected_option: options[value] || null };
  if (SEVERAL.has(type)) {
    const picked = Array.isArray(value) ? value : [value];
    return { type, selected_options: options.filter((option, position) => picked.includes(position)) };
  }
  return OTHERS[type] ? { type, [OTHERS[type]]: value } : null;
}

function sameHeld(one, other) {
  return JSON.stringify(plain(one)) === JSON.stringify(plain(other));
}

function plain(held) {
  const values = Object.entries(held || {}).filter(([name, value]) => name !== "type" && isFull(value));
  return values.sort(([one], [other]) => (one < other ? -1 : 1));
}

function isFull(value) {
  return value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && !value.length);
}

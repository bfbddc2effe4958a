// Keeps a table of what this person may see in step with the local Slack, and carries their acts to it.

const NEVER_SENT = "The playground cannot be reached. Nothing was sent.";
const LOST = "The connection was lost before an answer came.";
const SOONEST = 400;
const LATEST = 5000;

export class Mirror {
  constructor(as) {
    this.as = as;
    this.open = false;
    this.ready = false;
    this.refused = 0;
    this._table = new Map();
    this._groups = new Map();
    this._versions = new Map();
    this._listeners = [];
    this._waiting = new Map();
    this._last = 0;
    this._pause = SOONEST;
    this._connect();
  }

  get(key) {
    return this._table.get(key);
  }

  // All values whose keys differ only in the last part: group("user"), group("message/C0GENERAL").
  group(name) {
    return [...(this._groups.get(name)?.values() || [])];
  }

  // The names of groups that begin so: groupNames("status/") may be ["status/C0GENERAL"].
  groupNames(start) {
    return [...this._groups.keys()].filter((name) => name.startsWith(start));
  }

  // A number that is another one whenever the value of this key has changed.
  version(key) {
    return this._versions.get(key) || 0;
  }

  // fn(keys, first) after every change, and fn([], false) when the connection comes or goes.
  listen(fn) {
    this._listeners.push(fn);
  }

  // Whatever is drawn of this key is drawn anew.
  touch(key) {
    this._versions.set(key, this.version(key) + 1);
    this._tell([key], false);
  }

  // Always resolves to {error, errors, result}; an empty error means that it was done. It is `lost` if nobody said so.
  act(name, fields = {}) {
    if (!this.open) return Promise.resolve(lost(NEVER_SENT));
    const id = ++this._last;
    const done = new Promise((resolve) => this._waiting.set(id, resolve));
    this._socket.send(JSON.stringify({ ...fields, id, do: name }));
    return done;
  }

  retryNow() {
    clearTimeout(this._timer);
    if (!this.open) this._connect();
  }

  _connect() {
    this._socket?.close(); // one that has not come about yet must not do so later
    const url = new URL(`/page/socket?as=${encodeURIComponent(this.as)}`, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url);
    this._socket = socket;
    socket.addEventListener("open", () => this._opened(socket));
    socket.addEventListener("message", (event) => this._heard(socket, JSON.parse(event.data)));
    socket.addEventListener("close", () => this._closed(socket));
  }

  _opened(socket) {
    if (socket !== this._socket) return;
    this.open = true;
    this.refused = 0;
    this._pause = SOONEST;
    this._tell([], false);
  }

  _closed(socket) {
    if (socket !== this._socket) return;
    if (!this.open) this.refused += 1;
    this.open = false;
    for (const resolve of this._waiting.values()) resolve(lost(LOST));
    this._waiting.clear();
    this._timer = setTimeout(() => this._connect(), this._pause);
    this._pause = Math.min(this._pause * 1.6, LATEST);
    this._tell([], false);
  }

  _heard(socket, frame) {
    if (socket !== this._socket) return;
    if (frame.type === "done") {
      this._waiting.get(frame.id)?.({ error: frame.error || "", errors: frame.errors || {}, result: frame.result });
      this._waiting.delete(frame.id);
    }
    if (frame.type === "changes") this._change(frame);
  }

  _change({ set = {}, gone = [], first = false }) {
    const removed = first ? [...this._table.keys()].filter((key) => !(key in set)) : gone;
    const changed = [...removed];
    for (const key of removed) this._remove(key);
    for (const [key, value] of Object.entries(set)) {
      if (first && JSON.stringify(this._table.get(key)) === JSON.stringify(value)) continue;
      this._put(key, value);
      changed.push(key);
    }
    this.ready = true;
    this._tell(changed, first);
  }

  _put(key, value) {
    this._table.set(key, value);
    const group = groupOf(key);
    if (!this._groups.has(group)) this._groups.set(group, new Map());
    this._groups.get(group).set(key, value);
    this._versions.set(key, this.version(key) + 1);
  }

  _remove(key) {
    this._table.delete(key);
    this._groups.get(groupOf(key))?.delete(key);
    this._versions.set(key, this.version(key) + 1);
  }

  _tell(keys, first) {
    for (const fn of this._listeners) fn(keys, first);
  }
}

function lost(error) {
  return { error, lost: true, errors: {}, result: null };
}

function groupOf(key) {
  return key.slice(0, Math.max(0, key.lastIndexOf("/")));
}

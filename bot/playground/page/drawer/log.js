// The live list of calls, events and interactions, with a filter and the details of the chosen one.

import { el, icon, keyed } from "../dom.js";
import { timeOf } from "../names.js";
import { actAndTell } from "../shell/context.js";
import { copy, toast } from "../shell/toast.js";

const KINDS = [
  ["", "All"],
  ["call", "Calls"],
  ["event", "Events"],
  ["interaction", "Interactions"],
];
const STATES = { true: ["ok", "check"], false: ["error", "warn"], null: ["not acknowledged", "clock"] };
const SECONDS = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

export class LogTab {
  constructor(page) {
    this.title = "Log";
    this._page = page;
    this._kind = "";
    this._text = "";
    this._chosen = null;
    this._kinds = el(
      "div",
      { class: "segments", role: "group", "aria-label": "Kind" },
      KINDS.map(([kind, text]) => this._kindButton(kind, text)),
    );
    const search = el("input", {
      class: "field",
      type: "search",
      placeholder: "Filter by name or content",
      "aria-label": "Filter the log",
    });
    search.addEventListener("input", () => {
      this._text = search.value.trim().toLowerCase();
      this.draw();
    });
    this._list = el("ol", { class: "log-list", "aria-label": "Log, newest first" });
    this._none = el("p", {
      class: "log-none quiet",
      text: "Nothing yet. What the app and Slack say to each other appears here.",
    });
    this._detail = el("div", { class: "log-detail", "aria-label": "Details", role: "region", tabindex: "0" });
    this.node = el(
      "div",
      { class: "log" },
      el("div", { class: "log-bar" }, this._kinds, search),
      el("div", { class: "log-both" }, el("div", { class: "log-side" }, this._none, this._list), this._detail),
    );
  }

  draw() {
    const all = this._page.mirror
      .group("log")
      .filter((entry) => this._fits(entry))
      .sort((one, other) => other.number - one.number);
    this._none.hidden = all.length > 0;
    keyed(
      this._list,
      all,
      (entry) => entry.number,
      (entry) => this._row(entry),
      (entry) => [this._page.mirror.version(`log/${entry.number}`), entry.number === this._chosen],
    );
    for (const button of this._kinds.children)
      button.setAttribute("aria-pressed", String(button.dataset.kind === this._kind));
    this._drawDetail();
  }

  _fits({ kind, name, note, json }) {
    if (this._kind && kind !== this._kind) return false;
    return !this._text || `${name} ${note || ""} ${JSON.stringify(json)}`.toLowerCase().includes(this._text);
  }

  _kindButton(kind, text) {
    const choose = () => {
      this._kind = kind;
      this.draw();
    };
    return el("button", { class: "segment", type: "button", text, data: { kind }, on: { click: choose } });
  }

  _row(entry) {
    const [word, sign] = STATES[String(entry.ok)] || STATES.null;
    const choose = () => {
      this._chosen = this._chosen === entry.number ? null : entry.number;
      this.draw();
    };
    return el(
      "li",
      {},
      el(
        "button",
        {
          class: `log-row ${word === "not acknowledged" ? "open" : word}`,
          type: "button",
          "aria-expanded": String(entry.number === this._chosen),
          data: { focus: `log/${entry.number}` },
          on: { click: choose },
        },
        el("span", { class: "log-time", text: SECONDS.format(new Date(entry.at * 1000)), title: timeOf(entry.at) }),
        el("span", { class: `kind ${entry.kind}`, text: entry.kind }),
        el("span", { class: "log-name", text: entry.name }),
        el("span", { class: "log-note", text: entry.note || (entry.ok === true ? "" : word) }),
        el("span", { class: "log-state", title: word }, icon(sign), el("span", { class: "hush", text: word })),
      ),
    );
  }

  _drawDetail() {
    const entry = this._page.mirror.get(`log/${this._chosen}`);
    const drawn = entry ? `${entry.number}/${this._page.mirror.version(`log/${entry.number}`)}` : "";
    if (drawn === this._drawn) return;
    this._drawn = drawn;
    this.node.classList.toggle("with-detail", Boolean(entry));
    this._detail.replaceChildren(
      ...(entry ? this._about(entry) : [el("p", { class: "quiet log-none", text: "Choose a line to see its details." })]),
    );
  }

  _about(entry) {
    const text = JSON.stringify(entry.json, null, 2);
    const again = async () => {
      if (await actAndTell(this._page, "redeliver", { number: entry.number })) toast("Delivered once more.", "done");
    };
    const back = () => {
      this._chosen = null;
      this.draw();
    };
    const head = el(
      "div",
      { class: "log-head" },
      el(
        "button",
        { class: "icon-button narrow-only", type: "button", "aria-label": "Back to the list", on: { click: back } },
        icon("back"),
      ),
      el("strong", { text: entry.name }),
      el("span", { class: "grow" }),
      entry.kind === "event"
        ? el("button", { class: "button small", type: "button", on: { click: again } }, icon("repeat"), "Redeliver")
        : null,
      el(
        "button",
        { class: "button small", type: "button", on: { click: () => copy(text, "JSON copied") } },
        icon("copy"),
        "Copy",
      ),
    );
    return [head, drawJson(entry.json)];
  }
}

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

// Pretty JSON with its names and values told apart by colour.
export function drawJson(value) {
  const text = JSON.stringify(value, null, 2) ?? "";
  const pre = el("pre", { class: "json" });
  let from = 0;
  for (const found of text.matchAll(TOKEN)) {
    pre.append(text.slice(from, found.index));
    const kind = found[2] ? "name" : found[1] ? "text" : "value";
    pre.append(el("span", { class: `json-${kind}`, text: found[1] || found[0] }), found[2] || "");
    from = found.index + found[0].length;
  }
  pre.append(text.slice(from));
  return pre;
}

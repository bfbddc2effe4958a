// Ways to disturb the app: cut connections, failing and slow calls, rate limits, and time that passes at once.

import { el, icon } from "../dom.js";
import { troubleWords } from "../shell/bars.js";
import { actAndTell } from "../shell/context.js";
import { toast } from "../shell/toast.js";
import { row } from "./row.js";

const HOWS = [
  ["error", "Answers with an error"],
  ["500", "Answers with HTTP 500"],
  ["429", "Answers with 429, too many requests"],
  ["cut", "Cuts the connection"],
  ["after", "Does it, then cuts the connection"],
];
const COMMON = ["chat.postMessage", "chat.update", "chat.startStream", "chat.appendStream", "chat.stopStream"];

export class ToolboxTab {
  constructor(page) {
    this.title = "Toolbox";
    this._page = page;
    this._methods = el("datalist", { id: "methods" });
    this._rates = el("input", { type: "checkbox", id: "rates", role: "switch" });
    this._rates.addEventListener("change", () => this._do("limit", { on: this._rates.checked }));
    this._now = el("p", { class: "tool-now" });
    const heal = this._button("Heal everything", "check", () => this._do("heal", {}, "Everything is well again."));
    this.node = el(
      "div",
      { class: "toolbox" },
      this._methods,
      el("div", { class: "tool-state" }, this._now, heal),
      tool("The connection", "The app's sockets to Slack.", [
        this._button("Drop the sockets", "plug", () => this._do("drop", {}, "The connection was cut.")),
        this._button("Ask to reconnect", "repeat", () =>
          this._do("disconnect", {}, "The app was asked to reconnect."),
        ),
      ]),
      tool("Time passes", "At once, so that reminders come due.", [
        this._button("1 hour", "clock", () => this._do("pass", { seconds: 3600 }, "An hour has passed.")),
        this._button("1 day", "clock", () => this._do("pass", { seconds: 86400 }, "A day has passed.")),
      ]),
      this._failing(),
      this._slowing(),
      tool("Rate limits", "As strict as Slack's own, for every method.", [
        el("label", { class: "switch", for: "rates" }, this._rates, "Limit rates"),
      ]),
    );
  }

  draw() {
    const trouble = this._page.mirror.get("trouble") || {};
    if (!this._asked && this._page.mirror.open) this._askMethods();
    this._rates.checked = Boolean(trouble.rates);
    const hours = Math.round((trouble.ahead || 0) / 360) / 10;
    const ahead = hours ? `The clock is ${hours} hours ahead.` : "";
    const words = [troubleWords(trouble) || "Nothing is planned to go wrong.", ahead].filter(Boolean).join(" ");
    if (this._now.textContent !== words) this._now.textContent = words;
  }

  _failing() {
    const method = this._methodField("fail-method");
    const how = el(
      "select",
      { class: "field", id: "fail-how" },
      HOWS.map(([value, text]) => el("option", { value, text })),
    );
    const error = el("input", {
      class: "field",
      id: "fail-error",
      type: "text",
      placeholder: "internal_error",
      maxlength: "80",
    });
    const times = timesField("fail-times");
    const errorRow = row("Error", error);
    how.addEventListener("change", () => (errorRow.hidden = how.value !== "error"));
    const plan = () => {
      const named = how.value === "error" ? { error: error.value.trim() || "internal_error" } : {};
      return this._do(
        "fail",
        { method: method.value.trim(), how: how.value, times: Number(times.value) || 1, ...named },
        "Planned.",
      );
    };
    return tool(
      "Let a call fail",
      "The next calls of this method go wrong.",
      [row("Method", method), row("What happens", how), errorRow, row("Times", times), this._button("Plan it", "bolt", plan)],
      "wide",
    );
  }

  _slowing() {
    const method = this._methodField("slow-method");
    const seconds = el("input", {
      class: "field",
      id: "slow-seconds",
      type: "number",
      min: "0.1",
      max: "120",
      step: "any",
      value: "5",
    });
    const times = timesField("slow-times");
    const plan = () =>
      this._do(
        "slow",
        { method: method.value.trim(), seconds: Number(seconds.value) || 1, times: Number(times.value) || 1 },
        "Planned.",
      );
    return tool(
      "Let a call be slow",
      "The next calls of this method wait first.",
      [row("Method", method), row("Seconds", seconds), row("Times", times), this._button("Plan it", "clock", plan)],
      "wide",
    );
  }

  _methodField(id) {
    return el("input", {
      class: "field",
      id,
      type: "text",
      list: "methods",
      value: COMMON[0],
      autocomplete: "off",
      spellcheck: "false",
    });
  }

  async _askMethods() {
    this._asked = true;
    const done = await this._page.mirror.act("methods");
    const names = done.result?.methods || COMMON;
    this._methods.replaceChildren(...["*", ...names].map((value) => el("option", { value })));
  }

  async _do(name, fields, said = "") {
    const done = await actAndTell(this._page, name, fields);
    if (done && said) toast(said, "done");
  }

  _button(text, sign, click) {
    return el("button", { class: "button small", type: "button", on: { click } }, icon(sign), text);
  }
}

function tool(title, text, inside, className = "") {
  return el(
    "fieldset",
    { class: `tool ${className}` },
    el("legend", { text: title }),
    el("p", { class: "quiet", text }),
    el("div", { class: "tool-inside" }, inside),
  );
}

function timesField(id) {
  return el("input", { class: "field", id, type: "number", min: "1", max: "99", value: "1" });
}

// Bars above the conversation: the connection is lost, the app is not there, something is planned to go wrong.

import { el, icon, keyed } from "../dom.js";
import { actAndTell } from "./context.js";

const FAULTS = { cut: "connection cut", after: "done, then connection cut" };

export class Bars {
  constructor(page) {
    this._page = page;
    this.node = el("div", { class: "bars", role: "status" });
  }

  draw() {
    const draw = ({ kind, sign, text, button, click }) =>
      el(
        "div",
        { class: `bar ${kind}` },
        sign === "spinner" ? el("span", { class: "spinner" }) : icon(sign),
        el("span", { text }),
        button ? el("button", { class: "button small", type: "button", text: button, on: { click } }) : null,
      );
    keyed(
      this.node,
      this._all(),
      (bar) => bar.key,
      draw,
      ({ text, button }) => [text, button],
    );
  }

  _all() {
    const { mirror } = this._page;
    if (!mirror.open) return mirror.ready ? [this._lost()] : [];
    const away = mirror.ready && !this._page.app().connected;
    const trouble = troubleWords(mirror.get("trouble"));
    return [away ? this._away() : null, trouble ? this._trouble(trouble) : null].filter(Boolean);
  }

  _lost() {
    return {
      key: "lost",
      kind: "calm",
      sign: "spinner",
      text: "Reconnecting…",
      button: "Try now",
      click: () => this._page.mirror.retryNow(),
    };
  }

  _away() {
    const text = `${this._page.appName()} is not connected. What you write now reaches it when it is back.`;
    return { key: "away", kind: "warn", sign: "plug", text };
  }

  _trouble(words) {
    return {
      key: "trouble",
      kind: "trouble",
      sign: "bolt",
      text: words,
      button: "Heal everything",
      click: () => actAndTell(this._page, "heal"),
    };
  }
}

// What is planned to go wrong, in a line; nothing if nothing is.
export function troubleWords(trouble) {
  if (!trouble) return "";
  const faults = (trouble.faults || []).map(
    ({ method, what, times }) => `${method}: ${FAULTS[what] || what}${times > 1 ? ` (${times} times)` : ""}`,
  );
  if (trouble.rates) faults.push("rate limits on");
  return faults.length ? `Planned trouble: ${faults.join(" · ")}.` : "";
}

// "A form as Slack would send it": takes the payload of a button, lets it be changed by hand, and delivers it.

import { el, icon } from "../dom.js";
import { timeOf } from "../names.js";
import { toast } from "../shell/toast.js";
import { elementsOf } from "../state/typed.js";
import { drawJson } from "./log.js";
import { row } from "./row.js";

export class ForgeTab {
  constructor(page) {
    this.title = "Form by hand";
    this._page = page;
    this._forms = el("select", { class: "field", id: "forge-form", on: { change: () => this._drawButtons() } });
    this._buttons = el("select", { class: "field", id: "forge-button" });
    this._payload = el("textarea", {
      class: "field forge-payload",
      id: "forge-payload",
      spellcheck: "false",
      placeholder: "Compose a payload first, then change whatever you like: another person, another value…",
    });
    this._problem = el("p", { class: "forge-problem", role: "alert", hidden: true });
    this._answer = el(
      "div",
      { class: "forge-answer" },
      el("p", { class: "quiet", text: "What comes back is shown here." }),
    );
    this._compose = el(
      "button",
      { class: "button small", type: "button", on: { click: () => this._composeIt() } },
      icon("edit"),
      "Compose",
    );
    const send = el(
      "button",
      { class: "button small primary", type: "button", on: { click: () => this._sendIt() } },
      icon("send"),
      "Send",
    );
    this._none = el("p", {
      class: "quiet",
      text: "No message with buttons is in sight yet. Ask Parley something that makes it ask back.",
    });
    this.node = el(
      "div",
      { class: "forge" },
      el(
        "div",
        { class: "forge-choose" },
        el("h3", { text: "A form as Slack would send it" }),
        this._none,
        row("Message", this._forms),
        row("Button", this._buttons),
        this._compose,
      ),
      el(
        "div",
        { class: "forge-write" },
        el("label", { class: "quiet", for: "forge-payload", text: "Payload (block_actions)" }),
        this._payload,
        this._problem,
        el("div", { class: "forge-send" }, send),
      ),
      el("div", { class: "forge-back", role: "region", "aria-label": "What came back", tabindex: "0" }, this._answer),
    );
    this._payload.addEventListener("input", () => this._check());
  }

  draw() {
    const found = this._messages();
    const drawn = JSON.stringify(found.map(({ key, title }) => [key, title]));
    this._found = found;
    this._none.hidden = found.length > 0;
    this._compose.disabled = !found.length;
    if (drawn === this._drawn) return;
    this._drawn = drawn;
    const chosen = this._forms.value;
    this._forms.replaceChildren(...found.map(({ key, title }) => el("option", { value: key, text: title })));
    if (found.some(({ key }) => key === chosen)) this._forms.value = chosen;
    this._drawButtons();
  }

  _messages() {
    const { mirror } = this._page;
    const kinds = [
      ["message", "channel"],
      ["private", "private"],
    ];
    const all = kinds.flatMap(([kind, as]) =>
      mirror.groupNames(`${kind}/`).flatMap((group) => mirror.group(group).map((message) => this._entry(message, as))),
    );
    const views = ["home", "modal"].map((name) => [name, mirror.get(name)]).filter(([, view]) => view);
    const seen = views.map(([name, view]) => ({
      key: view.id,
      title: name === "home" ? "Home" : "The open modal",
      surface: { view: view.id },
      buttons: buttonsOf(view.blocks),
    }));
    return [...all.sort((one, other) => (one.ts < other.ts ? 1 : -1)), ...seen].filter(({ buttons }) => buttons.length);
  }

  _entry(message, as) {
    const channel = this._page.mirror.get(`channel/${message.channel}`);
    const place = channel?.name ? `#${channel.name}` : "direct";
    const words = (message.text || "form").replace(/\s+/g, " ").slice(0, 60);
    const surface = { [as]: message.channel, ts: message.ts };
    return {
      key: `${as}/${message.channel}/${message.ts}`,
      ts: message.ts,
      title: `${timeOf(message.ts)} ${place} · ${words}`,
      surface,
      buttons: buttonsOf(message.blocks),
    };
  }

  _drawButtons() {
    const entry = this._chosen();
    this._buttons.replaceChildren(
      ...(entry?.buttons || []).map(({ words }, position) => el("option", { value: String(position), text: words })),
    );
  }

  _chosen() {
    return (this._found || []).find(({ key }) => key === this._forms.value);
  }

  async _composeIt() {
    const entry = this._chosen();
    const button = entry?.buttons[Number(this._buttons.value)];
    if (!button) return;
    const { block_id, action_id } = button;
    await this._page.typed.flush(entry.surface);
    const done = await this._page.mirror.act("compose", { surface: entry.surface, block_id, action_id });
    if (done.error) return toast(done.error, "error");
    this._payload.value = JSON.stringify(done.result.payload, null, 2);
    this._check();
    this._payload.focus();
    this._payload.setSelectionRange(0, 0);
    this._payload.scrollTop = 0;
  }

  async _sendIt() {
    const payload = this._check();
    if (!payload) return;
    const done = await this._page.mirror.act("send", { payload });
    const title = done.error ? done.error : "Acknowledged. The answer:";
    const sign = el(
      "p",
      { class: done.error ? "forge-bad" : "forge-good" },
      icon(done.error ? "warn" : "check"),
      title,
    );
    this._answer.replaceChildren(sign, done.error ? "" : drawJson(done.result?.answer ?? done.result));
  }

  _check() {
    try {
      const payload = JSON.parse(this._payload.value);
      this._problem.hidden = true;
      return payload;
    } catch (problem) {
      this._problem.textContent = this._payload.value.trim()
        ? `Not JSON yet: ${problem.message}`
        : "Compose a payload first.";
      this._problem.hidden = false;
      return null;
    }
  }
}

function buttonsOf(blocks) {
  return (blocks || []).flatMap((block) => [
    ...elementsOf(block)
      .filter(({ type }) => type === "button")
      .map((element) => ({
        block_id: block.block_id,
        action_id: element.action_id,
        words: element.text?.text || element.action_id,
      })),
    ...buttonsOf(block.child_blocks),
  ]);
}

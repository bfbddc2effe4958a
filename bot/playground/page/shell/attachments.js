// The files that go with the next message: chosen, pasted or dropped, each shown with a way to remove it.

import { el, icon } from "../dom.js";
import { toast } from "./toast.js";

export class Attachments {
  // `most()` is how many bytes all of them may have.
  constructor(changed, most) {
    this._changed = changed;
    this._most = most;
    this.files = []; // {name, base64, type, size}
    this.node = el("ul", { class: "attachments", "aria-label": "Attached files", hidden: true });
    this._input = el("input", { type: "file", multiple: true, hidden: true, on: { change: () => this._chosen() } });
    this.button = el(
      "button",
      {
        class: "icon-button",
        type: "button",
        "aria-label": "Attach files",
        title: "Attach files",
        on: { click: () => this._input.click() },
      },
      icon("attach"),
    );
  }

  // Lets files be pasted and dropped onto this element.
  takeFrom(element) {
    element.append(this._input);
    element.addEventListener("paste", (event) => this._offered(event, event.clipboardData?.files));
    element.addEventListener("dragover", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      element.classList.add("dropping");
    });
    element.addEventListener(
      "dragleave",
      (event) => element.contains(event.relatedTarget) || element.classList.remove("dropping"),
    );
    element.addEventListener("drop", (event) => {
      element.classList.remove("dropping");
      this._offered(event, event.dataTransfer?.files);
    });
  }

  set(files) {
    this.files = files;
    this._draw();
  }

  _offered(event, files) {
    if (!files?.length) return;
    event.preventDefault();
    this._add([...files]);
  }

  _chosen() {
    this._add([...this._input.files]);
    this._input.value = "";
  }

  async _add(chosen) {
    for (const file of chosen) {
      const held = this.files.reduce((sum, { size }) => sum + size, 0);
      if (held + file.size > this._most()) {
        toast(`${file.name} is too large: the files of a message can have ${this._most() / 2 ** 20} MB together.`, "error");
        continue;
      }
      this.files.push({
        name: file.name || "pasted.png",
        base64: await base64Of(file),
        type: file.type,
        size: file.size,
      });
    }
    this._draw();
    this._changed();
  }

  _draw() {
    this.node.hidden = !this.files.length;
    this.node.replaceChildren(...this.files.map((file) => this._chip(file)));
  }

  _chip(file) {
    const remove = () => {
      this.files.splice(this.files.indexOf(file), 1);
      this._draw();
      this._changed();
    };
    const isPicture = /^image\/(png|jpe?g|gif|webp)$/.test(file.type);
    const sign = isPicture ? el("img", { src: `data:${file.type};base64,${file.base64}`, alt: "" }) : icon("file");
    const button = el(
      "button",
      { class: "icon-button", type: "button", "aria-label": `Remove ${file.name}`, on: { click: remove } },
      icon("close"),
    );
    return el("li", { class: "chip" }, sign, el("span", { text: file.name }), button);
  }
}

function base64Of(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });
}

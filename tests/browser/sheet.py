"""A sheet in a real browser on which the page's own modules draw what a test gives them, without a workspace."""

from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Locator, Page

Json = dict[str, Any]

BEGIN = """async () => {
  const [{ drawBlocks, drawText }, { drawMarkdown }] =
    await Promise.all([import("/page/blocks/blocks.js"), import("/page/text/markdown.js")]);
  const users = { U1: { id: "U1", name: "ann", real_name: "Ann Archer" } };
  const channels = { C1: { id: "C1", name: "release", kind: "channel" } };
  const paper = document.createElement("main");
  Object.assign(paper.style, { height: "100vh", overflow: "auto" });
  document.getElementById("app").replaceWith(paper);
  window.told = []; // what the drawn blocks asked the page to do
  const tell = (name) => (...given) => void told.push([name, ...given]);
  const around = (more) => ({
    me: "U1", users: (id) => users[id], channels: (id) => channels[id], form: {}, errors: {},
    surface: { channel: "C1", ts: "1.000001" },
    act: (name, fields) => { told.push([name, fields]); return new Promise((done) => (window.settle = done)); },
    openConfirm: async ({ title }) => { told.push(["confirm", title.text]); return window.sayYes === true; },
    openThread: tell("thread"), openChannel: tell("channel"), wayToPerson: (id) => () => tell("person")(id), ...more });
  window.draw = {
    mrkdwn: (text) => drawText(text, around()),
    markdown: (text) => drawMarkdown(text, around()),
    blocks: (blocks, more) => drawBlocks(blocks, around(more)) };
  window.put = (...nodes) => { told.length = 0; paper.replaceChildren(...nodes); };
}"""
# Only what the text means: its tags, where they lead, and the words. What merely isolates or groups words is left out.
OUTLINE = """([kind, text]) => {
  const kept = ["href", "start", "colspan"];
  const words = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const outline = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return words(node.data);
    if (node.matches("button.copy, .language, svg")) return "";
    const inside = [...node.childNodes].map(outline).join("");
    if (node.matches("bdi, div, span")) return inside;
    const given = kept.filter((name) => node.hasAttribute(name)).map((name) => ` ${name}="${node.getAttribute(name)}"`);
    return ["br", "hr"].includes(node.localName)
      ? `<${node.localName}>` : `<${node.localName}${given.join("")}>${inside}</${node.localName}>`;
  };
  return outline(draw[kind](text));
}"""
DEPTH = """([kind, text]) => {
  let deepest = 0;
  const look = (node, depth) => {
    deepest = Math.max(deepest, depth);
    for (const child of node.children) look(child, depth + 1);
  };
  look(draw[kind](text), 0);
  return deepest;
}"""
# Whatever must not come of a text, wherever it stands.
FOREIGN = """() => {
  const never = ["script", "iframe", "object", "embed", "style", "link", "base", "meta", "form"];
  const leads = /^(href|xlink:href|src|action|formaction|srcdoc)$/;
  const schemes = (node) => (node.localName === "img" ? ["https:", "data:"] : ["http:", "https:", "mailto:"]);
  const found = window.pwned === undefined ? [] : ["pwned"];
  for (const node of document.querySelectorAll("main *")) {
    if (never.includes(node.localName)) found.push(node.localName);
    for (const { name, value } of node.attributes) {
      if (/^on/i.test(name)) found.push(name);
      if (leads.test(name) && !schemes(node).includes(new URL(value, location.href).protocol)) found.push(value);
    }
    if (node.localName === "a" && (node.rel !== "noopener noreferrer" || node.title !== node.href))
      found.push(node.outerHTML);
    if (node.matches("input, textarea, select") && !(node.labels.length || node.getAttribute("aria-label")))
      found.push(`nameless: ${node.outerHTML}`);
  }
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  return new Set(ids).size === ids.length ? found : [...found, "ids are not unique"];
}"""


class Sheet:
    """What is drawn replaces what was; what it asked the page to do is told."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.paper = page.get_by_role("main")

    @property
    def address(self) -> str:
        """Where the playground is."""
        return str(urlsplit(self._page.url)._replace(path="", query="", fragment="").geturl())

    async def begin(self) -> None:
        await self._page.evaluate(BEGIN)

    async def outline(self, kind: str, text: str) -> str:
        """A text as HTML, reduced to what it means."""
        return str(await self._page.evaluate(OUTLINE, [kind, text]))

    async def draw(self, *blocks: Json, **around: Any) -> Locator:
        given = [{"block_id": f"b{number}"} | block for number, block in enumerate(blocks)]
        await self._page.evaluate("([blocks, around]) => put(draw.blocks(blocks, around))", [given, around])
        return self.paper

    async def write(self, kind: str, *texts: str) -> None:
        await self._page.evaluate("([kind, texts]) => put(...texts.map(draw[kind]))", [kind, list(texts)])

    async def depth(self, kind: str, text: str) -> int:
        """How many elements stand within each other when this text is drawn."""
        return int(await self._page.evaluate(DEPTH, [kind, text]))

    async def told(self) -> list[Any]:
        """What was asked since the last look."""
        return list(await self._page.evaluate("told.splice(0)"))

    async def says_yes(self, yes: bool) -> None:
        """To whatever asks whether one is sure."""
        await self._page.evaluate("(yes) => { window.sayYes = yes; }", yes)

    async def settle(self) -> None:
        """The app has answered the last act."""
        await self._page.evaluate("settle({})")

    async def foreign(self) -> list[str]:
        """What there is that no text may bring in."""
        return list(await self._page.evaluate(FOREIGN))

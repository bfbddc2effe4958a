// Lets one walk through a list of messages with the arrow keys; what can be done with each is then a Tab away.

const STEPS = { ArrowUp: -1, ArrowDown: 1 };

export function walkable(scroller, list) {
  scroller.addEventListener("keydown", (event) => {
    const here = event.target;
    const isWalking = here === scroller || here.matches(".message");
    if (!isWalking || !STEPS[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
    const next = nextOf([...list.querySelectorAll(":scope > .message")], here, STEPS[event.key]);
    if (!next) return;
    event.preventDefault();
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  });
}

// From the list itself one comes to its newest message.
function nextOf(messages, here, step) {
  const at = messages.indexOf(here);
  return at < 0 ? messages.at(-1) : messages[at + step];
}

"""What the page's drawer can do: look at what goes to and fro, and let things go wrong or time pass."""

from collections.abc import Callable

from bot.playground import answers
from bot.playground.acts import Act, Done
from bot.playground.api import METHODS
from bot.playground.asking import Asked, CannotBeDone, sentence
from bot.playground.control import Control
from bot.playground.record import Call, Delivery, Record
from bot.playground.socket import ACK_SECONDS, NotDelivered
from bot.playground.workspace import Json

SHOWN = 400
LONGEST_PASS = 400 * 86_400
SENT = ("block_actions", "view_submission", "view_closed")


def log(record: Record, now: float) -> dict[str, Json]:
    """The newest of what went to and fro, as rows of the page's table."""
    entries: list[Call | Delivery] = [*record.calls[-SHOWN:], *record.deliveries[-SHOWN:]]
    newest = sorted(entries, key=lambda entry: entry.number)[-SHOWN:]
    return {f"log/{e.number}": _call(e) if isinstance(e, Call) else _delivery(e, now) for e in newest}


def _call(call: Call) -> Json:
    seen = {"request": call.args, "answer": call.answer, "status": call.status}
    return {"number": call.number, "at": call.at, "kind": "call", "name": call.method, "ok": call.ok} | {
        "note": call.error or "",
        "json": seen,
    }


def _delivery(delivery: Delivery, now: float) -> Json:
    late = not delivery.acked and now >= delivery.at + ACK_SECONDS
    notes = [f"attempt {delivery.attempt + 1}"] * bool(delivery.attempt) + ["not acknowledged in time"] * late
    return {
        "number": delivery.number,
        "at": delivery.at,
        "kind": "event" if delivery.kind == "events_api" else "interaction",
        "name": delivery.type,
        "ok": True if delivery.acked else False if late else None,
        "note": ", ".join(notes),
        "json": {"payload": delivery.payload, "answer": delivery.answer},
    }


def _doing(act: Callable[[Asked], None]) -> Act:
    """What is done at once, and can be seen then."""

    async def doing(asked: Asked) -> Done:
        act(asked)
        asked.core.changed()
        return Done()

    return doing


class Drawer:
    def __init__(self, control: Control) -> None:
        self._control = control
        self.acts: dict[str, Act] = {
            "redeliver": _doing(self.redeliver),
            "drop": _doing(lambda _asked: control.drop_sockets()),
            "disconnect": _doing(lambda _asked: control.disconnect()),
            "heal": _doing(self.heal),
            "fail": _doing(self.fail),
            "slow": _doing(self.slow),
            "limit": _doing(self.limit),
            "pass": _doing(self.let_time_pass),
            "compose": self.compose,
            "send": self.send,
            "methods": self.methods,
        }

    def redeliver(self, asked: Asked) -> None:
        number = asked.number("number", 0, 2**53)
        for delivery in self._control.deliveries:
            if delivery.number == number and delivery.kind == "events_api":
                self._control.redeliver(delivery)
                return
        raise CannotBeDone("Only an event that is still in the list can be delivered again.")

    def fail(self, asked: Asked) -> None:
        method, times = self._method(asked), self._times(asked)
        match asked.text("how"):
            case "error":
                self._control.fail(method, error=asked.text("error", "") or "internal_error", times=times)
            case "500":
                self._control.fail(method, status=500, times=times)
            case "429":
                self._control.fail(method, retry_after=3, times=times)
            case "cut":
                self._control.fail(method, drop=True, times=times)
            case "after":
                self._control.fail(method, drop=True, after=True, times=times)
            case _:
                raise CannotBeDone("A call can fail by error, 500, 429, cut or after.")

    def slow(self, asked: Asked) -> None:
        self._control.slow(self._method(asked), asked.number("seconds", 0, 600), self._times(asked))

    def heal(self, _asked: Asked) -> None:
        """Nothing goes wrong any more; only the time that was let pass has passed."""
        self._control.heal()
        self._control.limit_rates(on=False)

    def limit(self, asked: Asked) -> None:
        self._control.limit_rates(on=asked.flag("on"))

    def let_time_pass(self, asked: Asked) -> None:
        self._control.clock.advance(asked.number("seconds", 1, LONGEST_PASS))

    async def compose(self, asked: Asked) -> Done:
        """The payload of a click or a pick as it would be sent now, for whoever wants to send another."""
        surface = asked.surface()
        block, element = answers.element(surface, asked.text("block_id"), asked.text("action_id"))
        action = asked.person.action(surface, block, element)
        return Done(result={"payload": asked.person.composed(surface, action)})

    async def send(self, asked: Asked) -> Done:
        payload = asked.object("payload")
        if payload.get("type") not in SENT or "event" in payload:
            raise CannotBeDone(f"The payload's type must be one of {', '.join(SENT)}.")
        try:
            return Done(result={"answer": await asked.core.hub.interaction(payload)})
        except NotDelivered as error:
            raise CannotBeDone(sentence(str(error))) from None

    async def methods(self, _asked: Asked) -> Done:
        return Done(result={"methods": sorted(METHODS)})

    def _method(self, asked: Asked) -> str:
        method = asked.text("method")
        if method != "*" and method not in METHODS:
            raise CannotBeDone(f"There is no method called {method[:80]}.")
        return method

    def _times(self, asked: Asked) -> int:
        return int(asked.number("times", 1, 1_000, 1))

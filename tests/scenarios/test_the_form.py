"""An ask becomes one message: every question in its order, then the buttons; and it ends as a receipt."""

from typing import Any

from bot.playground import looking
from bot.playground.workspace import Message
from tests.support.scripted_model import call
from tests.support.slack_world import SlackWorld

RELEASE = [
    {"question": "Where to?", "header": "Target", "options": ["Staging", "Production"]},
    {"question": "Which checks?", "options": ["Unit", "Smoke", "Load"], "multiSelect": True},
    {"question": "Who must know?"},
    {"question": "Tag it?", "options": ["Yes", "No"], "allowCustom": False},
]


def inputs(form: Message) -> list[dict[str, Any]]:
    return [block for block in form.blocks if block["type"] == "input"]


async def test_an_ask_is_one_message_with_its_questions_in_order_and_then_the_buttons(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_ask(RELEASE)

    ts = world.person("ann").mentions(world.general, "release it")
    form = await world.form(ts)

    drawn = [block.get("element", block)["type"] for block in form.blocks]
    choice_and_field = ["section", "radio_buttons", "plain_text_input"]
    several = ["section", "checkboxes", "plain_text_input"]
    assert drawn == [*choice_and_field, *several, "section", "plain_text_input", "section", "radio_buttons", "actions"]
    texts = [block["text"]["text"] for block in form.blocks if block["type"] == "section"]
    asked = [question["question"] for question in RELEASE]
    assert all(question in text for question, text in zip(asked, texts, strict=True))
    labels = [[option["text"]["text"] for option in block["element"].get("options", ())] for block in inputs(form)]
    assert labels == [["Staging", "Production"], [], ["Unit", "Smoke", "Load"], [], [], ["Yes", "No"]]
    buttons = [(button["text"]["text"], button.get("style")) for button in looking.buttons(form.blocks)]
    assert buttons == [("Submit", "primary"), ("Skip", None), ("Cancel", "danger")]
    assert len(world.replies(ts)) == 1


async def test_every_input_has_a_label_and_the_message_reads_well_in_a_notification(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_ask(RELEASE)

    form = await world.form(world.person("ann").mentions(world.general, "release it"))

    assert all(block["label"]["text"] for block in inputs(form))
    assert form.text.startswith("4 questions for you:\n1. Where to?\nOptions: 1. Staging; 2. Production")


async def test_a_closed_form_is_a_receipt_with_each_answer_and_who_gave_it(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.model.will_ask(RELEASE[:2])
    world.model.will_say("Released.")

    ts = ann.mentions(world.general, "release it")
    form = await world.form(ts)
    ann.chooses(form, 1, "Production")
    ann.chooses(form, 2, "Smoke", "Unit")
    await ann.clicks(form, "Submit")
    await world.says("Released.", ts)

    receipt = next(message for message in world.replies(ts) if message.ts == form.ts)
    assert receipt.buttons == []
    assert [block for block in receipt.blocks if block["type"] == "input"] == []
    for words in ("Where to?", "Production", "Which checks?", "Unit, Smoke", "ann"):
        assert words in receipt.words
    assert "Production (answered by ann)" in receipt.text


async def test_two_asks_in_one_reply_are_two_forms_and_it_goes_on_when_both_are_closed(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    asks = [("ask_user_question", {"questions": [question]}) for question in RELEASE[:2]]
    world.model.will(call(*asks, text="Two things first."))
    world.model.will_say("Released.")

    ts = ann.mentions(world.general, "release it")
    await world.slack.until(lambda: len(world.forms(ts)) == 2)
    first, second = world.forms(ts)
    ann.chooses(second, 1, "Load")
    await ann.clicks(second, "Submit")
    await world.slack.until(lambda: len(world.forms(ts)) == 1)
    assert len(world.model.requests) == 1
    ann.chooses(first, 1, "Staging")
    await ann.clicks(first, "Submit")

    await world.says("Released.", ts)
    assert world.result(0) == {"answers": {"Where to?": "Staging"}}
    assert world.result(1) == {"answers": {"Which checks?": "Load"}}
    words = [message.words for message in world.replies(ts)]
    assert words[0] == "Two things first."
    assert words[-1] == "Released."


async def test_bad_input_of_the_model_never_reaches_people(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    world.model.will_ask([{"question": "Where to?", "options": ["Only one"]}])
    world.model.will_ask(RELEASE[:1])

    form = await world.form(world.person("ann").mentions(world.general, "release it"))

    assert "Only one" not in form.words
    assert "options: 1 given, 2-4 allowed" in world.result()

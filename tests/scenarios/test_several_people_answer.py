"""One ask, several people: each fills in what they know, the first answer wins, and nothing typed is lost."""

from tests.support.slack_world import SlackWorld

RELEASE = [
    {"question": "Where to?", "header": "Target", "options": ["Staging", "Production"]},
    {"question": "Who must know?", "header": "People"},
]


async def test_a_partial_answer_says_what_is_still_open_and_others_fill_in_the_rest(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask(RELEASE)
    world.model.will_say("Released.")

    ts = ann.mentions(world.general, "release it")
    form = await world.form(ts)
    ben.chooses(form, 1, "Staging")
    await ben.clicks(form, "Submit")
    partly = await world.says("Still open: 2. People", ts)
    assert partly.ts == form.ts
    assert "Answered by ben" in partly.words
    assert len(world.model.requests) == 1
    ann.types(partly, 1, "sales")
    await ann.clicks(partly, "Submit")

    await world.says("Released.", ts)
    answers = {"Where to?": "Staging", "Who must know?": "sales"}
    assert world.result() == {"answers": answers, "answered_by": {"Where to?": "ben"}}
    receipt = await world.says("Answered by ben", ts)
    assert "Answered by ann" in receipt.words


async def test_what_others_have_typed_stays_when_someone_answers_a_part(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask(RELEASE)
    world.model.will_say("Released.")

    ts = ann.mentions(world.general, "release it")
    form = await world.form(ts)
    ann.types(form, 2, "sales, and")
    ben.chooses(form, 1, "Staging")
    await ben.clicks(form, "Submit")
    partly = await world.says("Still open", ts)
    await ann.clicks(partly, "Submit")

    await world.says("Released.", ts)
    assert world.result()["answers"] == {"Where to?": "Staging", "Who must know?": "sales, and"}


async def test_the_first_answer_wins_and_whoever_came_second_is_told_only_to_them(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask(RELEASE[:1])
    world.model.will_say("Released.")

    ts = ann.mentions(world.general, "release it")
    form = await world.form(ts)
    ann.chooses(form, 1, "Staging")
    ben.chooses(form, 1, "Production")
    await ann.clicks(form, "Submit")
    await ben.clicks(form, "Submit")

    await world.told("ann has already answered this.", ben)
    await world.says("Released.", ts)
    assert world.result() == {"answers": {"Where to?": "Staging"}}
    assert world.slack.ephemerals(ann) == []


async def test_of_a_late_submit_only_what_is_still_open_counts(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    world.model.will_ask(RELEASE)
    world.model.will_say("Released.")

    ts = ann.mentions(world.general, "release it")
    form = await world.form(ts)
    ann.chooses(form, 1, "Staging")
    ben.chooses(form, 1, "Production")
    ben.types(form, 2, "support")
    await ann.clicks(form, "Submit")
    await ben.clicks(form, "Submit")

    await world.told("ann was first to answer “Where to?”: Staging.", ben)
    await world.says("Released.", ts)
    assert world.result()["answers"] == {"Where to?": "Staging", "Who must know?": "support"}

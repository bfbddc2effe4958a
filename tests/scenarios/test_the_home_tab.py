"""App Home: what waits for the viewer, newest first, and what was decided last; it follows what happens."""

from bot.playground import looking
from bot.playground.people import Person
from bot.playground.workspace import Channel
from tests.support.slack_world import SlackWorld


def ask(question: str) -> dict[str, object]:
    return {"questions": [{"question": question, "options": ["Yes", "No"]}]}


def home(world: SlackWorld, person: Person) -> str:
    view = world.slack.home(person)
    return view.words if view else ""


async def reads(world: SlackWorld, person: Person, *lines: str) -> str:
    """The tab, as soon as all of this can be read in it."""
    await world.slack.until(lambda: all(line in home(world, person) for line in lines))
    return home(world, person)


async def asked(world: SlackWorld, question: str, person: Person, channel: Channel | None = None) -> str:
    """A thread in which this question is open."""
    world.model.will_ask(ask(question))
    ts = person.mentions(channel or world.general, "go")
    await world.form(ts, channel)
    await world.at_rest()
    return ts


async def test_open_questions_are_listed_newest_first_with_a_link_to_each(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    first = await asked(world, "First question?", ann)
    world.slack.clock.advance(60)
    second = await asked(world, "Second question?", ann)

    ann.opens_home()
    words = await reads(world, ann, "First question?", "Second question?")

    assert words.index("Second question?") < words.index("First question?")
    assert "Nothing has been decided yet." in words
    view = world.slack.home(ann)
    assert view
    links = [button["url"] for button in looking.buttons(view.blocks)]
    forms = [(await world.form(ts)).ts.replace(".", "") for ts in (second, first)]
    assert [f"/p{form}?" in link for form, link in zip(forms, links, strict=True)] == [True, True]


async def test_an_answer_moves_a_question_to_the_decisions_for_everyone_who_looks(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    ts = await asked(world, "Ship it?", ann)
    for person in (ann, ben):
        person.opens_home()
        await reads(world, person, "Ship it?", "Nothing has been decided yet.")

    world.model.will_say("Shipped.")
    form = await world.form(ts)
    ben.chooses(form, 1, "Yes")
    await ben.clicks(form, "Submit")

    for person in (ann, ben):
        words = await reads(world, person, "Nothing is waiting for you.", "Ship it?", "Yes")
        assert ben.id in words or "ben" in words.casefold()


async def test_a_new_question_shows_up_without_opening_the_tab_again(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    ann.opens_home()
    await reads(world, ann, "Nothing is waiting for you.")

    await asked(world, "Ship it?", ann)

    await reads(world, ann, "Ship it?")


async def test_only_questions_that_the_viewer_may_answer_are_listed(slack_world: SlackWorld) -> None:
    world = await slack_world.start(parley_who_may_answer="requester")
    ann, ben = world.person("ann"), world.person("ben")
    await asked(world, "Ship it, Ann?", ann)
    await asked(world, "Ship it, Ben?", ben)

    ben.opens_home()
    words = await reads(world, ben, "Ship it, Ben?")

    assert "Ship it, Ann?" not in words


async def test_what_is_said_in_places_that_the_viewer_is_not_in_stays_there(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann, ben = world.person("ann"), world.person("ben")
    secret = world.slack.add_channel("secret", [ann], kind="group")
    hidden = await asked(world, "Fire Ben?", ann, secret)
    await asked(world, "Raise Ann?", ann, secret)
    await asked(world, "Lunch?", ann)
    world.model.will_say("Noted.")
    form = await world.form(hidden, secret)
    ann.chooses(form, 1, "No")
    await ann.clicks(form, "Submit")
    await world.says("Noted.", hidden, secret)
    await world.at_rest()

    ann.opens_home()
    ben.opens_home()

    await reads(world, ann, "Fire Ben?", "Raise Ann?", "Lunch?")
    words = await reads(world, ben, "Lunch?")
    assert "Fire Ben?" not in words
    assert "Raise Ann?" not in words
    assert "Nothing has been decided yet." in words


async def test_a_tab_that_slack_would_not_take_is_published_with_the_next_change(slack_world: SlackWorld) -> None:
    world = await slack_world.start()
    ann = world.person("ann")
    world.slack.fail("views.publish", error="not_enabled")
    ann.opens_home()
    await world.slack.until(lambda: [call for call in world.slack.calls if call.method == "views.publish"])

    await asked(world, "Ship it?", ann)

    await reads(world, ann, "Ship it?")

"""The form of an open ask: per question its text, its options and a field; then Submit, Skip, Cancel."""

from collections.abc import Iterator

from agent.core.asks import Given, ShownAsk
from agent.core.questions import Ask, Question
from bot import ids
from bot.blocks import escape, limits
from bot.blocks.parts import (
    Block,
    Prose,
    Rendered,
    actions,
    button,
    context,
    lay_out,
    modal,
    plain_text,
    size,
    spoken,
)
from bot.blocks.questions import (
    answer_prose,
    names,
    option_blocks,
    options_in_words,
    overlong_options,
    question_prose,
    suggestion,
)

_INSTEAD = "Counts instead of a choice above"
_BESIDE = "Added to the choices above"


def form(shown: ShownAsk, revision: int = 0) -> Rendered:
    """Whatever the texts, it fits; a button leads to the whole of them if they do not. Ids stay while revision does."""
    ask, asked, call_id = shown.ask, shown.open.asked, shown.open.call_id
    items: list[Block | Prose] = []
    for number, (question, name) in enumerate(zip(ask.questions, names(ask), strict=True)):
        given = asked[number].given
        items.append(question_prose(question, name))
        if given:
            items.append(answer_prose(given))
        else:
            items += _inputs(question, name if len(asked) > 1 else "", ids.QuestionRef(call_id, number, revision))
    items += [*_still_open(shown), _buttons(call_id)]
    read_all = actions(button("Read everything", ids.SHOW_QUESTIONS, call_id))
    laid_out = lay_out(items, limits.MESSAGE_BLOCKS - size([read_all]))
    return Rendered(_in_words(shown), [*laid_out.blocks, read_all] if laid_out.cut else laid_out.blocks)


def questions_view(ask: Ask) -> Block:
    """A modal with the whole of every question, for forms that could not show it."""
    items: list[Block | Prose] = []
    for question, name in zip(ask.questions, names(ask), strict=True):
        items.append(question_prose(question, name))
        if overlong := overlong_options(question):
            items.append(Prose(overlong))
    return modal(ids.DETAILS, "The whole question" if len(ask.questions) == 1 else "All questions", items)


def _inputs(question: Question, name: str, ref: ids.QuestionRef) -> Iterator[Block | Prose]:
    """The name is for the labels: it tells those of several questions apart."""
    if overlong := overlong_options(question):
        yield Prose(overlong)
    if suggested := suggestion(question):
        yield context(escape.mrkdwn(suggested))
    if question.options:
        kind = "checkboxes" if question.multi_select else "radio_buttons"
        label = "Choose any that apply" if question.multi_select else "Your choice"
        element = {"type": kind, "action_id": ids.CHOICE, "options": option_blocks(question)}
        yield _input(ref.to_block_id("choice"), label, name, element)
    if question.allow_custom:
        yield _input(ref.to_block_id("other"), "Other" if question.options else "Your answer", name, _field(question))


def _field(question: Question) -> Block:
    field = {
        "type": "plain_text_input",
        "action_id": ids.OTHER,
        "multiline": True,
        "max_length": limits.INPUT_TEXT,
    }
    if question.options:
        field["placeholder"] = plain_text(_BESIDE if question.multi_select else _INSTEAD)
    return field


def _input(block_id: str, label: str, name: str, element: Block) -> Block:
    spoken_label = f"{label} ({name})" if name else label
    return {
        "type": "input",
        "block_id": block_id,
        "optional": True,
        "label": plain_text(spoken_label),
        "element": element,
    }


def _still_open(shown: ShownAsk) -> list[Block]:
    unanswered = shown.open.unanswered
    if len(unanswered) == len(shown.ask.questions):
        return []
    called = names(shown.ask)
    return [context(escape.mrkdwn(f"Still open: {', '.join(called[number] for number in unanswered)}"))]


def _buttons(call_id: str) -> Block:
    return actions(
        button("Submit", ids.SUBMIT, call_id, style="primary"),
        button("Skip", ids.SKIP, call_id),
        button("Cancel", ids.CANCEL, call_id, style="danger"),
    )


def _in_words(shown: ShownAsk) -> str:
    several = len(shown.ask.questions) > 1
    lines = [f"{len(shown.ask.questions)} questions for you:"] if several else []
    for number, (question, asked) in enumerate(zip(shown.ask.questions, shown.open.asked, strict=True), start=1):
        mark = f"{number}. " if several else "A question for you: "
        lines += [mark + question.question, *_answerable(question, asked.given)]
    return spoken(lines)


def _answerable(question: Question, given: Given | None) -> Iterator[str]:
    if given:
        yield f"Answered by {escape.inline(given.by.name) or 'someone'}: {escape.inline(given.words)}"
        return
    if question.options:
        yield f"Options: {options_in_words(question)}"
    if suggested := suggestion(question):
        yield suggested

"""What the form of a closed ask becomes: how it ended, each question, its answer, and who gave it."""

from agent.core.asks import Ending, Given, ShownAsk
from bot.blocks import endings, escape
from bot.blocks.parts import Block, Prose, Rendered, called, context, heading, lay_out, set_off, spoken
from bot.blocks.questions import answer_prose, names, question_prose


def receipt(shown: ShownAsk, ending: Ending) -> Rendered:
    answers = [asked.given for asked in shown.open.asked]
    people = {given.by for given in answers if given}
    outcome, words = endings.of_ask(ending, people), endings.words_of(ending)
    items: list[Block | Prose] = [heading(outcome, words)]
    for question, name, given in zip(shown.ask.questions, names(shown.ask), answers, strict=True):
        items.append(question_prose(question, name))
        if given:
            items.append(answer_prose(given, alone=ending.how == "answered" and len(people) == 1))
        elif people:
            items.append(context("Not answered"))
    return Rendered(_in_words(shown, f"{outcome} {escape.inline(words)}".strip()), lay_out(set_off(items)).blocks)


def _in_words(shown: ShownAsk, outcome: str) -> str:
    lines = [outcome]
    for question, asked in zip(shown.ask.questions, shown.open.asked, strict=True):
        lines += [question.question, _answer_in_words(asked.given)]
    return spoken(lines)


def _answer_in_words(given: Given | None) -> str:
    if given is None:
        return "Not answered"
    return f"{escape.inline(given.words)} (answered by {called(given.by)})"

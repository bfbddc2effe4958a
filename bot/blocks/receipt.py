"""The form of a closed ask: each question, its answer, who gave it, and how it ended if not with answers."""

from agent.core.asks import Ending, Given, ShownAsk
from bot.blocks import endings, escape
from bot.blocks.parts import Block, Prose, Rendered, context, lay_out, spoken, who
from bot.blocks.questions import answer_prose, names, question_prose


def receipt(shown: ShownAsk, ending: Ending) -> Rendered:
    items: list[Block | Prose] = []
    for question, name, asked in zip(shown.ask.questions, names(shown.ask), shown.open.asked, strict=True):
        items.append(question_prose(question, name))
        items.append(answer_prose(asked.given) if asked.given else context("Not answered"))
    items += _ending(ending)
    return Rendered(_in_words(shown, ending), lay_out(items).blocks)


def _ending(ending: Ending) -> list[Block | Prose]:
    sentence = endings.of_ask(ending.how, who(ending.by))
    if endings.words_of(ending):
        return [Prose((endings.words_of(ending),), head=f"{sentence}\n", quoted=True)]
    return [context(sentence)] if sentence else []


def _in_words(shown: ShownAsk, ending: Ending) -> str:
    lines = []
    for question, asked in zip(shown.ask.questions, shown.open.asked, strict=True):
        lines += [question.question, _answer_in_words(asked.given)]
    sentence = endings.of_ask(ending.how, escape.inline(ending.by.name) or "someone")
    return spoken(filter(None, [f"{sentence} {escape.inline(endings.words_of(ending))}".strip(), *lines]))


def _answer_in_words(given: Given | None) -> str:
    if given is None:
        return "Not answered"
    return f"{escape.inline(given.words)} (answered by {escape.inline(given.by.name) or 'someone'})"

"""What form, receipt and notification share: how a question and its options are called and shortened."""

from agent.core.asks import Given
from agent.core.questions import Ask, Question
from bot.blocks import escape, fit, limits
from bot.blocks.parts import Block, Prose, bold, plain_text, who


def names(ask: Ask) -> list[str]:
    """What each question is called: its header, and its number where there are several; "" for a lone one without."""
    headers = [escape.plain(question.header).strip() for question in ask.questions]
    if len(headers) == 1:
        return headers
    return [f"{n}. {header}" if header else f"Question {n}" for n, header in enumerate(headers, start=1)]


def question_prose(question: Question, name: str) -> Prose:
    heading = bold(name)
    return Prose((question.question,), head=f"{heading}\n" if heading else "")


def answer_prose(given: Given, *, alone: bool = False) -> Prose:
    """With who gave it, unless one person gave them all and that is said already."""
    return Prose((given.words,), head="" if alone else f"Answered by {who(given.by)}:\n", quoted=True)


def option_texts(question: Question) -> list[str]:
    """Each label as far as it fits an option; no two are alike."""
    texts = [_option_text(number, label) for number, label in enumerate(question.labels, start=1)]
    if len({text.strip() for text in texts}) == len(texts):
        return texts
    return [_numbered(number, label) for number, label in enumerate(question.labels, start=1)]


def option_blocks(question: Question) -> list[Block]:
    texts = option_texts(question)
    options = [{"text": plain_text(text), "value": str(number)} for number, text in enumerate(texts)]
    for block, option in zip(options, question.options, strict=True):
        description = _fitting(option.description, limits.OPTION_DESCRIPTION)
        if not escape.is_blank(description):
            block["description"] = plain_text(description)
    return options


def overlong_options(question: Question) -> tuple[str, ...]:
    """In full, by their numbers, the options that do not fit."""
    return tuple(
        f"{number}. {escape.inline(option.label)}" + (f": {described}" if described else "")
        for number, option in enumerate(question.options, start=1)
        if len(described := escape.inline(option.description)) > limits.OPTION_DESCRIPTION
        or len(escape.plain(option.label)) > limits.OPTION_TEXT
    )


def options_in_words(question: Question) -> str:
    listed = [f"{n}. {_with_description(question, n - 1)}" for n in range(1, len(question.options) + 1)]
    return "; ".join(listed)


def suggestion(question: Question) -> str:
    if not question.default:
        return ""
    return f"Suggested: {escape.inline(option_texts(question)[question.labels.index(question.default)])}"


def _with_description(question: Question, number: int) -> str:
    option = question.options[number]
    described = escape.inline(option.description)
    return escape.inline(option.label) + (f" ({described})" if not escape.is_blank(described) else "")


def _option_text(number: int, label: str) -> str:
    text = escape.plain(label)
    if escape.is_blank(text):
        return f"Option {number}"
    return text if len(text) <= limits.OPTION_TEXT else _numbered(number, label)


def _numbered(number: int, label: str) -> str:
    mark = f"{number}. "
    return mark + _fitting(label, limits.OPTION_TEXT - len(mark))


def _fitting(text: str, longest: int) -> str:
    return escape.balanced(fit.shorten(escape.plain(text), longest))

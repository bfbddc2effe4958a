"""The exception tree. `shown` is the sentence people read."""


class AgentError(Exception):
    """A failure we expect."""

    shown = "I could not finish that. Please try again."


class InvalidAsk(AgentError):
    """The arguments of `ask_user_question` break its contract; one sentence for each problem."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class IllegalTransition(AgentError):
    """An event that cannot happen in this state: a bug of ours, never of a person or a model."""


class UnreadableThread(AgentError):
    """A thread's rows cannot be understood: another version's, or spoilt."""


class ModelError(AgentError):
    """The model gave no usable reply. `shown` says what failed in plain words."""

    def __init__(self, shown: str) -> None:
        super().__init__(shown)
        self.shown = shown


class ContextTooLong(ModelError):
    """The conversation is longer than the model can read."""

    def __init__(self) -> None:
        super().__init__("This conversation has grown longer than the model can read.")


class StoreError(AgentError):
    """The database cannot be used; the message says why and what to do."""

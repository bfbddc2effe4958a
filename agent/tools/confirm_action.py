"""`confirm_action`: someone approves or denies what the agent is about to do; the decision is the result."""

from pydantic import Field

from agent.core.questions import NotBlank
from agent.core.schema import json_schema
from agent.core.values import Frozen, Text
from agent.tools.registry import Tool, people_decide


class Action(Frozen):
    action: NotBlank = Field(description="What you are about to do, in one sentence.")
    details: Text = Field(
        "", description="What people need to know to decide: the exact target, what cannot be undone."
    )


CONFIRM_ACTION = Tool(
    name="confirm_action",
    description=(
        "Ask the people in this thread to approve or deny one risky or irreversible action before you take it. "
        'The result is {"approved": true} or {"approved": false}, with who decided and why. Without approval, '
        "do not do it, also not in another way."
    ),
    parameters=json_schema(Action),
    run=people_decide,
    check=Action.model_validate,
    wait="confirm",
)

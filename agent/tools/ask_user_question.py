"""`ask_user_question`: a call of it pauses the thread, so nothing here ever runs it."""

from agent.core.questions import Ask
from agent.core.schema import json_schema
from agent.tools.registry import Tool, people_decide

NAME = "ask_user_question"
ONLY_PARENT = (
    "Only the parent conversation can ask people. Go on with a sensible assumption and say so in your result, "
    "or report what has to be decided."
)


ASK_USER_QUESTION = Tool(
    name=NAME,
    description=(
        "Ask the people in this thread one to four questions and wait for their answers, however long it takes. "
        "Use it when a decision is theirs to make and you cannot find the answer yourself. Put all you need to "
        'know into one call. People can always answer in their own words. The result is {"answers": '
        '{"<question>": "<label or text>"}}; several labels are joined with ", ".'
    ),
    parameters=json_schema(Ask),
    run=people_decide,
    check=Ask.parse,
    wait="ask",
    parent_only=ONLY_PARENT,
)

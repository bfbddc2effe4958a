"""Every environment variable, once."""

from typing import Annotated, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.permissions import Permissions, Rule
from bot.schedule import Schedule


class BadSettings(Exception):
    """One sentence that names the variable and what is wrong with it."""


class Settings(BaseSettings):
    """Read once at the start, from the environment and from `.env`, and passed down."""

    model_config = SettingsConfigDict(env_file=".env", frozen=True, extra="ignore", env_ignore_empty=True)

    openai_api_key: SecretStr = Field(description="The key for the model's API.")
    openai_model: str = Field(description="The model's name, as its API knows it.")
    openai_base_url: str | None = Field(None, description="Any OpenAI-compatible server; OpenAI's own by default.")
    openai_context_tokens: Annotated[int, Field(ge=4_000)] = Field(
        128_000, description="How much the model can read; older parts are summarised before it is full."
    )
    openai_timeout_seconds: Annotated[float, Field(gt=0)] = Field(
        45, description="How long the model may be silent. Raise it for models that think long before they write."
    )
    database_url: str = Field(
        "sqlite:///parley.db", description="Where threads are kept: sqlite:///file or postgresql://…"
    )
    slack_bot_token: SecretStr | None = Field(None, description="xoxb-…, from the app's OAuth & Permissions page.")
    slack_app_token: SecretStr | None = Field(None, description="xapp-…, with connections:write, for Socket Mode.")
    slack_api_url: str = Field("https://slack.com/api/", description="The base of Slack's Web API.")
    parley_who_may_start: str = Field(
        "anyone", description="anyone, or ids of people (U…) and user groups (S…), separated by commas."
    )
    parley_who_may_answer: str = Field("anyone", description="The same, or requester: whoever asked for the run.")
    parley_who_may_approve: str = Field("anyone", description="The same, for approvals.")
    parley_allow_guests: bool = Field(False, description="Whether guests count as anyone.")
    parley_allow_externals: bool = Field(False, description="Whether people from other organisations do.")
    parley_remind_after_hours: Annotated[float, Field(ge=0)] = Field(
        24, description="When to remind of an open question, once; 0 is never."
    )
    parley_expire_after_hours: Annotated[float, Field(ge=0)] = Field(
        0, description="When an open question expires and the agent goes on without; 0 is never."
    )
    parley_working_hours: Annotated[str, Field(pattern=r"^([01]?\d|2[0-3])-([01]?\d|2[0-4])$")] = Field(
        "9-18", description="Hours of working days in which people are reminded; 0-24 is always."
    )
    parley_timezone: str = Field("UTC", description="The time zone of these hours, such as Europe/Berlin.")
    parley_tools: str = Field("", description="Your own tools: module:toolbox, an agent.tools.registry.Toolbox.")
    parley_model_calls: Annotated[int, Field(ge=2)] = Field(
        40, description="Model calls in one turn, after which the agent must finish with what it has."
    )
    parley_asks: Annotated[int, Field(ge=1)] = Field(8, description="Asks in one turn, likewise.")
    parley_sub_agents: Annotated[int, Field(ge=1)] = Field(4, description="Sub-agents that run at the same time.")
    parley_sub_agent_calls: Annotated[int, Field(ge=2)] = Field(15, description="Model calls of one sub-agent.")
    parley_log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="From debug on, logs may show texts of conversations in tracebacks."
    )

    @property
    def permissions(self) -> Permissions:
        return Permissions(
            start=Rule(self.parley_who_may_start),
            answer=Rule(self.parley_who_may_answer),
            approve=Rule(self.parley_who_may_approve),
            guests=self.parley_allow_guests,
            externals=self.parley_allow_externals,
        )

    @property
    def schedule(self) -> Schedule:
        opens, closes = (int(hour) for hour in self.parley_working_hours.split("-"))
        return Schedule(
            remind_after=self.parley_remind_after_hours * 3_600,
            expire_after=self.parley_expire_after_hours * 3_600,
            opens=opens,
            closes=closes,
            zone=ZoneInfo(self.parley_timezone),
        )

    @field_validator("parley_timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError):
            raise ValueError("there is no such time zone") from None
        return name

    @field_validator("openai_api_key")
    @classmethod
    def _sendable(cls, key: SecretStr) -> SecretStr:
        if not key.get_secret_value().isascii():
            raise ValueError("a key has only ASCII characters")
        return key

    @field_validator("openai_base_url")
    @classmethod
    def _reachable(cls, url: str | None) -> str | None:
        if url and not url.startswith(("http://", "https://")):
            raise ValueError("it must start with http:// or https://")
        try:
            urlsplit(url or "")
        except ValueError:
            raise ValueError("it is not a URL") from None
        return url


def read_settings() -> Settings:
    try:
        return Settings()
    except ValidationError as error:
        raise BadSettings(" ".join(_sentence(str(d["loc"][0]), d["type"], d["msg"]) for d in error.errors())) from None


def _sentence(name: str, kind: str, problem: str) -> str:
    field = Settings.model_fields[name]
    if kind == "missing":
        return f"{name.upper()} is not set: {field.description}"
    return f"{name.upper()} is wrong: {problem.removeprefix('Value error, ')}."

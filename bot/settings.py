"""Every environment variable, once."""

from typing import Annotated, Literal, NamedTuple
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.permissions import Permissions, Rule
from bot.schedule import Schedule

FOR_A_MODEL = ("OPENAI_API_KEY", "OPENAI_MODEL")
FOR_SLACK = ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN")


class BadSettings(Exception):
    """One sentence that names the variable and what is wrong with it."""


class Model(NamedTuple):
    api_key: str
    name: str


class Settings(BaseSettings):
    """Read once at the start, from the environment and from `.env`, and passed down."""

    model_config = SettingsConfigDict(env_file=".env", frozen=True, extra="ignore", env_ignore_empty=True)

    openai_api_key: SecretStr | None = Field(None, description="The key for the model's API.")
    openai_model: str | None = Field(None, description="The model's name, as its API knows it.")
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
    slack_signing_secret: SecretStr | None = Field(
        None, description="From the app's Basic Information page, for HTTP mode (parley run --http)."
    )
    slack_client_id: str | None = Field(
        None, description="From the same page, for HTTP mode in many workspaces, with the three that follow."
    )
    slack_client_secret: SecretStr | None = Field(None, description="From the same page, likewise.")
    parley_public_url: str | None = Field(
        None, description="Where people and Slack reach HTTP mode: https://parley.example.com"
    )
    parley_encryption_key: SecretStr | None = Field(
        None, description="Encrypts tokens in the database; parley secret makes one. To rotate: new,old."
    )
    parley_http_host: str = Field("127.0.0.1", description="The address that HTTP mode listens on.")
    parley_http_port: Annotated[int, Field(ge=0, le=65_535)] = Field(3_000, description="Its port; 0 is any.")
    parley_metrics_port: Annotated[int, Field(ge=0, le=65_535)] = Field(
        0, description="Serves /metrics, /healthz and /readyz there. 0: in HTTP mode beside it, else nowhere."
    )
    otel_exporter_otlp_endpoint: str | None = Field(
        None, description="Where OpenTelemetry traces go: http://localhost:4318, say. By default there are none."
    )
    otel_exporter_otlp_traces_endpoint: str | None = Field(
        None, description="The same with its whole path, if that is another than /v1/traces."
    )
    otel_sdk_disabled: bool = Field(False, description="Traces nothing, whatever else is set.")
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
    parley_grace_seconds: Annotated[float, Field(ge=0)] = Field(
        8, description="How long runs that are under way may go on when Parley is told to stop."
    )
    parley_log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="From debug on, logs may show texts of conversations in tracebacks."
    )

    def missing(self, *names: str) -> list[str]:
        """Those of these variables that are not set."""
        return [name for name in names if getattr(self, name.lower()) is None]

    def need_model(self) -> Model:
        """The key and the name, which are needed wherever no scripted model stands in."""
        if self.openai_api_key is None or self.openai_model is None:
            raise BadSettings(" ".join(_not_set(name) for name in self.missing(*FOR_A_MODEL)))
        return Model(self.openai_api_key.get_secret_value(), self.openai_model)

    @property
    def traces_endpoint(self) -> str | None:
        """Where traces go, with the whole path; None if there are to be none."""
        if self.otel_sdk_disabled:
            return None
        if self.otel_exporter_otlp_traces_endpoint:
            return self.otel_exporter_otlp_traces_endpoint
        base = self.otel_exporter_otlp_endpoint
        return f"{base.rstrip('/')}/v1/traces" if base else None

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
    def _sendable(cls, key: SecretStr | None) -> SecretStr | None:
        if key and not key.get_secret_value().isascii():
            raise ValueError("a key has only ASCII characters")
        return key

    @field_validator("parley_public_url")
    @classmethod
    def _public(cls, url: str | None) -> str | None:
        if url and not url.startswith(("https://", "http://localhost", "http://127.0.0.1")):
            raise ValueError("it must start with https://")
        return url.rstrip("/") if url else None

    @field_validator("openai_base_url", "otel_exporter_otlp_endpoint", "otel_exporter_otlp_traces_endpoint")
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
        raise BadSettings(" ".join(_wrong(str(d["loc"][0]), d["msg"]) for d in error.errors())) from None


def _not_set(name: str) -> str:
    return f"{name} is not set: {Settings.model_fields[name.lower()].description}"


def _wrong(name: str, problem: str) -> str:
    return f"{name.upper()} is wrong: {problem.removeprefix('Value error, ')}."

"""What a message may consist of: text, blocks or markdown, and metadata."""

import json
from dataclasses import dataclass
from typing import Any

from bot.blocks import limits
from bot.playground import blocks as block_rules
from bot.playground import forms
from bot.playground.core import Core
from bot.playground.methods import Args
from bot.playground.refusal import Refused, invalid
from bot.playground.shapes import UNSEEN
from bot.playground.workspace import Json

METADATA_BYTES = 8_000  # ours: Slack has a limit and does not say which


@dataclass(frozen=True)
class Content:
    text: str
    blocks: list[Json]
    truncated: bool = False


def content(core: Core, args: Args) -> Content:
    """What is to be shown, or a refusal; `blocks` come back with their ids."""
    text, markdown = args.optional("text") or "", args.optional("markdown_text")
    given = checked_blocks(core, args)
    if markdown is not None:
        if text or given:
            raise Refused("markdown_text_conflict")
        if len(markdown) > limits.MARKDOWN_TEXT:
            raise Refused("msg_too_long")
        return Content(markdown, forms.stored([{"type": "markdown", "text": markdown}], lambda: new_id(core)))
    if not text.strip() and not given and not args.structured("attachments", "invalid_attachments"):
        raise Refused("no_text")
    truncated = len(text) > limits.MESSAGE_TEXT_CUT
    return Content(text[: limits.MESSAGE_TEXT_CUT] or UNSEEN, given, truncated)


def checked_blocks(core: Core, args: Args) -> list[Json]:
    given = args.structured("blocks", "invalid_blocks_format")
    if given is None:
        return []
    if not isinstance(given, list):
        raise Refused("invalid_blocks_format")
    faults = block_rules.faults(given, "message")
    if faults:
        raise invalid("invalid_blocks", faults)
    return forms.stored(given, lambda: new_id(core))


def metadata(args: Args) -> Json | None:
    given: Any = args.structured("metadata", "invalid_metadata_format")
    if given is None:
        return None
    if not isinstance(given, dict) or not isinstance(given.get("event_type"), str):
        raise Refused("invalid_metadata_format")
    if not isinstance(given.get("event_payload"), dict):
        raise Refused("invalid_metadata_format")
    if len(json.dumps(given).encode()) > METADATA_BYTES:
        raise Refused("metadata_too_large")
    return given


def new_id(core: Core) -> str:
    return core.workspace.new_id("b")

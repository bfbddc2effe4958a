"""The Slack app as manifest.yml declares it."""

import copy
from pathlib import Path
from typing import Any

import yaml

_PACKAGE = Path(__file__).parent
_NAME = "manifest.yml"


class NoManifest(Exception):
    """One sentence that says where it was looked for."""


def find(source: Path | None = None, package: Path = _PACKAGE) -> Path:
    """The file in the directory that was named; else the package's own: a wheel has it inside, a checkout beside."""
    places = [source] if source else [package, package.parent]
    for place in places:
        if (place / _NAME).is_file():
            return place / _NAME
    raise NoManifest(f"There is no {_NAME} in {' or '.join(str(place) for place in places)}.")


def read(path: Path) -> dict[str, Any]:
    try:
        manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise NoManifest(f"{path} cannot be read: {' '.join(str(error).split())}") from error
    if not isinstance(manifest, dict):
        raise NoManifest(f"{path} is not a manifest.")
    return manifest


def over_http(manifest: dict[str, Any], url: str) -> dict[str, Any]:
    """The same app, to which Slack sends at this address instead of waiting for it to connect."""
    changed = copy.deepcopy(manifest)
    changed["oauth_config"]["redirect_urls"] = [f"{url}/slack/oauth_redirect"]
    settings = changed["settings"]
    for part in ("event_subscriptions", "interactivity"):
        settings[part]["request_url"] = f"{url}/slack/events"
    settings["socket_mode_enabled"] = False
    return changed


def scopes(manifest: dict[str, Any]) -> frozenset[str]:
    return frozenset(manifest["oauth_config"]["scopes"]["bot"])


def events(manifest: dict[str, Any]) -> frozenset[str]:
    return frozenset(manifest["settings"]["event_subscriptions"]["bot_events"])

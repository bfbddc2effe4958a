"""The manifest asks Slack for exactly what the code uses, and the Slack CLI and `parley manifest` find it."""

import ast
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot import manifest
from bot.listeners import EVENTS

ROOT = Path(__file__).parent.parent.parent
HOOKS = json.loads((ROOT / ".slack/hooks.json").read_text())
MANIFEST = manifest.read(ROOT / "manifest.yml")

HISTORY = {"channels:history", "groups:history", "im:history"}
# What Slack's reference says each method needs of the bot's token. A method that is new here fails the test below.
NEEDED_BY_METHOD: dict[str, set[str]] = {
    "agents.sessions.setStatus": {"chat:write", "assistant:write"},  # the latter is what makes an app an agent
    "apps.connections.open": set(),  # the app-level token's connections:write
    "assistant.threads.setStatus": {"chat:write"},
    "auth.test": set(),
    "chat.appendStream": {"chat:write"},
    "chat.delete": {"chat:write"},
    "chat.postEphemeral": {"chat:write"},
    "chat.postMessage": {"chat:write"},
    "chat.startStream": {"chat:write"},
    "chat.stopStream": {"chat:write"},
    "chat.update": {"chat:write"},
    "conversations.info": {"channels:read", "groups:read"},
    "conversations.members": {"channels:read", "groups:read", "im:read"},
    "conversations.replies": HISTORY,
    "usergroups.users.list": {"usergroups:read"},
    "users.info": {"users:read"},
    "views.open": set(),
    "views.publish": set(),
}
NEEDED_BY_EVENT = {
    "agent_session_stopped": {"assistant:write"},
    "app_home_opened": set(),
    "app_mention": {"app_mentions:read"},
    "app_uninstalled": set(),
    "message.channels": {"channels:history"},
    "message.groups": {"groups:history"},
    "message.im": {"im:history"},
    "tokens_revoked": set(),
}
BY_CHANNEL = {"message": {"message.channels", "message.groups", "message.im"}}


def methods() -> set[str]:
    """The Web API methods that Parley's own code names, to whichever helper: those that Slack's SDK knows."""
    files = [file for file in (ROOT / "bot").rglob("*.py") if "playground" not in file.parts]
    files.remove(ROOT / "bot/slack.py")  # it carries calls, and makes none
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text()))]
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    known = {text for text in texts if "." in text and hasattr(AsyncWebClient, text.replace(".", "_"))}
    return known | {text for node in nodes if (text := called(node))}


def called(node: ast.AST) -> str:
    """The method of `slack.call("…")`, whether the SDK knows it or not."""
    match node:
        case ast.Call(
            func=ast.Attribute(attr="call" | "call_once" | "api_call"), args=[ast.Constant(value=str(method)), *_]
        ):
            return method
    return ""


def fetches_files() -> bool:
    """A private file is fetched by its address with the token, not by a method."""
    return "url_private" in (ROOT / "bot/files.py").read_text()


def test_the_events_are_those_that_are_listened_to() -> None:
    listened = {event for name in EVENTS for event in BY_CHANNEL.get(name, {name})}

    assert manifest.events(MANIFEST) == listened


def test_the_scopes_are_those_that_the_calls_the_events_and_the_files_need() -> None:
    needed = {scope for method in methods() for scope in NEEDED_BY_METHOD[method]}
    needed |= {scope for event in manifest.events(MANIFEST) for scope in NEEDED_BY_EVENT[event]}
    needed |= {"files:read"} if fetches_files() else set()

    assert manifest.scopes(MANIFEST) == needed


def test_every_call_is_seen_by_this_test() -> None:
    assert {"auth.test", "chat.postMessage", "users.info", "agents.sessions.setStatus"} <= methods()


def test_the_app_is_an_agent_with_a_home_over_socket_mode() -> None:
    features, settings = MANIFEST["features"], MANIFEST["settings"]

    assert MANIFEST["_metadata"]["major_version"] == 2
    assert "agent_view" in features
    assert "assistant_view" not in features
    assert features["app_home"] == {
        "home_tab_enabled": True,
        "messages_tab_enabled": True,
        "messages_tab_read_only_enabled": False,
    }
    assert settings["socket_mode_enabled"] is True
    assert settings["interactivity"] == {"is_enabled": True}


def test_the_texts_are_as_short_as_slack_wants_them() -> None:
    display, agent = MANIFEST["display_information"], MANIFEST["features"]["agent_view"]

    assert len(display["name"]) <= 35
    assert len(display["description"]) <= 140
    assert len(agent["agent_description"]) <= 300
    assert len(agent["suggested_prompts"]) <= 4


def hook(name: str, *more: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """As the Slack CLI runs it, whatever the environment of these tests is called."""
    command = shlex.split(HOOKS["hooks"][name])
    if command[0] == ".venv/bin/parley":
        command[:1] = [sys.executable, "-m", "bot"]
    return subprocess.run([*command, *more], cwd=cwd, capture_output=True, text=True, check=False)


def test_the_slack_cli_gets_the_manifest_as_json() -> None:
    printed = hook("get-manifest", f"--source={ROOT}")

    assert json.loads(printed.stdout) == MANIFEST


def test_the_slack_cli_gets_the_hooks_without_another_package() -> None:
    assert json.loads(hook("get-hooks").stdout) == HOOKS


def test_the_slack_cli_starts_parley_and_leaves_the_connection_to_it() -> None:
    assert HOOKS["hooks"]["start"] == ".venv/bin/parley run"
    assert HOOKS["config"]["sdk-managed-connection-enabled"] is True
    for watched in HOOKS["config"]["watch"].values():
        assert all((ROOT / path).exists() for path in watched["paths"])


def test_the_slack_cli_takes_the_manifest_from_here() -> None:
    assert json.loads((ROOT / ".slack/config.json").read_text())["manifest"] == {"source": "local"}


def test_the_manifest_is_printed_wherever_one_is(tmp_path: Path) -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "bot", "manifest"], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert json.loads(printed.stdout) == MANIFEST


def test_a_directory_without_one_is_named_in_one_sentence(tmp_path: Path) -> None:
    printed = hook("get-manifest", f"--source={tmp_path}")

    assert printed.returncode == 1
    assert printed.stderr == f"parley: There is no manifest.yml in {tmp_path}.\n"


def test_an_installed_package_has_it_inside_and_a_checkout_beside(tmp_path: Path) -> None:
    package = tmp_path / "bot"
    package.mkdir()
    beside, inside = tmp_path / "manifest.yml", package / "manifest.yml"

    beside.touch()
    assert manifest.find(package=package) == beside

    inside.touch()
    assert manifest.find(package=package) == inside


@pytest.mark.parametrize("text", ["just words", "a: [", "\x00"])
def test_a_file_that_is_no_manifest_is_named_in_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.yml").write_text(text)

    with pytest.raises(manifest.NoManifest, match=r"manifest\.yml (is not|cannot be read)"):
        manifest.read(tmp_path / "manifest.yml")


def test_the_manifest_for_http_names_the_addresses_and_is_else_the_same() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "bot", "manifest", "--http", "https://parley.example.com/"],
        capture_output=True,
        text=True,
        check=True,
    )

    shown = json.loads(printed.stdout)
    settings = shown["settings"]
    assert shown["oauth_config"].pop("redirect_urls") == ["https://parley.example.com/slack/oauth_redirect"]
    for part in ("event_subscriptions", "interactivity"):
        assert settings[part].pop("request_url") == "https://parley.example.com/slack/events"
    assert settings["socket_mode_enabled"] is False
    settings["socket_mode_enabled"] = True
    assert shown == MANIFEST

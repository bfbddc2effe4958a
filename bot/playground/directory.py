"""Who and what there is: the app itself, people, groups, the team, files."""

from bot.playground import shapes
from bot.playground.core import Core
from bot.playground.methods import Args, Method, Methods
from bot.playground.refusal import Refused
from bot.playground.workspace import Json


def auth_test(core: Core, _args: Args) -> Json:
    space = core.workspace
    return {
        "url": f"{core.url}/",
        "team": space.team.name,
        "team_id": space.team.id,
        "user": space.users[space.bot_user_id].name,
        "user_id": space.bot_user_id,
        "bot_id": space.bot_id,
        "is_enterprise_install": False,
    }


def connections_open(core: Core, _args: Args) -> Json:
    address = core.url.replace("http://", "ws://", 1)
    return {"url": f"{address}/link/?ticket={core.hub.ticket()}&app_id={core.workspace.app_id}"}


def users_info(core: Core, args: Args) -> Json:
    return {"user": shapes.user(core.user(args.required("user")))}


def usergroups_users_list(core: Core, args: Args) -> Json:
    group = core.workspace.groups.get(args.required("usergroup"))
    if group is None:
        raise Refused("no_such_subteam")
    return {"users": group.users}


def team_info(core: Core, args: Args) -> Json:
    team = core.workspace.teams.get(args.optional("team") or core.workspace.team.id)
    if team is None:
        raise Refused("team_not_found")
    return {"team": {"id": team.id, "name": team.name, "domain": team.domain, "url": f"{core.url}/"}}


def bots_info(core: Core, args: Args) -> Json:
    if args.required("bot") != core.workspace.bot_id:
        raise Refused("bot_not_found")
    return {"bot": shapes.bot(core)}


def files_info(core: Core, args: Args) -> Json:
    file = core.workspace.files.get(args.required("file"))
    if file is None:
        raise Refused("file_not_found")
    return {"file": shapes.file(core, file)}


METHODS: Methods = {
    "auth.test": Method(auth_test),
    "apps.connections.open": Method(connections_open, app_level=True),
    "users.info": Method(users_info, "users:read"),
    "usergroups.users.list": Method(usergroups_users_list, "usergroups:read"),
    "team.info": Method(team_info, "team:read"),
    "bots.info": Method(bots_info, "users:read"),
    "files.info": Method(files_info, "files:read"),
}

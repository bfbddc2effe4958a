"""The workspace one starts with: a small team, a guest, a partner of another organisation, and the app."""

from bot.playground.workspace import Channel, Team, User, UserGroup, Workspace

HOME = Team("T0L0CALHQ", "Local HQ", "local-hq")
PARTNER = Team("T0PARTNER", "Partner Inc", "partner-inc")
BOT = "U0PARLEY0"


def new_workspace(bot_name: str = "parley") -> Workspace:
    space = Workspace(HOME, app_id="A0PARLEY0", bot_id="B0PARLEY0", bot_user_id=BOT)
    space.teams = {team.id: team for team in (HOME, PARTNER)}
    people = [
        User("U0ANNAAAA", "ann", "Ann Archer", HOME.id, is_admin=True),
        User("U0BENBBBB", "ben", "Ben Bauer", HOME.id),
        User("U0GUSGGGG", "gus", "Gus Green", HOME.id, is_restricted=True),
        User("U0EVEEEEE", "eve", "Eve Evans", PARTNER.id),
        User(BOT, bot_name, bot_name.title(), HOME.id, is_bot=True),
    ]
    space.users = {user.id: user for user in people}
    ann, ben, gus, eve, bot = (user.id for user in people)
    channels = [
        Channel("C0GENERAL", "general", "channel", [ann, ben, gus, bot]),
        Channel("C0RANDOM0", "random", "channel", [ann, ben]),  # the app is not in it
        Channel("C0LEADS00", "leads", "group", [ann, ben, bot]),
        Channel("C0PARTNER", "partners", "channel", [ann, ben, gus, eve, bot], is_ext_shared=True),
    ]
    space.channels = {channel.id: channel for channel in channels}
    space.groups = {"S0LEADS00": UserGroup("S0LEADS00", "leads", [ann, ben])}
    for person in (ann, ben, gus, eve):
        space.im(person)
    return space

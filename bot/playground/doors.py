"""Who may come in: programs and pages of this machine, and no web page from elsewhere."""

from aiohttp import web
from aiohttp.typedefs import Handler

from agent.here import is_here

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
OWN = (None, "none", "same-origin")  # a program, an address that somebody typed, and the page itself


@web.middleware
async def doors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """A page from elsewhere shows by its Host (its own name, bound to this machine), its Origin or its site."""
    if not _is_from_here(request) or not (_is_own(request) or _is_followed(request)):
        here = f"http://127.0.0.1:{_port(request)}"
        return web.Response(status=403, text=f"This is only for pages and programs of this machine: {here}\n")
    return await handler(request)


async def protect(_request: web.Request, response: web.StreamResponse) -> None:
    """What a browser may do with anything that it gets here."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)


def _is_from_here(request: web.Request) -> bool:
    """By any port: a tunnel may lead here from another one."""
    host, origin = request.headers.get("Host", "").lower(), request.headers.get("Origin")
    return is_here(f"http://{host}") and (origin is None or origin.lower() == f"http://{host}")


def _is_own(request: web.Request) -> bool:
    return request.headers.get("Sec-Fetch-Site") in OWN


def _is_followed(request: web.Request) -> bool:
    """A link to the page, which may stand anywhere: whoever follows it sees it, and nothing is done by that."""
    headers, path = request.headers, request.path
    top = headers.get("Sec-Fetch-Mode") == "navigate" and headers.get("Sec-Fetch-Dest", "document") == "document"
    return request.method == "GET" and top and (path == "/" or path.startswith("/archives/"))


def _port(request: web.Request) -> int:
    address = request.transport and request.transport.get_extra_info("sockname")
    return int(address[1]) if address else 0

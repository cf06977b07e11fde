"""Pages and API over HTTP: who may come in, and the handshake of a session.

    GET  /                          the operator's page (built from web/)
    GET  /api/info                  {version, rig, title, busy}
    GET  /api/state                 the newest AvatarState, for `curl`
    POST /api/session               {"role", "takeover"} -> {"session", "sdp", "type": "offer"}, or 409
    POST /api/session/{id}/answer   {"sdp", "type": "answer"} -> {}
    .../api/overlay...              the overlay: see `elsewhere.server.overlay`

A request from a page of another origin is refused, and so is one for another host name (DNS
rebinding). An avatar that is reachable from other machines asks for a key: `?key=`, the header
`X-Elsewhere-Key`, or the cookie that the page gets when it is opened with the key.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from aiohttp import web

from elsewhere.errors import ElsewhereError, LinkError
from elsewhere.link.session import ROLES, SeatTakenError

if TYPE_CHECKING:
    from elsewhere.server.server import AvatarServer

STATIC = Path(__file__).resolve().parent / "static"
COOKIE = "elsewhere-key"
MAX_BODY = 256 * 1024
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Elsewhere</title>
<body style="font: 16px/1.5 system-ui; max-width: 40em; margin: 4em auto">
<h1>The page is not built</h1>
<p>The avatar is running, but its page is not there. In the checkout run
<code>npm ci &amp;&amp; npm run build</code> in <code>web/</code>, then load this page again.
An installed package carries the page.</p></body></html>"""


def make_app(server: AvatarServer) -> web.Application:
    """The application of one avatar server."""
    app = web.Application(
        client_max_size=MAX_BODY, middlewares=[_errors, _same_origin(server), _key(server)]
    )
    routes = _Routes(server)
    app.router.add_get("/", routes.page)
    app.router.add_get("/api/info", routes.info)
    app.router.add_get("/api/state", routes.state)
    app.router.add_post("/api/session", routes.session)
    app.router.add_post("/api/session/{id}/answer", routes.answer)
    server.overlay.add_routes(app.router)
    app.router.add_get("/{path:.+}", routes.asset)
    return app


class _Routes:
    """The handlers."""

    def __init__(self, server: AvatarServer) -> None:
        self._server = server

    async def page(self, request: web.Request) -> web.StreamResponse:
        """The operator's page, or how to build it."""
        index = self._server.static / "index.html"
        response: web.StreamResponse
        if index.is_file():
            response = web.FileResponse(index, headers={"Cache-Control": "no-cache"})
        else:
            response = web.Response(text=NOT_BUILT, content_type="text/html", status=503)
        if self._server.key:
            response.set_cookie(COOKIE, self._server.key, httponly=True, samesite="Strict")
        return response

    async def asset(self, request: web.Request) -> web.StreamResponse:
        """A file of the built page."""
        root = self._server.static.resolve()
        path = (root / request.match_info["path"]).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            raise web.HTTPNotFound
        return web.FileResponse(path)

    async def info(self, request: web.Request) -> web.Response:
        """Who this avatar is, and whether someone drives it."""
        return web.json_response(self._server.info())

    async def state(self, request: web.Request) -> web.Response:
        """The newest state as JSON."""
        state = self._server.state
        if state is None:
            return _error(503, "No state yet: the control process has not ticked. Try again in a second.")
        return web.Response(body=msgspec.json.encode(state), content_type="application/json")

    async def session(self, request: web.Request) -> web.Response:
        """Claim a seat and get the server's offer."""
        body = await _json(request)
        role, takeover = body.get("role", "operator"), body.get("takeover", False)
        if role not in ROLES or not isinstance(takeover, bool):
            raise LinkError('The body must be {"role": "operator" or "viewer", "takeover": true or false}.')
        id, sdp = await self._server.open_session(role, takeover)
        return web.json_response({"session": id, "sdp": sdp, "type": "offer"})

    async def answer(self, request: web.Request) -> web.Response:
        """Finish the handshake."""
        body = await _json(request)
        sdp = body.get("sdp")
        if not isinstance(sdp, str) or body.get("type") != "answer":
            raise LinkError('The body must be {"sdp": text, "type": "answer"}.')
        if not await self._server.answer_session(request.match_info["id"], sdp):
            return _error(404, "There is no such session, or it has ended. Ask for a new one.")
        return web.json_response({})


async def _json(request: web.Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except ValueError as error:
        raise LinkError("The body is not JSON.") from error
    if not isinstance(body, dict):
        raise LinkError("The body must be a JSON object.")
    return body


def _error(status: int, text: str) -> web.Response:
    return web.json_response({"error": text}, status=status)


@web.middleware
async def _errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Every error of the API is JSON with one sentence."""
    try:
        return await handler(request)
    except SeatTakenError as error:
        return _error(409, str(error))
    except ElsewhereError as error:
        return _error(400, str(error))


def _same_origin(server: AvatarServer) -> Any:
    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        host = urlsplit(f"//{request.host}").hostname or ""
        if server.loopback and host not in LOOPBACK_NAMES:
            return _error(403, f"The host '{host}' is refused. Open the avatar at {server.url}.")
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            return _error(403, f"A page of {origin} may not use this avatar. Open {server.url}.")
        return await handler(request)

    return check


def _key(server: AvatarServer) -> Any:
    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        guarded = request.path == "/" or request.path.startswith("/api/")
        if server.key and guarded:
            given = (
                request.query.get("key")
                or request.headers.get("X-Elsewhere-Key")
                or request.cookies.get(COOKIE)
                or ""
            )
            if not hmac.compare_digest(given.encode(), server.key.encode()):
                return _error(403, "A key is needed. Open the address that the avatar printed, with ?key=.")
        return await handler(request)

    return check

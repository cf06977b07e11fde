from __future__ import annotations

from pathlib import Path

import aiohttp
import pytest
from server_stage import Stage, until

from elsewhere.errors import LinkError
from elsewhere.link.client import connect


async def test_pages_and_api(stage: Stage, tmp_path: Path) -> None:
    server = stage.server
    server.static = tmp_path
    base = server.url.rstrip("/")
    async with aiohttp.ClientSession() as http:
        page = await http.get(base + "/")
        assert page.status == 503
        assert "npm run build" in await page.text()
        (tmp_path / "index.html").write_text("hello")
        (tmp_path / "assets").mkdir()
        (tmp_path / "assets" / "a.js").write_text("1")
        assert await (await http.get(base + "/")).text() == "hello"
        assert (await http.get(base + "/overlay")).status == 503
        (tmp_path / "overlay.html").write_text("overlay")
        for path in ("/overlay", "/overlay.html"):
            assert await (await http.get(base + path)).text() == "overlay"
        assert await (await http.get(base + "/assets/a.js")).text() == "1"
        assert (await http.get(base + "/assets/b.js")).status == 404
        assert (await http.get(base + "/%2e%2e/%2e%2e/etc/passwd")).status == 404
        info = await (await http.get(base + "/api/info")).json()
        assert info["rig"] == "small"
        assert info["busy"] is False
        await until(lambda: server.state is not None)
        state = await (await http.get(base + "/api/state")).json()
        assert state["type"] == "AvatarState"
        assert state["mode"] == "track"


async def test_what_the_api_refuses(stage: Stage) -> None:
    base = stage.server.url.rstrip("/")
    async with aiohttp.ClientSession() as http:
        for body in (b"", b"[]", b"{", b'{"role": "king"}', b'{"takeover": 1}'):
            reply = await http.post(base + "/api/session", data=body)
            assert reply.status == 400
            assert (await reply.json())["error"]
        answer = {"sdp": "v=0", "type": "answer"}
        assert (await http.post(base + "/api/session/nobody/answer", json=answer)).status == 404
        offer = await (await http.post(base + "/api/session", json={"role": "operator"})).json()
        assert offer["type"] == "offer"
        assert "127.0.0.1" in offer["sdp"]
        assert (await http.post(base + "/api/session", json={"role": "operator"})).status == 409
        reply = await http.post(f"{base}/api/session/{offer['session']}/answer", json=answer)
        assert reply.status == 400  # an answer that cannot be used frees the seat
        assert stage.server.seats.operator is None
        foreign = {"Origin": "http://evil.example"}
        assert (await http.post(base + "/api/session", json={}, headers=foreign)).status == 403
        assert (await http.get(base + "/api/info", headers={"Host": "evil.example"})).status == 403


async def test_other_machines_need_a_key(stage: Stage) -> None:
    with pytest.raises(LinkError, match="key"):
        stage.make_server(host="0.0.0.0", key="")
    assert len(stage.make_server(host="0.0.0.0").key) >= 20
    guarded = stage.make_server(key="secret-key")
    await guarded.start()
    try:
        assert guarded.url.endswith("?key=secret-key")
        base = f"http://127.0.0.1:{guarded.port}"
        async with aiohttp.ClientSession() as http:
            assert (await http.get(base + "/api/info")).status == 403
            assert (await http.get(base + "/api/info?key=wrong")).status == 403
            assert (await http.get(base + "/overlay.html")).status == 403
            assert (await http.get(base + "/api/info?key=secret-key")).status == 200
            assert (await http.get(base + "/?key=secret-key")).cookies[
                "elsewhere-key"
            ].value == "secret-key"
        with pytest.raises(LinkError, match="key"):
            async with connect(base):
                pass
        async with connect(guarded.url, "viewer") as client:
            assert not client.welcome.drives
    finally:
        await guarded.stop()

"""Who may come in, from where, and what every answer says to the browser."""

import re
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
import pytest_asyncio

from nemuri.web.options import WebOptions
from nemuri.web.principals import Principal
from nemuri.web.tokens import TokenError, Tokens, digest_of, tokens_directory
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import running_services
from tests.integration.web_gateway import ANY_PORT, Gateway, running_gateway

pytestmark = [pytest.mark.connected]


@pytest_asyncio.fixture(loop_scope="session")
async def gateway(settings: Settings) -> AsyncIterator[Gateway]:
    """A gateway beside the services that answer questions."""
    async with running_services(settings, ["projector", "query-api"]), running_gateway(settings) as served:
        yield served


async def test_nothing_is_shown_without_a_token(gateway: Gateway) -> None:
    """Answer 401 without a token, with a wrong one and with a forged cookie."""
    port = httpx2.URL(gateway.served.url).port
    async with httpx2.AsyncClient(base_url=gateway.served.url) as stranger:
        for path in ("/", "/log", "/operations", "/api/v1/tasks"):
            assert (await stranger.get(path)).status_code == 401
        assert (await stranger.get("/enter", params={"token": "guessed"})).status_code == 401
        assert (await stranger.get("/", headers={"Authorization": "Bearer guessed"})).status_code == 401
        assert (await stranger.get("/", headers={"Cookie": f"nemuri_session_{port}=a.b"})).status_code == 401


async def test_the_probes_need_no_token(gateway: Gateway) -> None:
    """Answer health, readiness and metrics to a stranger, and say nothing of the contents."""
    async with httpx2.AsyncClient(base_url=gateway.served.url) as stranger:
        assert (await stranger.get("/health")).json() == {"healthy": True}
        assert (await stranger.get("/ready")).json() == {"ready": True, "missing": []}
        assert "process_cpu_seconds_total" in (await stranger.get("/metrics")).text


async def test_the_link_is_exchanged_for_a_cookie_that_is_not_the_token(gateway: Gateway) -> None:
    """Set a strict cookie without the token, and take the token out of the address."""
    async with httpx2.AsyncClient(base_url=gateway.served.url) as browser:
        entered = await browser.get(gateway.served.link)
        cookie = entered.headers["set-cookie"]
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert gateway.served.link.partition("token=")[2] not in cookie
        assert (await browser.get("/")).status_code == 200


async def test_a_change_from_another_site_is_refused(gateway: Gateway) -> None:
    """Refuse a change without the change token, from another origin, or of unknown origin; accept a page's own."""
    async with gateway.browser() as browser:
        token = browser.headers.pop("X-CSRF-Token")
        assert (await browser.post("/leave")).status_code == 403
        browser.headers["X-CSRF-Token"] = token
        for foreign in (
            {"Origin": "http://evil.example"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "none"},
        ):
            assert (await browser.post("/leave", headers=foreign)).status_code == 403
        del browser.headers["Origin"]
        assert (await browser.post("/leave")).status_code == 403
        assert (await browser.post("/leave", headers={"Origin": gateway.served.url})).status_code == 204
        assert (await browser.get("/")).status_code == 401


async def test_another_host_name_is_refused_on_loopback(gateway: Gateway) -> None:
    """Refuse a name that another site may have given to the loopback address."""
    async with gateway.browser() as browser:
        assert (await browser.get("/", headers={"Host": "evil.example"})).status_code == 421
        assert (await browser.get("/", headers={"Host": "localhost:80"})).status_code == 401  # has no cookie there


async def test_a_revoked_token_opens_nothing(gateway: Gateway) -> None:
    """Refuse a token from the moment it is revoked, and the cookie that was made from it."""
    tokens = Tokens(tokens_directory(gateway.settings))
    token = tokens.issue(Principal("ann"))
    async with httpx2.AsyncClient(base_url=gateway.served.url) as browser:
        assert (await browser.get("/enter", params={"token": token})).status_code == 303
        assert (await browser.get("/")).status_code == 200
        tokens.revoke(digest_of(token))
        assert (await browser.get("/")).status_code == 401
        assert (await browser.get("/", headers={"Authorization": f"Bearer {token}"})).status_code == 401


async def test_read_only_mode_refuses_every_change(settings: Settings) -> None:
    """Refuse changes of the operator in read-only mode, and of a read-only token otherwise."""
    async with running_services(settings, ["projector", "query-api"]):
        async with (
            running_gateway(settings, WebOptions(ANY_PORT, read_only=True)) as gateway,
            gateway.browser() as page,
        ):
            refused = await page.post("/leave")
            assert (refused.status_code, "read-only" in refused.text) == (403, True)
        reader = Principal(OPERATOR, read_only=True)
        async with running_gateway(settings) as gateway, gateway.program(reader) as program:
            assert (await program.post("/leave")).status_code == 403


async def test_a_proxy_names_the_client_only_from_its_own_address(settings: Settings) -> None:
    """Believe the header of a trusted proxy, and nobody else's."""
    async with running_services(settings, ["projector", "query-api"]), httpx2.AsyncClient() as browser:
        for proxies, status in ((("127.0.0.1",), 200), ((), 401)):
            options = WebOptions(ANY_PORT, proxy_header="X-Forwarded-User", proxies=proxies)
            async with running_gateway(settings, options) as gateway:
                answer = await browser.get(gateway.served.url, headers={"X-Forwarded-User": "ann"})
                assert answer.status_code == status


async def test_another_site_is_let_into_the_api_alone(settings: Settings) -> None:
    """Allow the API to pages of a named site, and nothing to others. Refuse to start with what is no origin."""
    named, other = "https://app.example.org", "https://example.org"
    asked = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}
    options = WebOptions.of(ANY_PORT, allow_origin=["HTTPS://app.example.org:443/"])
    async with (
        running_services(settings, ["projector", "query-api"]),
        running_gateway(settings, options) as gateway,
        gateway.program(Principal("ann")) as program,
        httpx2.AsyncClient(base_url=gateway.served.url) as browser,
    ):
        for path, origin, allowed in (("/api/v1/status", named, 1), ("/api/v1/status", other, 0), ("/", named, 0)):
            answer = await program.get(path, headers={"Origin": origin})
            assert (answer.status_code, "access-control-allow-origin" in answer.headers) == (200, allowed)
            asking = await browser.options(path, headers={"Origin": origin, **asked})
            assert (asking.status_code == 200) == allowed
    for wrong in ("app.example.org", "https://app.example.org/page", "*", "null", "file:///tmp", "https://a b"):
        with pytest.raises(ValueError, match="is no origin"):
            WebOptions.of(ANY_PORT, allow_origin=[wrong])


async def test_every_answer_forbids_what_comes_from_elsewhere(gateway: Gateway) -> None:
    """Send a content policy without inline scripts and other hosts, on pages, files and errors."""
    async with gateway.browser() as browser:
        for path in ("/", "/static/window.js", "/nothing-here"):
            policy = (await browser.get(path)).headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert "http" not in policy


async def test_another_client_sees_no_way_to_what_only_the_operator_may_do(gateway: Gateway) -> None:
    """Offer other clients only the pages that they may open."""
    async with gateway.program(Principal("ann")) as program:
        page = (await program.get("/")).text
        offered = re.findall(r'<li><a href="(/\w*)"', page)
        assert offered == ["/", "/ask", "/tasks", "/agents"]
        assert [(await program.get(path)).status_code for path in offered] == [200] * 4
        for path in ("/sleep", "/time", "/societies", "/log", "/log/events", "/operations"):
            refused = await program.get(path)
            assert (refused.status_code, "only the operator may do this" in refused.text) == (403, True)


def test_a_refused_token_leaves_nothing_behind(tmp_path: Path) -> None:
    """Create no directory for a token that is not made, and a private one for the first that is."""
    tokens = Tokens(tmp_path / "data" / "window")
    with pytest.raises(TokenError, match="name of a service"):
        tokens.issue(Principal("tutor"))
    assert tokens.all() == []
    assert list(tmp_path.iterdir()) == []
    tokens.issue(Principal("ann"))
    assert [stat.S_IMODE(path.stat().st_mode) for path in sorted(tmp_path.rglob("*"))] == [0o700, 0o700, 0o600]

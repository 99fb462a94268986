"""The TypeScript client in Node and in a browser, against a running platform."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from nemuri.client.client import Client
from nemuri.platform.serving import prepare
from nemuri.web.http_server import serve_application
from nemuri.web.options import WebOptions
from nemuri.web.principals import Principal
from nemuri.web.tokens import Tokens, tokens_directory
from nemuri_contracts.event import OPERATOR
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.models.protocol import Job
from tests.integration.harness import CountingModel, agent_defined, connected_client, running_services
from tests.integration.servers import Servers
from tests.integration.typescript import package_of_client
from tests.integration.web_gateway import ANY_PORT, Gateway, running_gateway
from tests.integration.window.browser import chromium
from tests.node_packages import NODE, run

pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("typescript")]
HERE = Path(__file__).parent
LAMP = "The lamp of Ann costs 5 euro."


@dataclass
class WritingModel(CountingModel):
    """A model that repeats the beginning of its answer until somebody has seen it."""

    seen: asyncio.Event = field(default_factory=asyncio.Event)

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Show the beginning of an answer, then answer."""
        while isinstance(job, AnswerJob) and job.on_text is not None and not self.seen.is_set():
            await job.on_text(0, "The lamp")
            await asyncio.sleep(0.1)  # pieces are lost while nobody listens
        return await super().do(job)


@dataclass(frozen=True)
class Program:
    """A program that uses the client, with its own site, and the platform that it talks to."""

    directory: Path
    site: str
    """Origin of the program's pages."""
    gateway: Gateway
    client: Client
    model: WritingModel

    async def given(self) -> dict[str, str]:
        """Return the values for a run of the scenario."""
        self.model.seen.clear()
        tokens = Tokens(tokens_directory(self.gateway.settings))
        secret = await self.client.remember("python", "The safe of Ann opens with 4711.", tags=["safes"])
        return {
            "url": self.gateway.served.url,
            "token": tokens.issue(Principal("ann")),
            "operatorToken": tokens.issue(Principal(OPERATOR)),
            "conversation": f"garden-{uuid4()}",
            "memory": str(secret),
            "seen": f"{self.site}/seen",
        }


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the client's sources with the compiler."""
    return await package_of_client.prepared(tmp_path_factory.mktemp("typescript"))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def program(copy: Path, servers: Servers) -> AsyncIterator[Program]:
    """A program with the packed client, beside a platform that lets its pages in."""
    directory, settings, model = copy.parent / "program", servers.settings(), WritingModel()
    directory.mkdir()
    (directory / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
    files = await package_of_client.installed(copy, directory)
    assert {"dist/index.js", "dist/index.d.ts", "README.md"} <= {*files}
    for script in HERE.glob("*.js"):
        shutil.copyfile(script, directory / script.name)
    await prepare(settings)
    async with (
        running_services(settings, models=Models(main=model, light=model)) as resources,
        connected_client(settings) as client,
        serve_application(_pages(directory, model), ANY_PORT) as site,
        running_gateway(settings, WebOptions.of(ANY_PORT, allow_origin=[site])) as gateway,
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        await client.remember("python", LAMP, tags=["lamps"])
        await client.remember("python", "Ann likes mild tea.", person="Ann")
        yield Program(directory, site, gateway, client, model)


def _pages(directory: Path, model: WritingModel) -> Starlette:
    """Return the site of the program: an empty page, its scripts, and an address that tells what it saw."""

    async def page(_: Request) -> Response:
        return HTMLResponse("<!doctype html><title>A program</title>")

    async def seen(_: Request) -> Response:
        model.seen.set()
        return Response(status_code=204)

    files = StaticFiles(directory=directory)
    return Starlette(routes=[Route("/", page), Route("/seen", seen, methods=["POST"]), Mount("/files", files)])


async def test_the_types_are_those_of_the_api(tmp_path: Path) -> None:
    """Derive the committed types from the committed OpenAPI document. `make generate` writes them."""
    await package_of_client.derive_types(tmp_path / "api.ts")
    assert package_of_client.TYPES.read_bytes() == (tmp_path / "api.ts").read_bytes()


@pytest.mark.long
async def test_the_compiler_accepts_the_example_and_refuses_wrong_uses(copy: Path) -> None:
    """Compile the example and the client strictly, with uses of which each must be refused."""
    shutil.copyfile(HERE / "wrong-uses.ts", copy / "examples" / "wrong-uses.ts")
    await package_of_client.compile_project(copy / "examples")


async def test_a_program_in_node_uses_the_platform(program: Program) -> None:
    """Converse, recall, ask with drafts, follow, judge, profile and erase; get typed errors; repeat what is safe."""
    values = json.dumps(await program.given())
    done = await run(str(NODE), "in-node.js", values, directory=program.directory)
    assert done.code == 0, done.errors
    judge(json.loads(done.output))


@pytest.mark.long
async def test_a_page_of_another_site_uses_the_platform(program: Program) -> None:
    """Do the same in a browser, from a page of an origin that is allowed. From another one nothing is answered."""
    calls = """async (given) => {
        const [nemuri, { scenario }] = await Promise.all([
            import("/files/node_modules/nemuri/dist/index.js"), import("/files/scenario.js"),
        ]);
        return await scenario(nemuri, given);
    }"""
    refused = """async ({ url, token }) => {
        const { NemuriClient } = await import("/files/node_modules/nemuri/dist/index.js");
        const call = new NemuriClient({ url, token }).feedback("x", { verdict: "helpful" });
        return await call.then(() => "answered", (error) => error.name);
    }"""
    values = await program.given()
    async with chromium() as browser:
        page = await browser.new_page()
        await page.goto(program.site)
        judge(await page.evaluate(calls, values))
        await page.goto(program.site.replace("127.0.0.1", "localhost"))
        assert await page.evaluate(refused, values) == "ConnectionError"


def judge(seen: dict[str, Any]) -> None:
    """Check what a run of the scenario saw."""
    assert (seen["handedOver"], seen["handedOverAgain"]) == (1, 0)
    assert seen["recalled"] == [LAMP]
    assert {*seen["drafts"]} == {"The lamp"}
    assert (seen["answered"][0], "costs 5 euro" in seen["answered"][1]) == ("done", True)
    assert (seen["kinds"][0], seen["kinds"][-1]) == ("task_submitted", "end")
    assert seen["judged"] == "helpful"
    assert "mild tea" in seen["profile"]
    assert (seen["preview"], seen["erased"]) == (["memory"], "done")
    errors = seen["errors"]
    assert [errors[name][0] for name in ("unknown", "invalid", "unsigned", "forbidden")] == [404, 422, 401, 403]
    assert "nobody" in errors["unknown"][1]
    assert errors["aborted"] == "AbortError"
    assert seen["retries"] == {
        "questions": [2, "done"],
        "tasks": [2, "done"],
        "judgements": [1, "unreachable"],
        "judgements while away": [1, 503],
        "judgements in a rush": [2, "done"],
    }

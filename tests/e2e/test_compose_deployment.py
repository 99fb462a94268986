"""The platform in real containers: nothing but `docker compose up`, then faults, a restore and an upgrade."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx2
import pytest
import pytest_asyncio

import nemuri
from nemuri.client.client import Client
from tests.e2e import docker_engine
from tests.e2e.compose_project import HEALTHY_SECONDS, NODES, Project
from tests.e2e.docker_engine import Docker

pytestmark = [
    pytest.mark.containers,
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("containers"),
    pytest.mark.skipif(docker_engine.missing() is not None, reason=str(docker_engine.missing())),
]


AGENT = "control-flow"
"""An agent of the demo."""


def contents(project: Project) -> dict[str, str]:
    """Return the contents of the agent's memories, by id."""
    found = json.loads(project.operate("operator", "memories", AGENT, "--json"))
    assert found
    return {memory["memory_id"]: memory["content"] for memory in found}


@pytest.fixture(scope="module")
def docker() -> Iterator[Docker]:
    """An engine with the images of this checkout."""
    with Docker.running() as engine:
        engine.make_images()
        yield engine


@pytest.fixture(scope="module")
def project(docker: Docker) -> Iterator[Project]:
    """The platform after `docker compose up` and no command before it, with the agents and tasks of the demo."""
    started = Project.fresh(docker, "nemuri")
    started.up()
    assert "verify: 0 differences" in started.operate("operator", "demo", "--running")
    yield started
    started("down", "--volumes", "--timeout", "1")


@pytest_asyncio.fixture(loop_scope="session")
async def ann(project: Project, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Client]:
    """A client on this machine, with the environment that the containers have written for it."""
    for variable, value in project.client("ann").items():
        monkeypatch.setenv(variable, value)
    async with nemuri.connect() as client:
        yield client


def test_the_image_is_small_and_no_container_is_root_or_may_write(docker: Docker, project: Project) -> None:
    """The image has at most 350 MB; its user is not root, and the file system is read-only."""
    assert int(docker("image", "inspect", "--format", "{{.Size}}", "nemuri").stdout) <= 350_000_000
    told = docker(
        "exec", project.container("intake"), "sh", "-c", "id -u; touch /home/nemuri/x 2>&1", check=False
    ).stdout
    assert told.splitlines()[0] == "10001"
    assert "Read-only file system" in told


def test_the_window_is_served_on_this_machine(project: Project) -> None:
    """The log of the window has a link that shows the window."""
    link = re.search(r"the window is at (\S+)", project.logs("window"))
    assert link is not None
    port = project.ports["NEMURI_WINDOW_PORT"]
    with httpx2.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True) as browser:
        browser.get(link[1].partition(":7411")[2]).raise_for_status()
        assert AGENT in browser.get("/agents").raise_for_status().text


async def test_tasks_are_answered_while_a_node_is_killed_and_specialists_are_scaled(
    project: Project, ann: Client
) -> None:
    """Every task that was submitted is answered although a node of the log dies and three specialists share the work;
    the tables agree with the log, and the node catches up.
    """
    await asyncio.to_thread(project, "up", "--detach", "--no-recreate", "--scale", "specialist=3", "specialist")
    asked = [asyncio.create_task(ann.ask(f"What does the statement number {n} do?", agent=AGENT)) for n in range(4)]
    await asyncio.to_thread(project.docker, "kill", project.container("nats-3"))
    asked += [asyncio.create_task(ann.ask(f"What does the clause number {n} do?", agent=AGENT)) for n in range(4)]
    answers = await asyncio.gather(*asked)
    assert [answer.status for answer in answers] == ["done"] * 8
    await asyncio.to_thread(project.up, "--scale", "specialist=3")
    assert "0 differences" in await asyncio.to_thread(project.operate, "operator", "verify")
    copies = await asyncio.to_thread(project.operate, "operator", "verify", "--replicas")
    assert copies.count("3 copies") == len(copies.splitlines())


async def test_an_upgrade_is_rolled_while_tasks_are_answered(project: Project, ann: Client, tmp_path: Path) -> None:
    """Containers of another image take over one after the other, and every task is answered. The servers stay."""
    servers = [project.container(name) for name in (*NODES, "postgres")]
    (tmp_path / "Dockerfile").write_text("FROM nemuri\n", encoding="utf-8")
    await asyncio.to_thread(project.docker, "build", "--tag", "nemuri", "--label", "version=next", tmp_path)
    stop = asyncio.Event()

    async def ask() -> int:
        number = 0
        while not stop.is_set():
            number += 1
            answer = await ann.ask(f"What is an expression of kind {number}?", agent=AGENT, timeout=HEALTHY_SECONDS)
            assert answer.status == "done"
        return number

    asking = asyncio.create_task(ask())
    for name in ("projector", "query-api", "specialist", "orchestrator", "intake"):
        await asyncio.to_thread(project, "up", "--detach", "--no-deps", name)
    await asyncio.to_thread(project.up)
    assert [project.container(name) for name in (*NODES, "postgres")] == servers
    stop.set()
    assert await asking >= 1
    assert "0 differences" in await asyncio.to_thread(project.operate, "operator", "verify")


def test_a_backup_is_restored_elsewhere(docker: Docker, project: Project) -> None:
    """A backup of one deployment, restored into an empty one of its own, has the same memories."""
    memories = contents(project)
    project.operate("operator", "backup", "/var/lib/nemuri/monday")
    elsewhere = Project.fresh(docker, "elsewhere")
    project("stop", "--timeout", "40")
    elsewhere.up()
    elsewhere.operate("operator", "status")  # its volume belongs to the user who is the first to mount it
    volumes = [f"{name}_operations:/{name}" for name in ("nemuri", "elsewhere")]
    copy = "cp -r /nemuri/monday /elsewhere/monday && chown -R 10001 /elsewhere/monday"
    mounts = [word for volume in volumes for word in ("--volume", volume)]
    docker("run", "--rm", "--user", "0", "--network", "none", *mounts, "nemuri", "sh", "-c", copy)
    elsewhere.operate("importer", "restore", "/var/lib/nemuri/monday")
    assert contents(elsewhere) == memories
    assert "0 differences" in elsewhere.operate("operator", "verify")
    elsewhere("down", "--volumes", "--timeout", "1")


def test_nobody_asks_for_more_than_it_may(project: Project) -> None:
    """No node of the log has denied a permission during all this."""
    denied = [line for node in NODES for line in project.logs(node).splitlines() if "Permissions Violation" in line]
    assert denied == []

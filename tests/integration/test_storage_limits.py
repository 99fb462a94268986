"""Limits of storage, and the probe that detects a server that can no longer write."""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import nats
import pytest
import pytest_asyncio
import yaml
from nats.js import JetStreamContext
from nats.js.errors import APIError, ServiceUnavailableError

from nemuri.platform.serving import prepare
from nemuri_contracts.subjects import Subjects
from nemuri_infra.embedded.listen_addresses import free_port
from nemuri_infra.runtime.extension_stores import extension_stores
from nemuri_infra.runtime.readiness import Readiness
from nemuri_infra.runtime.settings import MEGABYTE, Settings
from nemuri_infra.runtime.storage_limits import (
    SHARES,
    WARNING_SHARE,
    limits,
    nearly_full,
    stream_usage,
    streams,
    used_shares,
    warnings,
)
from tests.faults.machines import Disk
from tests.integration.harness import agent_defined, connected_client, eventually, opened_log, running_services

pytestmark = pytest.mark.connected

DEPLOY = Path(__file__).parents[2] / "infra" / "deploy"
PROBE = DEPLOY / "alive.sh"
SUBSTITUTE_NC = """#!{python}
import socket, sys
line = socket.create_connection((sys.argv[1], int(sys.argv[2])), 5)
line.sendall(sys.stdin.buffer.read())
while data := line.recv(65536):
    sys.stdout.buffer.write(data)
"""


def probe(port: int, tools: Path) -> int:
    """Run the probe script of the deployments, with a substitute for the image's `nc`, and return its exit code."""
    (tools / "nc").write_text(SUBSTITUTE_NC.format(python=sys.executable))
    (tools / "nc").chmod(0o755)
    known = {"PATH": f"{tools}:{os.environ['PATH']}"}
    return subprocess.run(["sh", PROBE, str(port)], env=known, capture_output=True, check=False).returncode


async def fill(context: JetStreamContext, subject: str) -> None:
    """Publish messages until the server refuses one, at most 500 MB."""
    for _ in range(1_000):
        await context.publish(subject, os.urandom(500_000))


@pytest_asyncio.fixture(loop_scope="session")
async def disk() -> AsyncIterator[Disk]:
    """A small file system that a test can fill."""
    directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    async with Disk.mounted(directory / "disk", 64) as mounted:
        if mounted is None:
            shutil.rmtree(directory)
            pytest.skip("only root may mount a disk")
        yield mounted
    shutil.rmtree(directory)


@pytest.mark.long
async def test_the_probe_fails_for_a_server_that_cannot_write(disk: Disk, tmp_path: Path) -> None:
    """After a failed write the probe fails until the server is restarted, even if there is free space again."""
    port, watched = free_port(), free_port()
    binary = Path(sysconfig.get_path("scripts")) / "nats-server"
    config = tmp_path / "nats.conf"
    config.write_text(
        f'listen: "127.0.0.1:{port}"\nhttp: "127.0.0.1:{watched}"\n'
        f'jetstream {{ store_dir: "{disk.path}", max_file_store: 1PB }}\n'
    )
    assert probe(watched, tmp_path) == 2
    server = await asyncio.create_subprocess_exec(binary, "-c", config, stderr=asyncio.subprocess.DEVNULL)

    async def answers() -> bool:
        """Return True if the probe succeeds."""
        return await asyncio.to_thread(probe, watched, tmp_path) == 0

    try:
        await eventually(answers)
        connection = await nats.connect(f"nats://127.0.0.1:{port}")
        context = connection.jetstream(timeout=2)
        await context.add_stream(name="log", subjects=["log"])
        with pytest.raises((TimeoutError, APIError)):
            await fill(context, "log")
        assert await asyncio.to_thread(probe, watched, tmp_path) == 1
        disk.megabytes = 128
        disk.empty()
        with pytest.raises((TimeoutError, APIError)):
            await context.publish("log", b"x")
        assert await asyncio.to_thread(probe, watched, tmp_path) == 1
        await connection.close()
        server.send_signal(signal.SIGTERM)
        await server.wait()
        server = await asyncio.create_subprocess_exec(binary, "-c", config, stderr=asyncio.subprocess.DEVNULL)
        await eventually(answers)
        connection = await nats.connect(f"nats://127.0.0.1:{port}")
        await connection.jetstream().publish("log", b"x")
        await connection.close()
    finally:
        if server.returncode is None:
            server.kill()
            await server.wait()


def test_containers_use_the_probe() -> None:
    """Each container of the log mounts and runs the probe, and the failing health check ends the server."""
    compose = yaml.safe_load((DEPLOY.parents[1] / "docker-compose.yml").read_text())
    for node in ("nats-1", "nats-2", "nats-3"):
        each = compose["services"][node]
        assert "./infra/deploy/alive.sh:/etc/nats/alive.sh:ro" in each["volumes"]
        assert each["restart"] == "unless-stopped"
        [_, test] = each["healthcheck"]["test"]
        assert test.startswith("sh /etc/nats/alive.sh; [ $$? = 1 ] && kill 1; ")


async def test_a_full_log_accepts_messages_once_its_limit_is_raised(settings: Settings) -> None:
    """A full log refuses messages and deletes nothing. It accepts messages again once its limit is raised."""
    small = settings.model_copy(update={"storage": 16})
    await prepare(small)
    async with opened_log(settings) as log:
        bounds = limits(log.subjects, 16 * MEGABYTE)
        for name in streams(log.subjects).values():
            assert (await log.stream.stream_info(name)).config.max_bytes == bounds[name]
        subject = f"{settings.namespace}.client.-.ann.nothing"
        with pytest.raises(ServiceUnavailableError, match="maximum bytes"):
            await fill(log.stream, subject)
        stored = (await log.stream.stream_info(log.subjects.stream)).state
        assert stored.bytes <= bounds[log.subjects.stream]
        full = used_shares(await stream_usage(log))
        assert nearly_full(full) == {"log"}
        [line] = warnings(full)
        assert re.fullmatch(r"log: \d+% of the limit is used; raise NEMURI_STORAGE .*", line)
        await prepare(settings.model_copy(update={"storage": 16}))
        assert (await log.stream.stream_info(log.subjects.stream)).state.messages == stored.messages
        await prepare(settings.model_copy(update={"storage": 64}))
        await log.stream.publish(subject, b"x")
        assert (await log.stream.stream_info(log.subjects.stream)).state.messages == stored.messages + 1
        await prepare(settings)
        assert used_shares(await stream_usage(log)) == {}


async def test_a_limit_below_the_stored_size_deletes_nothing(settings: Settings) -> None:
    """In every kind of stream, a limit below the stored size deletes nothing and refuses the next message."""
    async with opened_log(settings) as log:
        places = {
            log.subjects.stream: f"{settings.namespace}.client.-.ann.nothing",
            f"KV_{settings.namespace}-vectors": f"$KV.{settings.namespace}-vectors.x.{{}}",
            f"OBJ_{settings.namespace}-blobs": f"$O.{settings.namespace}-blobs.C.x.{{}}",
        }
        for subject in places.values():
            for number in range(20):
                await log.stream.publish(subject.format(number), os.urandom(600_000))
        await prepare(settings.model_copy(update={"storage": 16}))
        for stream, subject in places.items():
            assert (await log.stream.stream_info(stream)).state.messages == 20
            with pytest.raises(ServiceUnavailableError, match="maximum bytes"):
                await log.stream.publish(subject.format(20), b"x")


async def test_a_nearly_full_log_is_reported(settings: Settings) -> None:
    """`/ready` and `/metrics` report a nearly full log, and the worker stays ready. Raising the limit ends the
    report.
    """
    await prepare(settings.model_copy(update={"storage": 16}))
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        readiness = Readiness(resources, (), {})
        assert not nearly_full((await readiness.report()).fill_levels)
        with pytest.raises(ServiceUnavailableError):
            await fill(resources.log.stream, f"{settings.namespace}.client.-.ann.nothing")
        readiness = Readiness(resources, (), {})
        report = await readiness.report()
        assert report.ready
        assert nearly_full(report.fill_levels) == {"log"}
        shown = resources.metrics.exposition().decode()
        [share] = re.findall(r'^nemuri_storage_used_ratio\{stream="log"\} (\S+)$', shown, re.MULTILINE)
        assert float(share) > WARNING_SHARE
        await prepare(settings.model_copy(update={"storage": 64}))
        assert (await client.ask("What is truth?")).status == "done"


def test_every_stream_has_a_share_of_the_limit(settings: Settings) -> None:
    """Every stream has a share of the storage limit, and the shares sum up to at most 1."""
    shares = {**SHARES, **{store.content: store.share for store in extension_stores(settings.namespace)}}
    assert sum(shares.values()) <= 1
    assert streams(Subjects(settings.namespace)).keys() == shares.keys()

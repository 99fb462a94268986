"""The copies of a log on three servers are compared: a flipped bit is found, and its server filled anew."""

import asyncio
import json
import shutil
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from nats.js.errors import NotFoundError

from nemuri.platform.serving import prepare
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.replica_comparison import ReplicaError, compare_replicas, reader_on
from nemuri_infra.embedded.nats import EmbeddedNatsCluster
from nemuri_infra.runtime.settings import Settings
from tests.e2e.conftest import SCRIPT, environment
from tests.integration.harness import agent_defined, eventually, opened_log, retried
from tests.integration.servers import Servers, prepared_cluster

pytestmark = pytest.mark.connected
AGENTS = 200
FLIPPED = 100
"""Number of the event with a flipped bit."""


def ignored(done: int, total: int) -> None:
    """Take the progress of a comparison."""
    assert 0 <= done <= total


async def verified(settings: Settings, directory: Path, *options: str) -> tuple[int, str, str]:
    """Run `nemuri verify --replicas` and return its exit code, its output and its errors."""
    urls = environment(NATS_URL=str(settings.nats_url), DATABASE_URL=str(settings.database_url))
    told = {**urls, "NEMURI_NAMESPACE": settings.namespace}
    command = (str(SCRIPT), "--data", str(directory), "verify", "--replicas", *options)
    running = await asyncio.create_subprocess_exec(
        *command, env=told, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, said = await running.communicate()
    return running.returncode or 0, out.decode(), said.decode()


def blocks(cluster: EmbeddedNatsCluster, log: Log, node: int) -> Path:
    """Return the directory in which a node keeps the messages of the log."""
    [found] = (cluster.directory / f"node{node}").glob(f"**/streams/{log.subjects.stream}/msgs")
    return found


def flip(stored: Path, word: str) -> None:
    """Flip one bit of the message that contains a word, in the blocks of a server that does not run."""
    [block] = [path for path in stored.glob("*.blk") if word.encode() in path.read_bytes()]
    content = bytearray(block.read_bytes())
    content[content.index(word.encode())] ^= 1
    block.write_bytes(content)


async def current(log: Log) -> bool:
    """Return True if no copy of the log lags behind its leader, by the leader's account."""
    info = await retried(lambda: log.stream.stream_info(log.subjects.stream))
    copies = (info.cluster.replicas or []) if info.cluster and info.cluster.leader else []
    return len(copies) == 2 and all(copy.current and not copy.offline for copy in copies)


async def follower(log: Log) -> int:
    """Return the number of a node that does not lead the log."""
    info = await retried(lambda: log.stream.stream_info(log.subjects.stream))
    assert info.cluster is not None
    return next(number for number in range(3) if f"node{number}" != info.cluster.leader)


async def sequences_read(log: Log, server: str) -> set[int]:
    """Return the sequences that a reader of the log gets if its consumer lies on a server."""
    found = set[int]()
    async with AsyncExitStack() as stack:
        pull = await reader_on(stack, log, log.subjects.stream, server)
        while messages := await pull.present():
            found |= {message.metadata.sequence.stream for message in messages}
    return found


@pytest.mark.long
@pytest.mark.slow
async def test_a_rotten_copy_is_found_and_filled_anew(servers: Servers, tmp_path: Path) -> None:
    """A bit of one event flips on one of three servers, and a reader on it misses the event. The comparison names the
    server and the sequence. Filled anew, all copies are equal.
    """
    async with prepared_cluster(servers) as (cluster, settings):
        async with opened_log(settings) as log:
            for number in range(AGENTS):
                await log.append(agent_defined(f"agent{number}"))
            await log.delete(7)
            rotten = await follower(log)
            stored = blocks(cluster, log, rotten)
        await cluster.halt(rotten)
        flip(stored, f"agent{FLIPPED}")
        await cluster.restart(rotten)
        async with opened_log(settings) as log:
            await eventually(lambda: current(log))
            found = await compare_replicas(log, log.subjects.stream, ignored)
            assert found.messages == AGENTS - 1
            assert {name: len(each) for name, each in found.damaged.items()} == {
                f"node{number}": int(number == rotten) for number in range(3)
            }
            [lost] = found.damaged[f"node{rotten}"]
            assert len(await sequences_read(log, f"node{rotten}") ^ {lost}) == AGENTS - 1
        code, out, said = await verified(settings, tmp_path)
        assert (code, f"node{rotten} must be filled anew" in said) == (1, True)
        assert f"node{rotten} lacks, or has otherwise, 1 messages: {lost}" in out

        await cluster.halt(rotten)
        shutil.rmtree(stored)
        await cluster.restart(rotten)
        async with opened_log(settings) as log:
            await eventually(lambda: current(log))
            assert lost in await sequences_read(log, f"node{rotten}")
        code, out, said = await verified(settings, tmp_path, "--json")
        assert (code, said) == (0, "")
        assert [set(map(len, load["damaged"].values())) for load in json.loads(out)] == [{0}, {0}]


@pytest.mark.slow
async def test_a_server_that_is_away_is_named(servers: Servers) -> None:
    """Copies cannot be compared while the server of one is away. The only copy of a single server equals itself."""
    async with prepared_cluster(servers) as (cluster, settings), opened_log(settings) as log:
        away = await follower(log)
        await cluster.kill(away)

        async def noticed() -> bool:
            """Return True once the leader knows that the server is away, and that the other one is not."""
            try:
                info = await retried(lambda: log.stream.stream_info(log.subjects.stream))
            except NotFoundError:  # while the servers elect who knows the streams
                return False
            copies = info.cluster.replicas if info.cluster is not None else None
            return [copy.name for copy in copies or [] if not copy.current] == [f"node{away}"]

        await eventually(noticed)
        with pytest.raises(ReplicaError, match=f"node{away} is away"):
            await retried(lambda: compare_replicas(log, log.subjects.stream, ignored))
    single = servers.settings()
    await prepare(single)
    async with opened_log(single) as log:
        await log.append(agent_defined())
        found = await compare_replicas(log, log.subjects.stream, ignored)
    assert (found.messages, [*found.damaged.values()]) == (1, [()])

"""The costs of an event, a memory and an agent in log, projector and indexes: CPU, bytes and memory."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import numpy as np
import psutil
from sqlalchemy import text

from bench.measuring import cpu_seconds, record
from bench.servers import servers
from bench.synthetic_log import SyntheticLog
from bench.texts import memories
from nemuri_contracts.client_events import MemoryContent, MemoryOffered
from nemuri_domain.strength.aggregate import Content, Memory
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.embedded.nats import EmbeddedNats, EmbeddedNatsCluster
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.projections import tables
from nemuri_infra.projections.index_encoding import encode as encoded_index
from nemuri_infra.projections.projection_writer import ProjectionWriter
from nemuri_infra.runtime.provisioning import provision
from nemuri_infra.runtime.resources import Resources, open_resources

SIZES: Final = (1, 4, 16, 64, 256, 1_000)
"""Numbers of events of the batches that are timed."""
OF_TASKS: Final = (tables.task, tables.chunk, tables.assignment, tables.feedback)
OF_MEMORIES: Final = (tables.memory, tables.memory_state, tables.memory_vector)
COPIES: Final = 3
BODY: Final = b"x" * 500


def of_program(name: str) -> float:
    """Return the CPU seconds that the programs of this name have used, among the children of this process."""
    found = [child for child in psutil.Process().children() if child.name() == name]
    return sum(cpu_seconds(child) + sum(map(cpu_seconds, child.children())) for child in found)


def fitted(sizes: Sequence[float], seconds: Sequence[float]) -> dict[str, float]:
    """Return the cost of a batch and of an event in microseconds that fit the seconds of batches of these sizes best.

    Relative errors count. No cost is negative.
    """
    weights = 1 / np.asarray(seconds)
    matrix = np.stack([np.ones(len(sizes)), np.asarray(sizes)], axis=1) * weights[:, None]
    (batch, event), *_ = np.linalg.lstsq(matrix, np.ones(len(sizes)), rcond=None)
    return {"batch_us": round(max(0.0, float(batch)) * 1e6, 1), "event_us": round(max(0.0, float(event)) * 1e6, 1)}


async def appended(log: Log, alone: int, together: int) -> dict[str, float]:
    """Return what appends cost: one after the other, and many on their way at the same time."""
    offers = [
        MemoryOffered(event_id=uuid4(), client_id="bench", agent_id="ann", memory=MemoryContent(content=each))
        for each in memories(alone + together)
    ]
    seconds = list[float]()
    for offer in offers[:alone]:
        began = time.perf_counter()
        await log.append(offer)
        seconds.append(time.perf_counter() - began)
    used, mine, began = of_program("nats-server"), time.process_time(), time.perf_counter()
    await record(log, offers[alone:])
    wall = time.perf_counter() - began
    return {
        "alone_ms": round(statistics.median(seconds) * 1e3, 2),
        "together_per_second": round(together / wall),
        "server_cpu_us": round((of_program("nats-server") - used) * 1e6 / together, 1),
        "client_cpu_us": round((time.process_time() - mine) * 1e6 / together, 1),
    }


async def of_cluster(alone: int, together: int) -> dict[str, float]:
    """Return what appends cost on three servers that each keep a copy, all on this machine."""
    with tempfile.TemporaryDirectory(prefix="nemuri-bench-") as directory:
        cluster = EmbeddedNatsCluster(Path(directory), COPIES)
        try:
            await cluster.start()
            log = await Log.connect(",".join(cluster.urls), "bench", patient=False)
            try:
                await provision(log, (), ack_wait=30.0, replicas=COPIES)
                return await appended(log, alone, together)
            finally:
                await log.close()
        finally:
            await cluster.stop()


async def of_subjects(few: int, many: int) -> dict[str, float]:
    """Return the memory of a nats-server for each further subject of a stream, after a restart, and how long that took.

    Ids that the server keeps against repetitions are forgotten before.
    """
    with tempfile.TemporaryDirectory(prefix="nemuri-bench-") as directory:
        nats, stored = EmbeddedNats(Path(directory)), 0
        held, seconds = list[int](), list[float]()
        try:
            for number in (few, many):
                await nats.start()
                log = await Log.connect(nats.url, "bench", patient=False)
                await provision(log, (), ack_wait=30.0)
                while stored < number:
                    some = [f"bench.task.{uuid4()}.task_routed" for _ in range(min(500, number - stored))]
                    await asyncio.gather(*(log.stream.publish(subject, BODY) for subject in some))
                    stored += len(some)
                config = (await log.stream.stream_info(log.subjects.stream)).config
                await log.stream.update_stream(replace(config, duplicate_window=0.1))
                await log.close()
                await nats.stop()
                began = time.perf_counter()
                await nats.start()
                seconds.append(time.perf_counter() - began)
                held.append(psutil.Process(nats.pid).memory_info().rss)
        finally:
            await nats.stop()
    return {
        "subjects": many,
        "server_memory_bytes_per_subject": round((held[1] - held[0]) / (many - few)),
        "restart_s": round(seconds[1], 2),
    }


async def of_storage(tasks: int, agents: int, alone: int, together: int) -> dict[str, Any]:
    """Fill a log with synthetic tasks, fold it, and return what both cost and how many bytes they take."""
    async with servers() as settings, open_resources(settings) as resources:
        log = resources.log
        events = list(SyntheticLog(agents=agents).events(tasks))
        subjects = len({log.subjects.of(event) for event in events})
        used = of_program("nats-server")
        number = await record(log, events)
        of_log: dict[str, Any] = {
            "events": number,
            "subjects_per_event": round(subjects / number, 3),
            "bytes_per_event": round((await log.stream.stream_info(log.subjects.stream)).state.bytes / number),
            "server_cpu_us": round((of_program("nats-server") - used) * 1e6 / number, 1),
        }
        del events
        projector = await _folded(resources, number)
        database = await _database_bytes(resources, tasks, agents)
        of_log["one_server"] = await appended(log, alone, together)
    return {"log": of_log, "projector": projector, "database": database}


async def _folded(resources: Resources, until: int) -> dict[str, Any]:
    """Fold the log in batches of several sizes, and return the CPU time of a batch and of an event that fits best.

    Decoding is not part of it.
    """
    writer = ProjectionWriter(resources.projection)
    sizes, spent = list[float](), list[tuple[float, float, float]]()
    for part, size in await _stretches(resources.log, until):
        pieces = _pieces(part, size)
        mine, theirs, began = time.process_time(), of_program("postgres"), time.perf_counter()
        for piece in pieces:
            await writer.fold(piece, resources.log.subjects)
        wall = time.perf_counter() - began
        used = time.process_time() - mine, of_program("postgres") - theirs, wall
        sizes.append(len(part.events) / len(pieces))
        spent.append((used[0] / len(pieces), used[1] / len(pieces), used[2] / len(pieces)))
    costs = {
        name: fitted(sizes, [each[place] for each in spent]) for place, name in enumerate(("fold", "database", "wall"))
    }
    return {**costs, "decode_us": await _decoded(resources.log, until)}


async def _stretches(log: Log, until: int) -> list[tuple[Batch, int]]:
    """Return the log in stretches of up to a thousand events, each with a size of batch, so that sizes take turns.

    Small batches get short stretches, because each of them costs much.
    """
    found, nth = list[tuple[Batch, int]](), 0
    async for read in log.read(0, until):
        rest = read
        while rest.events:
            size = SIZES[nth % len(SIZES)]
            place = min(len(rest.events), max(size, 100))
            part, rest = rest.split(rest.events[place - 1].sequence or 0)
            found.append((part, size))
            nth += 1
    return found


def _pieces(batch: Batch, size: int) -> list[Batch]:
    pieces, rest = list[Batch](), batch
    while rest.events:
        piece, rest = rest.split(rest.events[min(size, len(rest.events)) - 1].sequence or 0)
        pieces.append(piece)
    return pieces


async def _decoded(log: Log, until: int) -> float:
    """Return the microseconds of CPU that this process takes to read and decode an event."""
    mine = time.process_time()
    number = sum([len(batch.events) async for batch in log.read(0, until)])
    return round((time.process_time() - mine) * 1e6 / number, 1)


async def _database_bytes(resources: Resources, tasks: int, agents: int) -> dict[str, float]:
    """Return the bytes of tables with their indexes: of an event, a task, a memory and an agent."""
    size, rows = dict[str, int](), dict[str, int]()
    async with resources.database.reading() as connection:
        for one in (tables.journal, *OF_TASKS, *OF_MEMORIES, tables.agent):
            counted = text(f"SELECT pg_total_relation_size('{one.name}'), count(*) FROM {one.name}")
            size[one.name], rows[one.name] = (await connection.execute(counted)).one()
    known = rows[tables.memory.name]
    return {
        "event": round(size["journal"] / rows["journal"]),
        "task": round(sum(size[one.name] for one in OF_TASKS) / tasks),
        "memory": round(sum(size[one.name] for one in OF_MEMORIES) / known),
        "agent": round(size["agent"] / (agents + 1)),
        "memories": known,
    }


async def of_index(size: int) -> dict[str, float]:
    """Return the bytes that an agent's index takes for each memory: in a process, and as the stored copy."""
    embedder, texts = BuiltInEmbedder(), list(memories(size))
    rows = await embedder.embed_documents(texts)
    ids = [uuid4() for _ in texts]
    now = datetime.now(UTC)
    contents = [
        Content(
            memory_id=memory_id, agent_id="ann", memory=MemoryContent(content=each), links=(), vector="",
            source="client", created_at=now, created=1,
        )
        for memory_id, each in zip(ids, texts, strict=True)
    ]  # fmt: skip
    states = [Memory(memory_id=each, agent_id="ann", stored_strength=0.0, perspectives={}, changed=1) for each in ids]
    index = StrengthIndex(embedder.dimension)
    index.remember(contents, np.asarray(rows))
    index.set_states(states)
    return {
        "process_bytes_per_memory": round(index.nbytes / size),
        "stored_bytes_per_memory": round(len(encoded_index(index, embedder.calibration.digest)) / size),
    }

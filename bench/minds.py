"""Time of a recall when many agents with large memories are asked at skewed load, in limited memory.

    python -m bench.minds                                              # 1,000 agents with 10,000 memories, in 4 GiB
    python -m bench.minds --agents 100 --memory 0.4

All agents know the same texts under ids of their own. Their rows and the copies of their indexes are written into the
tables directly; each recall reads what it reads in operation. The agent of each recall is drawn by Zipf's law: the
second is asked half as often as the first, the tenth a tenth. Questions are new each time, one at a time.

Memory is that of this process and of both servers (their own pages and the pages that they share), and the pages of the
database's files that the kernel caches. A quarter of the limit is for the indexes of the process, as in a container.
Whenever everything together is above the limit, all cached pages of the database's files are dropped. A kernel with as
little memory would keep those that are used most, so the figures are worse than its.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import ctypes
import mmap
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psutil
from pydantic_core import to_json
from sqlalchemy import Table, text
from sqlalchemy.ext.asyncio import AsyncConnection

from bench.measuring import record, save_figures
from bench.servers import servers
from bench.texts import memories, questions
from nemuri.platform.serving import run_services
from nemuri_contracts.agents import AgentDefined, Definition, Embedding, Perspective
from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_domain.event_sourcing.state import State
from nemuri_domain.strength.aggregate import Content, Memory
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.process.event_loop import run
from nemuri_infra.projections import tables
from nemuri_infra.projections.index_encoding import FORMAT, encode
from nemuri_infra.projections.rows import insertion
from nemuri_infra.projections.stored_indexes import StoredIndex, read_index, write_index
from nemuri_infra.retrieval.strength_recall import STRENGTH, recall_memories
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import MEGABYTE

GIB = 1024 * MEGABYTE
WARM_SHARE = 0.2
"""Number of recalls before the measured ones, as a share of them."""
CHECKED_AFTER = 20
"""Number of recalls after which the memory is counted."""
KEEPER = Definition(role="a keeper", perspectives=(Perspective(name="upkeep"),))
MODEL = "pattern"
"""Agent whose rows are copied."""
_SHIFTED = "CAST(overlay(CAST(memory_id AS text) placing lpad(to_hex({number}), 8, '0') from 1) AS uuid)"
"""SQL expression of the id that an agent's memory has, from that of the pattern."""


@dataclass(slots=True)
class Usage:
    """The memory that the processes and the cached pages of the database's files take."""

    folder: Path
    limit: int
    peak: int = 0
    dropped: int = 0
    """How many times the cached pages were dropped."""
    _libc: Any = field(default_factory=lambda: ctypes.CDLL(None, use_errno=True))

    def keep(self) -> None:
        """Count the memory, and drop the cached pages of the files if it is above the limit."""
        taken = self._of_processes() + sum(map(self._cached, self._files()))
        self.peak = max(self.peak, taken)
        if taken > self.limit:
            self.dropped += 1
            for path in self._files():
                self._drop(path)

    def _of_processes(self) -> int:
        every = [psutil.Process(), *psutil.Process().children(recursive=True)]
        return sum(each.memory_full_info().pss for each in every if each.is_running())

    def _files(self) -> Iterator[Path]:
        return (path for path in self.folder.rglob("base/*/*") if path.is_file() and path.stat().st_size)

    def _cached(self, path: Path) -> int:
        with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            pages = -(-len(mapped) // mmap.PAGESIZE)
            found = np.zeros(pages, np.uint8)
            start = ctypes.addressof(view := ctypes.c_char.from_buffer(mapped))
            size = ctypes.c_size_t(len(mapped))
            self._libc.mincore(ctypes.c_void_p(start), size, found.ctypes.data_as(ctypes.c_void_p))
            del view
        return int((found & 1).sum()) * mmap.PAGESIZE

    def _drop(self, path: Path) -> None:
        with path.open("rb") as file:
            os.fdatasync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


async def measure(agents: int, size: int, asked: int, limit: int) -> dict[str, Any]:
    """Fill the tables and ask."""
    async with servers() as found:
        settings = found.model_copy(update={"recall_memory": limit // 4 // MEGABYTE})
        async with open_resources(settings) as resources:
            await _filled(resources, agents, size)
            folder = Path(str(settings.database_url).partition("host=")[2].partition("&")[0]).parent
            return await _asked(resources, Usage(folder, limit), agents, asked) | {"memories": size}


async def _filled(resources: Resources, agents: int, size: int) -> None:
    """Define the agents, and give each the same memories under ids of its own."""
    embedder = BuiltInEmbedder()
    embedding = Embedding(model=embedder.model, dimension=embedder.dimension)
    names = [_name(number) for number in range(agents)]
    events = (AgentDefined(event_id=uuid4(), agent_id=name, definition=KEEPER, embedding=embedding) for name in names)
    async with run_services(resources, ("projector",)):
        await record(resources.log, events)
        await resources.views.progress.wait(await resources.log.last_sequence(), seconds=600)
    texts = list(memories(size))
    contents, states = await _pattern(resources, texts, agents)
    index = StrengthIndex(embedder.dimension)
    index.remember(contents, embedder.rows(texts))
    index.set_states(states)
    ids = np.frombuffer(b"".join(index.ids), np.uint8).reshape(-1, 16).copy()
    for number, name in enumerate(names):
        await _copied(resources, number, name)
        ids[:, :4] = np.frombuffer(number.to_bytes(4, "big"), np.uint8)
        index.ids = [row.tobytes() for row in ids]
        name_of_copy = (resources.database, name, resources.vectors.generation)
        empty = await read_index(*name_of_copy, format_version=FORMAT)
        stored = StoredIndex(empty.tables, agents + size, encode(index, embedder.calibration.digest))
        await write_index(*name_of_copy, stored, seen=agents + size, format_version=FORMAT)
    async with resources.database.reading() as connection:
        await connection.execute(text("VACUUM ANALYZE memory, memory_state, retrieval_index"))
        await connection.execute(text("CHECKPOINT"))


async def _pattern(resources: Resources, texts: Sequence[str], agents: int) -> tuple[list[Content], list[Memory]]:
    """Write the rows that are copied for each agent, and return them."""
    chance, now = random.Random(3), datetime.now(UTC)
    contents, states = list[Content](), list[Memory]()
    for sequence, each in enumerate(texts, agents + 1):
        memory_id = UUID(int=chance.getrandbits(96) | 0xFFFFFFFF << 96)
        contents.append(
            Content(
                memory_id=memory_id,
                agent_id=MODEL,
                memory=MemoryContent(content=each),
                links=(),
                vector="",
                source="client",
                created_at=now,
                created=sequence,
            )
        )
        states.append(
            Memory(memory_id=memory_id, agent_id=MODEL, stored_strength=0.0, perspectives={}, changed=sequence)
        )
    async with resources.database.begin() as connection:
        await insert(connection, tables.memory, contents)
        await insert(connection, tables.memory_state, states)
    return contents, states


async def insert(connection: AsyncConnection, table: Table, states: Sequence[State]) -> None:
    """Insert states as rows of their table."""
    statement = text(insertion(table, "json_to_recordset(CAST(:rows AS json))"))
    await connection.execute(statement, {"rows": to_json(states).decode()})


async def _copied(resources: Resources, number: int, name: str) -> None:
    async with resources.database.begin() as connection:
        await connection.execute(text("SET LOCAL synchronous_commit = off"))
        for table in (tables.memory, tables.memory_state):
            rest = ", ".join(column.name for column in table.columns if column.name not in {"memory_id", "agent_id"})
            rows = f"SELECT {_SHIFTED.format(number=number)}, '{name}', {rest} FROM {table.name}"
            await connection.execute(
                text(f"INSERT INTO {table.name} (memory_id, agent_id, {rest}) {rows} WHERE agent_id = '{MODEL}'")
            )


async def _asked(resources: Resources, usage: Usage, agents: int, number: int) -> dict[str, Any]:
    """Ask the agents, and return the figures."""
    chance = random.Random(11)
    warm = int(WARM_SHARE * number)
    drawn = chance.choices(range(agents), weights=[1 / rank for rank in range(1, agents + 1)], k=warm + number)
    cached, spent, hits = resources.indexes.cached, list[float](), 0
    space = (await resources.vectors.calibrated()).comparing.space
    usage.keep()
    for at, (which, question) in enumerate(zip(drawn, questions(warm + number), strict=True)):
        agent = await resources.views.agent(_name(which))
        if agent is None:
            raise LookupError(f"agent {which} was not defined")
        began, present = time.perf_counter(), cached.get((STRENGTH.name, agent.agent_id, "", space))
        found = await recall_memories(resources, agent, question, perspective=None, setting=Setting())
        if at >= warm:
            spent.append(time.perf_counter() - began)
            hits += present is not None
        if not found.candidates:
            raise LookupError(f"nothing was found for {question!r}")
        if at % CHECKED_AFTER == 0:
            usage.keep()
    slow = statistics.quantiles(spent, n=20)[-1]
    return {
        "agents": agents,
        "recalls": number,
        "recall_ms": round(statistics.median(spent) * 1e3, 2),
        "recall_p95_ms": round(slow * 1e3, 2),
        "cached_share": round(hits / number, 3),
        "limit_gib": round(usage.limit / GIB, 2),
        "peak_gib": round(usage.peak / GIB, 2),
        "dropped": usage.dropped,
    }


def _name(number: int) -> str:
    return f"keeper-{number}"


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=1_000)
    parser.add_argument("--memories", type=int, default=10_000, help="memories of each agent")
    parser.add_argument("--recalls", type=int, default=2_000)
    parser.add_argument("--memory", type=float, default=4.0, help="limit in GiB")
    chosen = parser.parse_args()
    figures = run(measure(chosen.agents, chosen.memories, chosen.recalls, int(chosen.memory * GIB)))
    print(figures)
    save_figures("minds", figures)


if __name__ == "__main__":
    main()

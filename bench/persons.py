"""Time of a recall for one of many persons of one agent.

    python -m bench.persons                                     # 1,000,000 memories of 100,000 persons
    python -m bench.persons --persons 1000 --memories 10000

Each person has as many memories, and the agent 1,000 of its own. The rows are written into the tables directly; each
recall reads what it reads in operation. Persons are drawn at random: `new` is the first recall for a person in a
process, `again` the next one.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import random
import statistics
import time
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from sqlalchemy import text

from bench.measuring import record, save_figures
from bench.minds import KEEPER, insert
from bench.servers import servers
from bench.texts import memories, questions
from nemuri.platform.serving import run_services
from nemuri_contracts.agents import AgentDefined, Embedding
from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_domain.strength.aggregate import Content, Memory
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.process.event_loop import run
from nemuri_infra.projections import tables
from nemuri_infra.retrieval.strength_recall import recall_memories
from nemuri_infra.runtime.resources import Resources, open_resources

AGENT = "keeper"
OWN = 1_000
"""Number of memories that belong to nobody."""
PORTION = 10_000
"""Number of rows that are written together."""


async def measure(persons: int, size: int, asked: int) -> dict[str, Any]:
    """Fill the tables and ask."""
    async with servers() as settings, open_resources(settings) as resources:
        embedder = BuiltInEmbedder()
        embedding = Embedding(model=embedder.model, dimension=embedder.dimension)
        defined = AgentDefined(event_id=uuid4(), agent_id=AGENT, definition=KEEPER, embedding=embedding)
        async with run_services(resources, ("projector",)):
            await record(resources.log, [defined])
            await resources.views.progress.wait(await resources.log.last_sequence(), seconds=60)
        await _filled(resources, persons, size)
        return {"persons": persons, "memories": size + OWN} | await _asked(resources, persons, asked)


async def _filled(resources: Resources, persons: int, size: int) -> None:
    chance, texts = random.Random(3), list(memories(PORTION))
    owners = [""] * OWN + [f"person {number % persons}" for number in range(size)]
    vectors = await resources.vectors.of(texts)
    for start in range(0, len(owners), PORTION):
        some = owners[start : start + PORTION]
        ids = [UUID(int=chance.getrandbits(128)) for _ in some]
        rows = list(
            zip(
                ids,
                some,
                range(start + 2, start + 2 + len(some)),
                chance.sample(range(PORTION), len(some)),
                strict=True,
            )
        )
        await _written(resources, rows, texts, vectors)
    async with resources.database.reading() as connection:
        await connection.execute(text("VACUUM ANALYZE memory, memory_state, memory_vector"))


async def _written(
    resources: Resources, rows: list[tuple[UUID, str, int, int]], texts: list[str], vectors: np.ndarray[Any, Any]
) -> None:
    now, contents, states = datetime.now(UTC), list[Content](), list[Memory]()
    for memory_id, owner, sequence, which in rows:
        about = {"memory_id": memory_id, "agent_id": AGENT}
        told = MemoryContent(content=texts[which], person=owner or None)
        contents.append(
            Content.model_validate(
                about
                | {
                    "memory": told,
                    "links": (),
                    "vector": "",
                    "source": "conversation",
                    "created_at": now,
                    "created": sequence,
                }
            )
        )
        states.append(
            Memory.model_validate(
                about | {"person": owner, "stored_strength": 0.0, "perspectives": {}, "changed": sequence}
            )
        )
    async with resources.database.begin() as connection:
        await connection.execute(text("SET LOCAL synchronous_commit = off"))
        await insert(connection, tables.memory, contents)
        await insert(connection, tables.memory_state, states)
        statement = text(
            "INSERT INTO memory_vector (agent_id, memory_id, model, vector) "
            "SELECT :agent, id, :model, CAST(v AS vector) "
            "FROM unnest(CAST(:ids AS uuid[]), CAST(:vectors AS text[])) AS rows (id, v)"
        )
        shown = [str(vectors[which].round(6).tolist()) for _, _, _, which in rows]
        values = {
            "agent": AGENT,
            "model": resources.vectors.generation,
            "ids": [row[0] for row in rows],
            "vectors": shown,
        }
        await connection.execute(statement, values)


async def _asked(resources: Resources, persons: int, number: int) -> dict[str, Any]:
    """Ask for persons, each twice, and return the figures."""
    agent = await resources.views.agent(AGENT)
    if agent is None:
        raise LookupError("the agent was not defined")
    chance, spent = random.Random(11), {"new": list[float](), "again": list[float]()}
    await recall_memories(resources, agent, "How are you?", perspective=None, setting=Setting())
    every = list(questions(2 * number))
    for at, person in enumerate(chance.sample(range(persons), number)):
        for kind, question in zip(("new", "again"), every[2 * at : 2 * at + 2], strict=True):
            setting, began = Setting(person=f"person {person}"), time.perf_counter()
            await recall_memories(resources, agent, question, perspective=None, setting=setting)
            spent[kind].append((time.perf_counter() - began) * 1e3)
    figures = dict[str, Any]()
    for kind, times in spent.items():
        figures[f"{kind}_ms"] = round(statistics.median(times), 1)
        figures[f"{kind}_p95_ms"] = round(statistics.quantiles(times, n=20)[-1], 1)
    return figures


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--persons", type=int, default=100_000)
    parser.add_argument("--memories", type=int, default=1_000_000, help="memories of all persons")
    parser.add_argument("--recalls", type=int, default=500)
    chosen = parser.parse_args()
    figures = run(measure(chosen.persons, chosen.memories, chosen.recalls))
    print(figures)
    save_figures("persons", figures)


if __name__ == "__main__":
    main()

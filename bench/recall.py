"""Recall@10 and latency of `Client.remember_all` and `Client.recall`, compared with the bare index.

    python -m bench.recall --dataset jsquad-valid-v1.3.json --dataset locomo10.json

Starts the embedded servers and all services in this process. The data sets have the formats of `bench/retrieval.py`: an
agent's memories are one conversation (LoCoMo) or all paragraphs (SQuAD). Each question is asked first by the client,
then on an index of the same texts in this process, so that both run under the same load. Questions are asked one at a
time.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from bench.servers import servers
from nemuri.client.client import Client
from nemuri.client.memory_offers import PORTION
from nemuri.evaluation.benchmark import Place
from nemuri.evaluation.locomo import read as read_locomo
from nemuri.platform.serving import serving
from nemuri_contracts.agents import AgentDefined, Definition, Embedding, Perspective
from nemuri_contracts.client_events import MemoryContent, MemoryOffered, Turn
from nemuri_domain.strength.memory_content import embedded_text, indexed_text
from nemuri_domain.strength.offer_validation import refusal_reason
from nemuri_domain.strength.policy import RELEVANCE_FLOOR
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.search_texts import QueryText, SearchTexts
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.process import event_loop
from nemuri_services.service_registry import SERVICES

FOUND = 10
EMBEDDER = BuiltInEmbedder()


@dataclass(frozen=True)
class Person:
    """The memories of one agent, and its questions. Each question has the positions of the memories that are its
    evidence.
    """

    memories: list[MemoryContent] = field(default_factory=list)
    questions: list[tuple[str, frozenset[int]]] = field(default_factory=list)


@dataclass
class Measured:
    """Results of the platform and of the bare index: the share of evidence found for each question, and times in
    seconds.
    """

    shares: list[float] = field(default_factory=list)
    bare_shares: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    bare_seconds: list[float] = field(default_factory=list)
    first_seconds: list[float] = field(default_factory=list)
    """Seconds of each agent's first recall, which loads all its memories."""
    remembering: float = 0.0
    appending: float = 0.0
    """Seconds to append one event per memory to a stream without consumers."""


def squad(data: dict[str, Any]) -> Iterator[Person]:
    """Yield one agent that remembers every paragraph."""
    person = Person()
    for article in data["data"]:
        for paragraph in article["paragraphs"]:
            here = frozenset([len(person.memories)])
            person.memories.append(MemoryContent(content=paragraph["context"].replace(" [SEP] ", "\n")))
            person.questions.extend((asked["question"], here) for asked in paragraph["qas"])
    yield person


def locomo(path: Path) -> Iterator[Person]:
    """Yield one agent for each conversation. Every turn is a memory with its speaker and the time of its session."""
    for history in read_locomo(path):
        person, places = Person(), dict[Place, int]()
        for place, message in history.messages():
            turn = Turn(conversation=place[0], position=place[1])
            said = MemoryContent(content=message.text, said_by=message.speaker, said_at=message.at, turn=turn)
            if refusal_reason(said) is None:  # one turn is an ellipsis
                places[place] = len(person.memories)
                person.memories.append(said)
        for question in history.questions:
            evidence = frozenset(places[place] for place in question.evidence if place in places)
            if evidence and not question.unanswerable:
                person.questions.append((question.text, evidence))
        yield person


async def define(log: Log, name: str, keywords: Sequence[str]) -> None:
    """Define an agent with one perspective, which has these keywords. Queries are expanded by the keywords, if there
    are any.
    """
    perspective = Perspective(name="conversation", keywords=tuple(keywords))
    definition = Definition(role="listener", perspectives=(perspective,))
    embedding = Embedding(model=EMBEDDER.model, dimension=EMBEDDER.dimension)
    await log.append(AgentDefined(event_id=uuid4(), agent_id=name, definition=definition, embedding=embedding))


async def append_only(log: Log, memories: Sequence[MemoryContent]) -> float:
    """Append one event per memory to a stream without consumers, as concurrently as the client does. Return the
    seconds.
    """
    beside = Log(log.connection, log.stream, type(log.subjects)(f"beside-{uuid4().hex[:8]}"))
    await beside.stream.add_stream(name=beside.subjects.stream, subjects=list(beside.subjects.everything))
    room = asyncio.Semaphore(PORTION)

    async def append(memory: MemoryContent) -> None:
        async with room:
            await beside.append(MemoryOffered(event_id=uuid4(), agent_id="nobody", memory=memory))

    started = time.perf_counter()
    await asyncio.gather(*(append(each) for each in memories))
    spent = time.perf_counter() - started
    await beside.stream.delete_stream(beside.subjects.stream)
    return spent


async def bare_index(memories: Sequence[MemoryContent], ids: Sequence[UUID]) -> StrengthIndex:
    """Return an index of the same memories in this process."""
    index = StrengthIndex(EMBEDDER.dimension)
    vectors = await EMBEDDER.embed_documents([embedded_text(memory) for memory in memories])
    texts, turns = [indexed_text(memory) for memory in memories], [memory.turn for memory in memories]
    index.add(ids, vectors, texts, turns=turns)
    return index


async def search(index: StrengthIndex, question: str) -> list[UUID]:
    """Return the ids of the best ten memories in the bare index."""
    [vector] = await EMBEDDER.embed_queries([question])
    found = index.search(SearchTexts.of([QueryText(question)], [vector]), floor=RELEVANCE_FLOOR, limit=FOUND)
    return list(found.ids)


async def measure(client: Client, name: str, person: Person, measured: Measured) -> None:
    """Store all memories, ask each question by the client and on the bare index, and add the results to `measured`."""
    started = time.perf_counter()
    ids = await client.remember_all(name, person.memories)
    measured.remembering += time.perf_counter() - started
    measured.appending += await append_only(client.log, person.memories)
    index = await bare_index(person.memories, ids)
    for number, (question, evidence) in enumerate(person.questions):
        wanted = {ids[place] for place in evidence}
        started = time.perf_counter()
        found = await client.recall(name, question, top=FOUND)
        between = time.perf_counter()
        bare = await search(index, question)
        ended = time.perf_counter()
        (measured.seconds if number else measured.first_seconds).append(between - started)
        measured.bare_seconds.append(ended - between)
        measured.shares.append(
            len(wanted.intersection(memory.candidate.memory_id for memory in found.memories)) / len(wanted)
        )
        measured.bare_shares.append(len(wanted.intersection(bare)) / len(wanted))


def report(measured: Measured, memories: int) -> None:
    """Print the figures, and their ratios to those of the bare index and of appending alone."""
    share, bare_share = statistics.mean(measured.shares), statistics.mean(measured.bare_shares)
    print(f"  recall@{FOUND} {share:.3f}, index alone {bare_share:.3f}")
    rate, bare_rate = memories / measured.remembering, memories / measured.appending
    print(f"  remember {rate:.0f}/s = {bare_rate / rate:.1f} × the time of the append alone ({bare_rate:.0f}/s)")
    bare = statistics.median(measured.bare_seconds)
    for label, percent in (("p50", 50), ("p95", 95)):
        spent = statistics.quantiles(measured.seconds, n=100)[percent - 1]
        print(f"  recall {label} {spent * 1e3:.1f} ms = {spent / bare:.1f} × the median of the index alone")
    first = max(measured.first_seconds)
    print(f"  first recall of an agent, at most {first * 1e3:.0f} ms")


def read(path: Path, limit: int | None) -> list[Person]:
    """Return the agents of a data set, each with at most `limit` questions."""
    data = json.loads(path.read_text(encoding="utf-8"))
    people = squad(data) if isinstance(data, dict) else locomo(path)
    return [Person(person.memories, person.questions[:limit]) for person in people]


async def run(people: Sequence[Person], keywords: Sequence[str]) -> None:
    """Measure one data set and print its figures."""
    memories = sum(len(each.memories) for each in people)
    print(f"  {memories} memories, {sum(len(each.questions) for each in people)} questions")
    measured = Measured()
    async with (
        servers() as settings,
        serving(settings, SERVICES),
        Client.connect(str(settings.nats_url)) as client,
    ):
        for number, person in enumerate(people):
            name = f"agent-{number}"
            await define(client.log, name, keywords)
            await client.settle()
            await measure(client, name, person, measured)
    report(measured, memories)


def main() -> None:
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, action="append", required=True)
    parser.add_argument(
        "--keyword", action="append", default=[], help="keyword that expands every query, as a perspective does"
    )
    parser.add_argument("--questions", type=int, default=None, help="maximum number of questions of each agent")
    chosen = parser.parse_args()
    for path in chosen.dataset:
        print(path.name)
        event_loop.run(run(read(path, chosen.questions), chosen.keyword))


if __name__ == "__main__":
    main()

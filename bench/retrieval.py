"""Recall@10 of the retrieval index, and its time compared with a plain matrix product.

    python -m bench.retrieval --dataset jsquad-valid-v1.3.json --dataset locomo10.json [--embedder SPEC]

The format of a data set is recognised by its content. SQuAD (JSQuAD): one agent, whose memories are all paragraphs.
LoCoMo: one agent per conversation, whose memories are the turns; all answerable questions are asked, and all of their
evidence counts. `turns` is the recall of memories that name their session and place, the others that of memories that
stand alone. Without `--embedder` the vectors are those of the built-in one, and the figures are saved. Times are
medians of the process's CPU time with one BLAS thread.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import json
import random
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from bench.measured_embedder import measured_on
from bench.measuring import save_figures
from nemuri.evaluation.contexts import turns
from nemuri.evaluation.locomo import read as read_locomo
from nemuri_contracts.client_events import Turn
from nemuri_domain.strength.policy import RELEVANCE_FLOOR
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.search_texts import QueryText, SearchTexts
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.embeddings.settings import EmbeddingSettings

FOUND = 10
ROWS, DIMENSION, LETTERS = 10_000, 384, 200

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Agent:
    """The memories of one agent, and its questions. Each question has the positions of the memories that are its
    evidence.
    """

    memories: list[str]
    turns: list[Turn | None]
    questions: list[tuple[str, frozenset[int]]]


def squad(data: dict[str, Any]) -> Iterator[Agent]:
    """Yield one agent that remembers every paragraph."""
    agent = Agent([], [], [])
    for article in data["data"]:
        for paragraph in article["paragraphs"]:
            here = frozenset([len(agent.memories)])
            agent.memories.append(paragraph["context"].replace(" [SEP] ", "\n"))
            agent.turns.append(None)
            agent.questions.extend((asked["question"], here) for asked in paragraph["qas"])
    yield agent


def locomo(path: Path) -> Iterator[Agent]:
    """Yield one agent per conversation. Each memory begins with its speaker and time, as in the platform."""
    for history in read_locomo(path):
        places = {place: row for row, (place, _) in enumerate(history.messages())}
        yield Agent(
            [passage.text for passage in turns(history)],
            [Turn(conversation=name, position=position) for name, position in places],
            [
                (question.text, frozenset(places[place] for place in question.evidence))
                for question in history.questions
                if question.evidence and not question.unanswerable
            ],
        )


def agents_of(path: Path) -> tuple[str, list[Agent]]:
    """Return the name of a data set, which is recognised by its content, and its agents."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return ("jsquad", list(squad(data))) if isinstance(data, dict) else ("locomo", list(locomo(path)))


def recall(agents: list[Agent], embedder: Embedder) -> dict[str, float]:
    """Return the mean share of the evidence among the best ten memories: by words, by vectors, by both, and by both
    with turns.
    """
    shares: dict[str, list[float]] = {"words": [], "vectors": [], "both": [], "turns": []}
    calibrated = asyncio.run(measured_on(embedder, [text for agent in agents for text in agent.memories]))
    for agent in agents:
        index, talk = StrengthIndex(embedder.dimension), StrengthIndex(embedder.dimension)
        ids = [UUID(int=place) for place in range(len(agent.memories))]
        rows = asyncio.run(calibrated.documents(agent.memories))
        index.add(ids, rows, agent.memories)
        talk.add(ids, rows, agent.memories, turns=agent.turns)
        vectors = asyncio.run(calibrated.queries([question for question, _ in agent.questions]))
        nowhere, scale = np.zeros(embedder.dimension, np.float32), calibrated.calibration.scale
        for vector, (question, evidence) in zip(vectors, agent.questions, strict=True):
            for channel, (text, row) in (
                ("words", (question, nowhere)),
                ("vectors", ("", vector)),
                ("both", (question, vector)),
                ("turns", (question, vector)),
            ):
                floor = RELEVANCE_FLOOR if channel in {"both", "turns"} else 0.0
                searched = talk if channel == "turns" else index
                found = searched.search(SearchTexts.of([QueryText(text)], [row], scale), floor=floor, limit=FOUND)
                hits = evidence & {memory_id.int for memory_id in found.ids}
                shares[channel].append(len(hits) / len(evidence))
    return {channel: statistics.mean(values) for channel, values in shares.items()}


def timings(agents: list[Agent]) -> None:
    """Print the times to build and to search an index of ten thousand memories. Each memory has two hundred characters
    of the data set.
    """
    chance = random.Random(1)
    everything = "\n".join(memory for agent in agents for memory in agent.memories)
    starts = [chance.randrange(max(1, len(everything) - LETTERS)) for _ in range(ROWS)]
    vectors = np.random.default_rng(1).standard_normal((ROWS, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = [everything[start : start + LETTERS] for start in starts]
    ids = [UUID(int=number) for number in range(ROWS)]
    index = StrengthIndex(DIMENSION)
    built = cpu(lambda: index.add(ids, vectors, texts))
    tracemalloc.start()
    second = StrengthIndex(DIMENSION)
    second.add(ids, vectors, texts)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    queries = [question for agent in agents for question, _ in agent.questions[:200]][:200]

    def search(query: str, number: int) -> float:
        return cpu(lambda: index.search(SearchTexts.of([QueryText(query)] * number, vectors[:number])))

    search(queries[0], 1)
    plain = statistics.median(cpu(lambda: np.argpartition(vectors @ vectors[0], -50)) for _ in queries)
    print(f"  build {built * 1e6 / ROWS:.0f} µs per memory; {held / ROWS / 1e3:.1f} kB per memory, vector included")
    print(f"  matrix product and top 50 alone {plain * 1e3:.2f} ms")
    for number in (1, 4):
        spent = statistics.median(search(query, number) for query in queries)
        print(f"  both channels, {number} texts {spent * 1e3:.2f} ms = {spent / plain:.1f} ×")


def cpu(work: Callable[[], object]) -> float:
    """Call `work` and return the CPU seconds that this process used for it."""
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> None:
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, action="append", required=True)
    parser.add_argument("--embedder", metavar="SPEC", default="built-in", help="vectors (default: %(default)s)")
    chosen = parser.parse_args()
    embedder = build_embedder(EmbeddingSettings(spec=chosen.embedder))
    for path in chosen.dataset:
        name, agents = agents_of(path)
        questions = sum(len(agent.questions) for agent in agents)
        print(f"{path.name}: {sum(len(agent.memories) for agent in agents)} memories, {questions} questions")
        shares = recall(agents, embedder)
        print("  recall@10 " + ", ".join(f"{channel} {share:.3f}" for channel, share in shares.items()))
        if chosen.embedder == "built-in":
            found = {channel: round(share, 4) for channel, share in shares.items()}
            save_figures(f"retrieval-{name}", {"questions": questions, "recall": found})
        timings(agents)


if __name__ == "__main__":
    main()

"""Time to retrieve and to add memories, compared with two other stores on the same PostgreSQL, texts and vectors.

    pip install -e '.[bench,neighbours]'        # mem0 wants an older protobuf than constraints.txt names
    python -m bench.neighbours

The other stores are LangGraph's PostgresStore and mem0 on pgvector, both with their defaults. No model is called and no
network is used. The three stores take turns for every question and every batch, on the same embedded servers:

- **recall** of the best ten memories. `ours` searches by vectors and by words and applies the complete ranking in this
  process, as the specialist does. `ours, over the bus` is the same recall, requested by a client. LangGraph searches by
  vectors alone, mem0 by vectors and by words. All stores look up the same precomputed vectors (the built-in embedder,
  256 dimensions).
- **adding** memories one by one, and in batches of a thousand by each store's bulk method. Ours returns when the event
  is on disk and the encoded memory is committed to the projections, so that it can be recalled. The other stores return
  when PostgreSQL has committed.

CPU time is the time of this process, in which our services and all clients run, and of both servers together. Its event
loop and its garbage collector are those of the platform's processes, for all stores. `found`
is the share of the ten nearest vectors (by exhaustive search) that each store finds. The other stores use their default
HNSW indexes; ours uses its vector search alone (`StrengthIndex`). Some of the ten results of mem0 come from words.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import gc
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.measuring import Spent, save_figures, table
from bench.stores import BEST, DIMENSION, Found, LangGraph, Mem0, Nemuri, Precomputed, Store, update_statistics
from bench.texts import memories, questions
from nemuri.client.exchange import PassingError
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.process.event_loop import run

SIZES, PORTION, QUESTIONS, ONE_BY_ONE = (1_000, 10_000), 1_000, 200, 100
GOAL = 1.0
"""Maximum ratio of our time to the time of each other store."""

Floats = NDArray[np.float32]


async def measure(sizes: Sequence[int], asked: int, singly: int) -> dict[str, Any]:
    """Fill all three stores to each of the sizes in turn, and measure questions and additions at each size."""
    texts = list(memories(sizes[-1] + singly * len(sizes) + WARM))
    asking = list(questions(asked + WARM))
    vectors = await BuiltInEmbedder(DIMENSION).embed_documents([*texts, *asking])
    embedder = Precomputed(dict(zip([*texts, *asking], vectors, strict=True)))
    async with (
        Nemuri.open(embedder) as ours,
        LangGraph.open(ours, embedder) as graph,
        Mem0.open(ours, embedder) as mem0,
    ):
        stores: dict[str, Store] = {"ours": ours, "langgraph": graph, "mem0": mem0}
        figures: dict[str, Any] = {"dimension": DIMENSION, "questions": asked, "at": {}}
        bulk = {name: Spent() for name in stores}
        held: list[str] = []
        for size in sizes:
            while len(held) < size:
                portion = [texts.pop() for _ in range(min(PORTION, sizes[0], size - len(held)))]
                await _in_bulk(stores, portion, bulk)
                held += portion
            await update_statistics(ours)
            recall = await _recalling(stores, ours, asking)
            found = await _found(stores, ours, asking[WARM:], held, embedder)
            more = [texts.pop() for _ in range(singly + (WARM if size == sizes[0] else 0))]
            adding = await _one_by_one(stores, more, skipped=len(more) - singly)
            held += more
            figures["at"][str(size)] = {"recall": recall, "found_of_the_nearest": found, "add_one_by_one": adding}
    each = {
        name: {key: value / min(PORTION, sizes[0]) for key, value in one.figures().items()}
        for name, one in bulk.items()
    }
    figures["add_in_bulk_each"] = {
        name: {key: round(value, 4) for key, value in one.items()} for name, one in each.items()
    }
    return figures | {"ratios": _ratios(figures), "goal": GOAL}


WARM = 10
"""Number of unmeasured questions and additions at the start. They prepare statements and read indexes."""


async def _in_bulk(stores: Mapping[str, Store], portion: Sequence[str], spent: Mapping[str, Spent]) -> None:
    turns = list(stores.items())
    for name, store in turns if len(spent["ours"].wall) % 2 else reversed(turns):
        gc.collect()
        with spent[name].measured():
            await store.add_all(portion)


async def _one_by_one(stores: Mapping[str, Store], texts: Sequence[str], *, skipped: int) -> dict[str, Any]:
    spent = {name: Spent() for name in stores}
    for number, text in enumerate(texts):
        turns = list(stores.items())
        for name, store in turns if number % 2 else reversed(turns):
            with (spent[name] if number >= skipped else Spent()).measured():
                await store.add(text)
    return {name: one.figures() for name, one in spent.items()}


async def _recalling(stores: Mapping[str, Store], ours: Nemuri, asking: Sequence[str]) -> dict[str, Any]:
    ways: dict[str, Callable[[str], Awaitable[Found]]] = {name: store.recall for name, store in stores.items()}
    ways["ours, over the bus"] = ours.recall_over_the_bus
    await _read_whole(ours, asking[0])
    spent = {name: Spent() for name in ways}
    for number, question in enumerate(asking):
        turns = list(ways.items())
        for name, way in turns if number % 2 else reversed(turns):
            with (spent[name] if number >= WARM else Spent()).measured():
                await way(question)
    return {name: one.figures() for name, one in spent.items()}


async def _read_whole(ours: Nemuri, question: str) -> None:
    """Run the first recall over the bus.

    It loads all memories of the agent, so it is repeated if the client times out.
    """
    async with asyncio.timeout(300):
        while True:
            try:
                await ours.recall_over_the_bus(question)
            except PassingError:
                continue
            return


async def _found(
    stores: Mapping[str, Store], ours: Nemuri, asking: Sequence[str], held: Sequence[str], embedder: Precomputed
) -> dict[str, float]:
    """Return the mean share of the ten nearest vectors that each store finds, by name of the store.

    Vectors at the same distance are equivalent.
    """
    rows = np.stack([embedder.known[text] for text in held])
    place = {text: number for number, text in enumerate(held)}
    hits: dict[str, list[float]] = {name: [] for name in (*stores, "ours, by vectors alone")}
    for question in asking:
        near = rows @ embedder.known[question]
        least = np.sort(near)[-BEST] - 1e-6
        answers = {name: await store.recall(question) for name, store in stores.items()}
        answers["ours, by vectors alone"] = ours.nearest(question)
        for name, texts in answers.items():
            hits[name].append(sum(near[place[text]] >= least for text in texts[:BEST]) / BEST)
    return {name: round(float(np.mean(each)), 3) for name, each in hits.items()}


def _ratios(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return our times divided by those of each other store. A ratio below 1 means that ours is faster."""

    def over(one: Mapping[str, Any], mine: str) -> dict[str, Any]:
        return {
            f"over_{other}": {
                name: round(one[mine][f"{name}_ms"] / one[other][f"{name}_ms"], 3) for name in ("wall", "cpu")
            }
            for other in ("langgraph", "mem0")
        }

    at = {
        size: {
            "recall": over(one["recall"], "ours"),
            "recall_over_the_bus": over(one["recall"], "ours, over the bus"),
            "add_one_by_one": over(one["add_one_by_one"], "ours"),
        }
        for size, one in figures["at"].items()
    }
    return {**at, "add_in_bulk": over(figures["add_in_bulk_each"], "ours")}


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, action="append", default=[], help="memories; 1,000 and 10,000 by default")
    parser.add_argument(
        "--quick", action="store_true", help="a smoke test: few memories, few questions, not the sizes that are quoted"
    )
    chosen = parser.parse_args()
    sizes = (200, 400) if chosen.quick else tuple(sorted(chosen.size)) or SIZES
    figures = run(measure(sizes, *((20, 10) if chosen.quick else (QUESTIONS, ONE_BY_ONE))))
    columns = ("wall_ms", "wall_p95_ms", "cpu_ms")
    rows: list[tuple[object, ...]] = [("", "", "median ms", "p95 ms", "CPU ms")]
    for size, one in figures["at"].items():
        for what in ("recall", "add_one_by_one"):
            rows += [(f"{what} at {size}", name, *map(each.get, columns)) for name, each in one[what].items()]
        print(f"found of the ten nearest among {size}: {one['found_of_the_nearest']}")
    rows += [("add_in_bulk, each", name, *map(each.get, columns)) for name, each in figures["add_in_bulk_each"].items()]
    print(table(rows))
    print(f"ours over theirs: {figures['ratios']}; goal for recall: below {GOAL}")
    save_figures("neighbours", figures)


if __name__ == "__main__":
    main()

"""Vector search of the retrieval index, compared with numpy: ten thousand memories of one agent, 384 dimensions.

    python -m bench.vectors

The lower limit is one matrix-vector product and `argpartition` of the best fifty, with one BLAS thread. It alternates
with `StrengthIndex.search` by a vector alone, on the same vectors. That search includes the mask of eligible memories,
the product, the relevance, the selection of the best fifty in a reproducible order, and their ids. The vectors are
random directions around a hundred topics, so that a query has near and distant vectors, as with real texts.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from bench.measuring import Spent, save_figures, table
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.search_texts import QueryText, SearchTexts

MEMORIES, DIMENSION, TOPICS, BEST = 10_000, 384, 100, 50
GOAL = 3.0

Floats = NDArray[np.float32]


def directions(chance: np.random.Generator, number: int, topics: Floats) -> Floats:
    """Return unit vectors, each near one of the topics."""
    near = topics[chance.integers(0, len(topics), number)]
    rows = near + chance.normal(scale=1.0, size=(number, DIMENSION)).astype(np.float32) / np.sqrt(DIMENSION)
    unit: Floats = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def best(vectors: Floats, query: Floats) -> NDArray[np.intp]:
    """Return the positions of the fifty vectors nearest to the query, unordered, by the fastest method of numpy."""
    scores = vectors @ query
    return np.argpartition(scores, -BEST)[-BEST:]


def measure(queries: int) -> dict[str, object]:
    """Search for the same queries with numpy and with the index in turn, and return the figures."""
    chance = np.random.default_rng(1)
    topics = chance.normal(size=(TOPICS, DIMENSION)).astype(np.float32)
    topics /= np.linalg.norm(topics, axis=1, keepdims=True)
    vectors, asked = directions(chance, MEMORIES, topics), directions(chance, queries, topics)
    index = StrengthIndex(DIMENSION)
    index.add([UUID(int=number) for number in range(MEMORIES)], vectors, [""] * MEMORIES)
    limit, channel, same = Spent(alone=True), Spent(alone=True), 0
    for query in asked:
        with limit.measured():
            nearest = best(vectors, query)
        with channel.measured():
            found = index.search(SearchTexts.of([QueryText("")], [query]), limit=BEST)
        same += len({each.int for each in found.ids} & set(nearest.tolist()))
    figures = {"limit": limit.medians(), "channel": channel.medians()}
    over = {
        name: round(figures["channel"][f"{name}_ms"] / figures["limit"][f"{name}_ms"], 2) for name in ("wall", "cpu")
    }
    size = {"memories": MEMORIES, "dimension": DIMENSION, "queries": queries}
    return {**size, **figures, "recall": same / (queries * BEST), "channel_over_limit": over, "goal": GOAL}


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=1_000)
    figures = measure(parser.parse_args().queries)
    rows: list[tuple[object, ...]] = [("", "CPU ms", "wall ms")]
    for name in ("limit", "channel"):
        one: dict[str, float] = figures[name]  # type: ignore[assignment]
        rows.append((name, one["cpu_ms"], one["wall_ms"]))
    print(table(rows))
    print(f"channel over limit: {figures['channel_over_limit']}, goal {GOAL}; recall@{BEST} {figures['recall']}")
    save_figures("vectors", figures)


if __name__ == "__main__":
    main()

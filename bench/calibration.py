"""Calibration of an embedder's threshold of relevance on texts, beside the figures that choose it.

    python -m bench.calibration --dataset jsquad-valid-v1.3.json --dataset locomo10.json [--embedder SPEC]

The data sets have the formats of `bench/retrieval.py`. From 400 memories of each of them the script chooses the
greatest cosine, to two decimals, that 98 % of the questions reach with a memory that answers them, in every data set; a
threshold in force should not be greater. It prints this cosine, what it and the threshold in force let through, and the
spread of the cosines of texts that do not belong together. The vectors are centred as the platform does it; the
threshold in force is a multiple of the spread.
"""

import argparse
import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.measured_embedder import measured_on
from bench.measuring import save_figures
from bench.retrieval import Agent, dataset, locomo, squad
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.embeddings.calibrated import CalibratedEmbedder
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.settings import EmbeddingSettings

MEMORIES: Final = 400
KEPT: Final = 0.98
"""Share of the questions whose memory must reach the relevance threshold."""


@dataclass(frozen=True, slots=True)
class Cosines:
    """Cosines of questions and memories of one data set."""

    answering: NDArray[np.float32]
    """Cosines of questions and the memories that answer them, shape (memories,)."""
    unrelated: NDArray[np.float32]

    def passed(self, relevance: float) -> dict[str, float]:
        """Return the shares of the pairs that reach this threshold, and the spread of the unrelated ones."""
        found = {"answering": self.answering >= relevance, "unrelated": self.unrelated >= relevance}
        return {name: round(float(each.mean()), 4) for name, each in found.items()} | {
            "spread": round(float(self.unrelated.std()), 3)
        }


async def cosines(agents: list[Agent], embedder: CalibratedEmbedder, *, memories: int = MEMORIES) -> Cosines:
    """Return the cosines for the memories of one agent, the one with most questions."""
    agent = max(agents, key=lambda each: len(each.questions))
    chance = random.Random(1)
    asked = [(question, min(evidence)) for question, evidence in agent.questions]
    chosen = chance.sample(asked, min(memories, len(asked)))
    rows = await embedder.documents([agent.memories[place] for _, place in chosen])
    pairs = (await embedder.queries([question for question, _ in chosen])) @ rows.T
    return Cosines(*_split(pairs, [place for _, place in chosen]))


def chosen_threshold(found: Sequence[Cosines]) -> float:
    """Return the threshold of relevance that the data choose."""
    return round(min(float(np.quantile(each.answering, 1 - KEPT)) for each in found), 2)


def _split(cosines: NDArray[np.float32], places: list[int]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the cosines of pairs that belong together, and those of pairs that do not."""
    same = np.equal.outer(places, places)
    return np.diagonal(cosines), cosines[~same]


def main() -> None:
    """Print the thresholds of each data set, and save those of both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, action="append", required=True)
    parser.add_argument("--embedder", metavar="SPEC", default="built-in")
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    sets = {}
    for path in chosen.dataset:
        data = json.loads(path.read_text(encoding="utf-8"))
        sets[dataset(data)] = list(squad(data) if isinstance(data, dict) else locomo(data))
    texts = [text for agents in sets.values() for agent in agents for text in agent.memories]
    embedder = asyncio.run(measured_on(build_embedder(EmbeddingSettings(spec=chosen.embedder)), texts))
    found = {}
    for name, agents in sets.items():
        found[name] = asyncio.run(cosines(agents, embedder, memories=50 if chosen.quick else MEMORIES))
    saved = {}
    for name, relevance in (
        ("chosen", chosen_threshold(list(found.values()))),
        ("in force", embedder.thresholds.relevance),
    ):
        passed = {each: cosine.passed(relevance) for each, cosine in found.items()}
        saved[name.replace(" ", "_")] = {"relevance": relevance, "passed": passed}
        print(f"{embedder.embedder.model}, {name}: relevance {relevance}")
        for each, shares in passed.items():
            print(f"  {each}: " + ", ".join(f"{key} {value:.4g}" for key, value in shares.items()))
    save_figures(f"calibration-{'hashing' if embedder.embedder.model == BuiltInEmbedder.model else 'semantic'}", saved)


if __name__ == "__main__":
    main()

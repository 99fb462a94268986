"""Calibration of an embedder's thresholds on texts, beside the figures that choose them.

    python -m bench.calibration --dataset jsquad-valid-v1.3.json --dataset locomo10.json [--embedder SPEC]

The data sets have the formats of `bench/retrieval.py`. From 400 memories of each of them the script chooses

- relevance: the greatest cosine, to two decimals, that 98 % of the questions reach with a memory that answers
  them, in every data set; a threshold in force should not be greater;
- use: the cosine that tells used memories from others best: the greatest mean F1 over answers written by hand
  (`bench/attribution.jsonl`) and, of each data set, answers of three sentences, one of them the memory, with nine other
  memories in the context.

It prints these two, and what they and the thresholds in force let through. The
vectors are centred as the platform does it; the thresholds in force are the multiples of the spread.
"""

import argparse
import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bench import attribution
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
OTHERS: Final = 9
"""Number of memories in the context of an answer beside the one that it uses."""
STEPS: Final = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""Use thresholds to choose from."""


@dataclass(frozen=True, slots=True)
class Cosines:
    """Cosines of pairs of texts of one data set. Memories that belong to a text are apart from the others."""

    answering: NDArray[np.float32]
    """Cosines of questions and the memories that answer them, shape (memories,)."""
    unrelated: NDArray[np.float32]
    used: NDArray[np.float32]
    """Cosines of answers and the memories that they contain, shape (memories,)."""
    unused: NDArray[np.float32]

    def passed(self, relevance: float, use: float) -> dict[str, float]:
        """Return the shares of the pairs that reach these thresholds, and the F1 of use detection."""
        found = {
            "answering": self.answering >= relevance,
            "unrelated": self.unrelated >= relevance,
            "used": self.used >= use,
            "unused": self.unused >= use,
        }
        return {name: round(float(each.mean()), 4) for name, each in found.items()} | {"f1": round(self.f1(use), 3)}

    def f1(self, use: float) -> float:
        """Return the F1 of detecting the used memory among `OTHERS` others by this threshold."""
        hits, false = float((self.used >= use).mean()), OTHERS * float((self.unused >= use).mean())
        return 2 * hits / (1 + hits + false)


async def cosines(agents: list[Agent], embedder: CalibratedEmbedder, *, memories: int = MEMORIES) -> Cosines:
    """Return the cosines for the memories of one agent, the one with most questions."""
    agent = max(agents, key=lambda each: len(each.questions))
    chance = random.Random(1)
    asked = [(question, min(evidence)) for question, evidence in agent.questions]
    chosen = chance.sample(asked, min(memories, len(asked)))
    texts = [agent.memories[place] for _, place in chosen]
    rows = await embedder.documents(texts)
    pairs = (await embedder.queries([question for question, _ in chosen])) @ rows.T
    spare = [each for place, each in enumerate(agent.memories) if place not in {where for _, where in chosen}]
    answers = [_answer(text, spare, chance) for text in texts]
    said = (await embedder.documents(answers)) @ rows.T
    places = [place for _, place in chosen]
    return Cosines(*_split(pairs, places), *_split(said, places))


@dataclass(frozen=True, slots=True)
class WrittenAnswers:
    """Cosines of answers written by hand and the memories in their contexts."""

    used: NDArray[np.float64]
    unused: NDArray[np.float64]

    @classmethod
    async def by(cls, embedder: CalibratedEmbedder) -> Self:
        """Return the cosines of the labelled answers."""
        found: dict[bool, list[float]] = {True: [], False: []}
        for example in attribution.examples():
            for held, memory in zip(example.memories, await attribution.shown(embedder, example), strict=True):
                found[held.id in example.used].append(memory.similarity)
        return cls(np.array(found[True]), np.array(found[False]))

    def f1(self, use: float) -> float:
        """Return the F1 of detecting the used memories by this threshold."""
        hits, false = int((self.used >= use).sum()), int((self.unused >= use).sum())
        return 2 * hits / (len(self.used) + hits + false)


def chosen_thresholds(found: Sequence[Cosines], written: WrittenAnswers) -> tuple[float, float]:
    """Return the relevance threshold and the use threshold that the data choose."""
    relevance = min(float(np.quantile(each.answering, 1 - KEPT)) for each in found)
    answers: list[Cosines | WrittenAnswers] = [*found, written]
    return round(relevance, 2), max(STEPS, key=lambda use: sum(each.f1(use) for each in answers))


def _answer(memory: str, spare: list[str], chance: random.Random) -> str:
    """Return an answer of three sentences in random order: a memory, and two that are not among the memories."""
    found = [memory, *(each[: len(memory)] for each in chance.sample(spare, min(2, len(spare))))]
    chance.shuffle(found)
    return " ".join(found)


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
    written = asyncio.run(WrittenAnswers.by(embedder))
    best = chosen_thresholds(list(found.values()), written)
    saved = {}
    for name, (relevance, use) in (
        ("chosen", best),
        ("in force", (embedder.thresholds.relevance, embedder.thresholds.use)),
    ):
        passed = {each: cosine.passed(relevance, use) for each, cosine in found.items()}
        passed["written"] = {"f1": round(written.f1(use), 3)}
        saved[name.replace(" ", "_")] = {"relevance": relevance, "use": use, "passed": passed}
        print(f"{embedder.embedder.model}, {name}: relevance {relevance}, use {use}")
        for each, shares in passed.items():
            print(f"  {each}: " + ", ".join(f"{key} {value:.4g}" for key, value in shares.items()))
    save_figures(f"calibration-{'hashing' if embedder.embedder.model == BuiltInEmbedder.model else 'semantic'}", saved)


if __name__ == "__main__":
    main()

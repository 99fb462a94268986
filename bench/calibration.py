"""Calibration of an embedder's thresholds on texts, beside the figures that choose them.

    python -m bench.calibration --dataset jsquad-valid-v1.3.json --dataset locomo10.json [--embedder SPEC]

The data sets have the formats of `bench/retrieval.py`. For each of them the script prints, from 400 memories:

- relevance: the greatest cosine that at least 95 % of the questions reach with a memory that answers them, and the
  share of the pairs of a question and another memory that reach it too. A threshold in force should not be greater.
- use: the smallest cosine that at most 1 in 300 pairs of an answer and a memory that is not part of it reach, and the
  share of answers (three texts, one of them the memory) that reach it with the memory.

Thresholds of the operator's own model: give its SPEC and own texts in the format of SQuAD, and set
`NEMURI_RELEVANCE_THRESHOLD` and `NEMURI_USE_THRESHOLD` to what is printed.
"""

import argparse
import asyncio
import json
import random
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.measuring import save_figures
from bench.retrieval import Agent, dataset, locomo, squad
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.embeddings.settings import EmbeddingSettings

MEMORIES: Final = 400
KEPT: Final = 0.95
"""Share of the questions whose memory must reach the relevance threshold."""
WRONG: Final = 1 / 300
"""Maximum share of unrelated memories that reach the use threshold."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Thresholds of one embedder on one data set, with the figures that chose them."""

    relevance: float
    unrelated_relevant: float
    """Share of unrelated pairs that reach the relevance threshold."""
    use: float
    used_found: float
    """Share of the used memories that reach the use threshold."""


async def calibrated(agents: list[Agent], embedder: Embedder, *, memories: int = MEMORIES) -> Calibrated:
    """Return the thresholds for the memories of one agent, the one with most questions."""
    agent = max(agents, key=lambda each: len(each.questions))
    chance = random.Random(1)
    asked = [(question, min(evidence)) for question, evidence in agent.questions]
    chosen = chance.sample(asked, min(memories, len(asked)))
    texts = [agent.memories[place] for _, place in chosen]
    rows = await embedder.embed(texts)
    pairs = (await embedder.embed([question for question, _ in chosen])) @ rows.T
    own, foreign = _split(pairs, [place for _, place in chosen])
    spare = [each for place, each in enumerate(agent.memories) if place not in {where for _, where in chosen}]
    answers = [_answer(text, spare, chance) for text in texts]
    said = (await embedder.embed(answers)) @ rows.T
    used, unused = _split(said, [place for _, place in chosen])
    relevance, use = float(np.quantile(own, 1 - KEPT)), float(np.quantile(unused, 1 - WRONG))
    return Calibrated(
        round(relevance, 3),
        round(float((foreign >= relevance).mean()), 3),
        round(use, 3),
        round(float((used >= use).mean()), 3),
    )


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
    parser.add_argument("--embedder", metavar="SPEC", default="hashing")
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    embedder = build_embedder(EmbeddingSettings(spec=chosen.embedder))
    kind, saved = "hashing" if embedder.lexical else "semantic", {}
    for path in chosen.dataset:
        data = json.loads(path.read_text(encoding="utf-8"))
        agents = list(squad(data) if isinstance(data, dict) else locomo(data))
        found = asyncio.run(calibrated(agents, embedder, memories=50 if chosen.quick else MEMORIES))
        saved[dataset(data)] = asdict(found)
        print(
            f"{path.name}, {embedder.model}: relevance {found.relevance:.3f} ({found.unrelated_relevant:.1%} of the "
            f"unrelated pairs reach it); use {found.use:.3f} ({found.used_found:.1%} of used memories reach it)"
        )
    save_figures(f"calibration-{kind}", {"threshold": asdict(_in_force(embedder)), "found": saved})


@dataclass(frozen=True, slots=True)
class _InForce:
    relevance: float
    use: float


def _in_force(embedder: Embedder) -> _InForce:
    return _InForce(embedder.relevance_threshold, embedder.use_threshold)


if __name__ == "__main__":
    main()

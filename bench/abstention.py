"""Abstention of retrieval: the share of questions without a result if the agent's memories do not answer them.

    python -m bench.abstention --dataset jsquad-valid-v1.3.json --dataset locomo10.json [--embedder SPEC]

The data sets have the formats of `bench/retrieval.py`. An agent remembers one conversation (LoCoMo), or the paragraphs
of every other article (SQuAD). Its own questions are about its memories. The foreign questions are those of the next
agent. For each relevance floor the script prints recall@10 of the own questions, and the shares of own and of foreign
questions without a result. Some foreign questions always have a result, because friends talk about the same hobbies.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from bench.measured_embedder import measured_on
from bench.measuring import save_figures
from bench.retrieval import FOUND, Agent, locomo, squad
from nemuri_domain.strength.policy import RELEVANCE_FLOOR
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.search_texts import QueryText, SearchTexts
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.embeddings.settings import EmbeddingSettings

FLOORS = (0.0, 0.10, 0.15, 0.20, RELEVANCE_FLOOR, 0.30)


@dataclass(frozen=True)
class Outcome:
    """Mean results of all questions with one relevance floor (the minimum similarity of a result)."""

    recall: float
    own_nothing: float
    foreign_nothing: float


def halves(data: dict[str, Any]) -> list[Agent]:
    """Return two agents: one remembers the articles with even indexes, the other those with odd indexes."""
    return [agent for part in (0, 1) for agent in squad({"data": data["data"][part::2]})]


async def outcomes(agents: Sequence[Agent], embedder: Embedder) -> dict[float, Outcome]:
    """Return the outcome of each relevance floor, over all agents, by floor."""
    shares: dict[float, list[float]] = {floor: [] for floor in FLOORS}
    nothing: dict[tuple[float, bool], list[bool]] = {(floor, own): [] for floor in FLOORS for own in (True, False)}
    calibrated = await measured_on(embedder, [text for agent in agents for text in agent.memories])
    for number, agent in enumerate(agents):
        index = StrengthIndex(embedder.dimension)
        ids = [UUID(int=place) for place in range(len(agent.memories))]
        index.add(ids, await calibrated.documents(agent.memories), agent.memories)
        for own, questions in ((True, agent.questions), (False, agents[(number + 1) % len(agents)].questions)):
            vectors = await calibrated.queries([question for question, _ in questions])
            for vector, (question, evidence) in zip(vectors, questions, strict=True):
                for floor in FLOORS:
                    asked = SearchTexts.of([QueryText(question)], [vector], calibrated.calibration.scale)
                    found = index.search(asked, floor=floor, limit=FOUND)
                    nothing[floor, own].append(not found.ids)
                    if own:
                        hits = evidence & {memory_id.int for memory_id in found.ids}
                        shares[floor].append(len(hits) / len(evidence))
    mean = statistics.mean
    return {
        floor: Outcome(mean(shares[floor]), mean(nothing[floor, True]), mean(nothing[floor, False])) for floor in FLOORS
    }


def main() -> None:
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, action="append", required=True)
    parser.add_argument("--embedder", default="built-in", help="as NEMURI_EMBEDDER")
    chosen = parser.parse_args()
    embedder = build_embedder(EmbeddingSettings(spec=chosen.embedder))
    for path in chosen.dataset:
        data = json.loads(path.read_text(encoding="utf-8"))
        name, agents = ("jsquad", halves(data)) if isinstance(data, dict) else ("locomo", list(locomo(path)))
        print(f"{path.name}, {embedder.model}\n  floor  recall@10  own: nothing  foreign: nothing")
        found = asyncio.run(outcomes(agents, embedder))
        save_figures(f"abstention-{name}", {"floor": RELEVANCE_FLOOR, **asdict(found[RELEVANCE_FLOOR])})
        for floor, each in found.items():
            print(f"  {floor:5.2f}  {each.recall:9.3f}  {each.own_nothing:12.1%}  {each.foreign_nothing:16.1%}")


if __name__ == "__main__":
    main()

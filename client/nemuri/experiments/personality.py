"""The experiment `personality`: agents with equal models and memories diverge by their tasks alone."""

import random
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from nemuri.experiments.corpus import AREAS, CorpusPassage, CorpusTask, memories, task_needing
from nemuri.experiments.experiment_agent import ExperimentAgent, TaskRetrieval, memory_id
from nemuri.experiments.report import CheckedClaim, Sample
from nemuri.experiments.statistics import gain, jaccard_distance, jensen_shannon, kendall, overlap

MEMORIES: Final = 420
NEEDS: Final = 25
"""Number of passages in each area that tasks need. They recur by Zipf's law."""
OWN_AREA_SHARE: Final = 0.8
"""Share of an agent's tasks from its own area. The rest is divided equally among the other areas."""
PROBES: Final = 20
"""Number of questions in each area that all agents are asked. Half of them need a passage that no task needed."""
LATER_QUESTIONS: Final = 40
"""Number of later questions about recurring passages in each of the two areas. As many are asked about new passages."""

APART, ALIKE, WITHOUT = "different streams", "same mixture, other draws", "without strengths"
OWN, OTHER = "specialist", "other specialist"
CLAIMS: Final = (
    CheckedClaim("Different streams make rankings diverge", ("ranking: 1 - tau", APART), ("ranking: 1 - tau", ALIKE)),
    CheckedClaim(
        "Different streams make the ten memories in context diverge",
        ("context: 1 - overlap@10", APART),
        ("context: 1 - overlap@10", ALIKE),
    ),
    CheckedClaim(
        "Different streams make perspectives diverge",
        ("strengths: Jensen-Shannon", APART),
        ("strengths: Jensen-Shannon", ALIKE),
    ),
    CheckedClaim(
        "Different streams make answers diverge", ("answer: 1 - Jaccard", APART), ("answer: 1 - Jaccard", ALIKE)
    ),
    CheckedClaim(
        "A specialist finds what recurs in its area better than the other one",
        ("nDCG@10, recurring", OWN),
        ("nDCG@10, recurring", OTHER),
    ),
    CheckedClaim(
        "A specialist finds what recurs better than an agent without strengths",
        ("nDCG@10, recurring", OWN),
        ("nDCG@10, recurring", WITHOUT),
    ),
    CheckedClaim(
        "A specialist finds what is new in its area better than the other one",
        ("nDCG@10, new", OWN),
        ("nDCG@10, new", OTHER),
    ),
    CheckedClaim(
        "A specialist finds what is new better than an agent without strengths",
        ("nDCG@10, new", OWN),
        ("nDCG@10, new", WITHOUT),
    ),
)


async def sample(seed: int, repeat: int, tasks: int) -> Sample:
    """Return the measurements of one repeat: two agents with different streams of tasks, and agents for comparison.

    A twin processes a stream of the same kind as the first agent, and two more agents have no strengths.
    """
    chance = random.Random(f"personality/{seed}/{repeat}")
    world = memories(chance, MEMORIES)
    needs = {area: [passage for passage in world if passage.area == area][:NEEDS] for area in AREAS}
    unseen = {area: [passage for passage in world if passage.area == area][NEEDS:] for area in AREAS}
    one, other = list(combinations(AREAS, 2))[repeat % 3]
    streams = [list(mixed(chance, needs, area, tasks)) for area in (one, other, one)]
    first, second, twin = [await _lived(world, stream) for stream in streams]
    plain = [await _lived(world, stream, strengths=False) for stream in streams[:2]]
    probes = [
        task_needing(chance, need)
        for area in AREAS
        for need in (*chance.sample(needs[area], PROBES // 2), *chance.sample(unseen[area], PROBES // 2))
    ]
    found: dict[tuple[str, str], float] = {}
    for condition, one_of, other_of in ((APART, first, second), (ALIKE, first, twin), (WITHOUT, plain[0], plain[1])):
        found |= {(name, condition): value for name, value in (await drift(one_of, other_of, probes)).items()}
    for sort, asked in (("recurring", needs), ("new", unseen)):
        gains: dict[str, list[float]] = {OWN: [], OTHER: [], WITHOUT: []}
        for area, own, stranger in ((one, first, second), (other, second, first)):
            later = list(_later(chance, asked[area], recurring=sort == "recurring"))
            for who, agent in ((OWN, own), (OTHER, stranger), (WITHOUT, plain[0])):
                gains[who] += [gain((await agent.recall(task)).order, memory_id(task.needed)) for task in later]
        found |= {(f"nDCG@10, {sort}", who): float(np.mean(values)) for who, values in gains.items()}
    return found


def mixed(chance: random.Random, needs: dict[str, list[CorpusPassage]], area: str, tasks: int) -> Iterator[CorpusTask]:
    """Yield tasks, a share `OWN_AREA_SHARE` of them from the given area.

    Within an area the nth passage of `needs` is drawn with weight 1/n.
    """
    areas = list(needs)
    weights = [OWN_AREA_SHARE if other == area else (1 - OWN_AREA_SHARE) / (len(areas) - 1) for other in areas]
    for drawn in chance.choices(areas, weights, k=tasks):
        yield task_needing(chance, _zipf(chance, needs[drawn]))


async def drift(first: ExperimentAgent, second: ExperimentAgent, probes: Sequence[CorpusTask]) -> dict[str, float]:
    """Return four distances between two agents by name, each 0 for equal agents.

    Three are means over the probes. The distance of the strengths does not depend on the probes.
    """
    pairs: list[tuple[TaskRetrieval, TaskRetrieval]] = [
        (await first.recall(probe), await second.recall(probe)) for probe in probes
    ]
    return {
        "ranking: 1 - tau": float(np.mean([1 - kendall(one.order, other.order) for one, other in pairs])),
        "context: 1 - overlap@10": float(np.mean([1 - overlap(one.order, other.order) for one, other in pairs])),
        "strengths: Jensen-Shannon": jensen_shannon(_strengths(first), _strengths(second)),
        "answer: 1 - Jaccard": float(np.mean([jaccard_distance(one.cited, other.cited) for one, other in pairs])),
    }


def _strengths(living: ExperimentAgent) -> list[float]:
    """Return the strength of every memory in every perspective, ordered by id."""
    return [
        living.agent.strength(memory, perspective)
        for _, memory in sorted(living.mind.memories.items())
        for perspective in AREAS
    ]


async def _lived(
    world: Sequence[CorpusPassage], tasks: Sequence[CorpusTask], *, strengths: bool = True
) -> ExperimentAgent:
    living = await ExperimentAgent.remembering(world, "use" if strengths else "none")
    for task in tasks:
        await living.process(task)
    return living


def _later(chance: random.Random, needs: Sequence[CorpusPassage], *, recurring: bool) -> Iterator[CorpusTask]:
    for _ in range(LATER_QUESTIONS):
        yield task_needing(chance, _zipf(chance, needs) if recurring else chance.choice(needs))


def _zipf(chance: random.Random, needs: Sequence[CorpusPassage]) -> CorpusPassage:
    return chance.choices(needs, [1 / rank for rank in range(1, len(needs) + 1)])[0]

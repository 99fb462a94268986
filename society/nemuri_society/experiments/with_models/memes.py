"""Memes and a religion with a language model: who mentions what after whom, from speech and places on record."""

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from nemuri.experiments.report import CheckedClaim
from nemuri_society.contracts.society import Society
from nemuri_society.contracts.world_protocol import CHAT_RADIUS
from nemuri_society.experiments.experiment_society import FULL, Setting
from nemuri_society.experiments.memes import (
    DIRECT,
    EDGES,
    EXPOSED,
    INDIRECT,
    KINDS,
    PRIESTS_TOWN,
    TOWNS,
    UNEXPLAINED,
)
from nemuri_society.experiments.with_models.life import Arm, ModelExperiment
from nemuri_society.phenomena.exposure_graph import ExposureGraph
from nemuri_society.phenomena.memes import MEMES, RELIGION, SYMBOL, topics
from nemuri_society.stores.society_record import StoredEvent

PRIEST: Final = "priest"
"""Role of those who bring the religion."""


class TalkMeasure:
    """The graph of who heard of which topic from whom. Priests are not counted among those who convert."""

    def __init__(self, society: Society, seconds: float) -> None:
        """Create the measure of a life that is about to begin. Raises ValueError if the society has no priest."""
        self._end = seconds
        self._priests = {agent.id for agent in society.agents if agent.role == PRIEST}
        if not self._priests:
            raise ValueError(f"people: the experiment needs somebody whose role is {PRIEST!r}")
        holy = {agent.town for agent in society.agents if agent.id in self._priests}
        lay = [agent for agent in society.agents if agent.id not in self._priests]
        self._groups = {
            PRIESTS_TOWN: {agent.id for agent in lay if agent.town in holy},
            TOWNS: {agent.id for agent in lay if agent.town not in holy},
        }
        self._places = dict[str, tuple[int, int]]()
        self._waiting = list[tuple[float, str, tuple[str, ...]]]()
        """Second, speaker and topics of utterances since the last sample of places."""
        self._graph = ExposureGraph()

    def add(self, event: StoredEvent) -> None:
        """Take an event of the record."""
        if event.kind == "places":
            before = dict(self._places)
            self._places |= {agent: (x, z) for agent, (x, z) in event.values["places"].items()}
            self._spread(before)
        elif event.kind == "speech" and (named := topics(event.values["text"])):
            self._graph.record_mention(named, event.values["agent"], event.second)
            self._waiting.append((event.second, event.values["agent"], named))

    def figures(self) -> Mapping[str, float]:
        """Return the converts in each group of towns, and what the graph says about the religion."""
        self._spread(self._places)
        graph = self._graph
        found: dict[str, float] = {
            EDGES: len(graph.exposures.get(RELIGION, {})),
            UNEXPLAINED: len(graph.unexplained(RELIGION, self._priests)),
        }
        for where, those in self._groups.items():
            found |= {f"{measure}, {where}": value for measure, value in self._shares(those)}
        return found

    def _spread(self, before: Mapping[str, tuple[int, int]]) -> None:
        """Let those hear the waiting utterances who were in earshot by the sample of places before or after them."""
        for second, speaker, named in self._waiting:
            for listener in {*_in_earshot(speaker, before), *_in_earshot(speaker, self._places)}:
                self._graph.record_exposure(named, speaker, listener, second)
        self._waiting.clear()

    def _shares(self, those: set[str]) -> Iterable[tuple[str, float]]:
        if not those:
            return
        direct, hinting = (self._graph.speakers(topic, self._end) & those for topic in (RELIGION, SYMBOL))
        yield DIRECT, len(direct) / len(those)
        yield INDIRECT, len(direct | hinting) / len(those)
        yield EXPOSED, len(self._graph.exposed(RELIGION) & those) / len(those)
        yield KINDS, sum(len(self._graph.speakers(meme, self._end) & those) for meme in MEMES) / len(those)


def _in_earshot(speaker: str, places: Mapping[str, tuple[int, int]]) -> Iterable[str]:
    """Return the others whose place is within earshot of a speaker's."""
    if speaker not in places:
        return ()
    others = [agent for agent in places if agent != speaker]
    ways = np.array([places[agent] for agent in others]).reshape(-1, 2) - places[speaker]
    return [others[row] for row in np.flatnonzero((ways**2).sum(axis=1) <= CHAT_RADIUS**2)]


EXPERIMENT: Final = ModelExperiment(
    title="Memes and a religion: what agents speak of after they have heard it",
    label="topics are known by keywords; who was in earshot is taken from the samples of places, every five seconds,"
    " before and after the words",
    file="memes",
    arms={FULL: Arm()},
    claims=(
        CheckedClaim(
            "More agents convert in the priests' town than in others",
            (f"{INDIRECT}, {PRIESTS_TOWN}", FULL),
            (f"{INDIRECT}, {TOWNS}", FULL),
        ),
    ),
    measure=TalkMeasure,
    usual=Setting(26, 1_200),
    paper=Setting(500, 9_000),
    fewest=8,
    shortest=120,
)

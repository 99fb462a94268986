"""Figures of a society's record, for its report: one pass over the events, in memory of the size of the result."""

import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from nemuri_society.contracts.pace import Pace
from nemuri_society.contracts.society import HostHealthReport, Society, TokenUse, Waits
from nemuri_society.stores.society_record import StoredEvent

POINTS: Final = 60
"""Number of points of a curve."""
FINEST: Final = 1.0
"""Seconds between two points of a curve before it is thinned."""
PHRASE_WORDS: Final = 3
"""Number of words of a phrase."""
MIN_SPEAKERS: Final = 3
"""Number of agents that must have said a phrase for it to count as spread."""
MAX_PHRASES: Final = 50_000
"""Maximum number of different phrases that are followed. Later new ones are left out."""
Curve = list[tuple[float, float]]
"""Points of a curve: second and value."""
WAYS: Final = frozenset({"go", "rest"})
"""Actions that serve others, and tell nothing about a role."""


@dataclass(slots=True)
class AgentFigures:
    """The figures of one agent on record."""

    kinds: Counter[str] = field(default_factory=Counter)
    """Number of events by kind."""
    acts: Counter[str] = field(default_factory=Counter)
    """Number of acts that were done, without walks and rests, by what they were."""
    failed: int = 0
    goals: Counter[str] = field(default_factory=Counter)
    """Number of changes of goals after which it had a goal, by the goal."""
    items: dict[str, float] = field(default_factory=dict)
    """Second at which it first held an item of a kind, by the kind."""
    feelings: dict[str, float] = field(default_factory=dict)
    """Last sentiment towards each other agent, by name, 0 to 10."""
    decided_at: float | None = None
    silences: list[float] = field(default_factory=list)
    """Seconds between two decisions."""


@dataclass(slots=True)
class Phrase:
    """A phrase, and when each agent first said it."""

    speakers: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Sentiments:
    """The mean of some sentiments over time."""

    means: dict[int, float] = field(default_factory=dict)
    """Mean of those in force, by whole second."""
    _sum: float = 0.0
    _number: int = 0

    def add(self, before: float | None, now: float, second: int) -> None:
        """Take a change of a sentiment; `before` is None for a first opinion."""
        self._sum += now - (before or 0.0)
        self._number += before is None
        self.means[second] = self._sum / self._number

    @property
    def change(self) -> float:
        """Difference of the highest and the lowest mean; 0 without sentiments."""
        return max(self.means.values(), default=0.0) - min(self.means.values(), default=0.0)

    @property
    def curve(self) -> Curve:
        """Mean over time, thinned."""
        return thinned([(float(second), mean) for second, mean in sorted(self.means.items())])


@dataclass(slots=True)
class Pause:
    """A time in which agents did not think, because the budget was used."""

    reason: str
    began: float
    """Second of the first sample of a host that paused."""
    hosts: set[str]
    """Hosts that pause."""
    ended: float | None = None
    """Second of the first sample without a host that pauses; None if it lasts."""


@dataclass(slots=True)
class RecordFigures:
    """The figures of a record."""

    agents: dict[str, AgentFigures]
    """By agent id, in the order of the society."""
    hosts: dict[str, HostHealthReport] = field(default_factory=dict)
    """Newest figures of each host, whose counters began with its process."""
    runs: list[dict[str, Any]] = field(default_factory=list)
    """Manifests of the runs, oldest first."""
    branches: int = 0
    """Number of returns to a checkpoint."""
    first: float = 0.0
    last: float = 0.0
    """Second of the newest event."""
    counts: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    """Number of events by kind and whole second."""
    feelings: Sentiments = field(default_factory=Sentiments)
    """Sentiments of all agents."""
    liking: dict[str, Sentiments] = field(default_factory=lambda: defaultdict(Sentiments))
    """Sentiments towards one agent, by its name."""
    phrases: dict[str, Phrase] = field(default_factory=dict)
    given: dict[tuple[int, str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    """Ids of the agents that were given something or answered something from outside, by its whole second, the kind and
    the text.
    """
    votes: dict[tuple[int, str], Counter[str | None]] = field(default_factory=lambda: defaultdict(Counter))
    """Number of votes by choice (None: no vote), by the whole second and the matter."""
    pauses: list[Pause] = field(default_factory=list)
    """Times at which thinking was paused by the budget, as the samples of the hosts' figures show them."""

    @property
    def paces(self) -> dict[str, Pace]:
        """Intervals, requests and answers of each module, over all hosts that ever ran."""
        found = dict[str, Pace]()
        for host in self.hosts.values():
            for module, pace in host.paces.items():
                found[module] = found.get(module, Pace()) + pace
        return found

    @property
    def waits(self) -> dict[str, Waits]:
        """Model requests and their waiting times, by rank of the module."""
        found = dict[str, Waits]()
        for host in self.hosts.values():
            for rank, waits in host.waits.items():
                found[rank] = found.get(rank, Waits()) + waits
        return found

    @property
    def token_use(self) -> dict[str, dict[str, TokenUse]]:
        """Token usage by module and model."""
        found = defaultdict[str, dict[str, TokenUse]](dict)
        for host in self.hosts.values():
            for module, models in host.token_use.items():
                for model, use in models.items():
                    found[module][model] = found[module].get(model, TokenUse()) + use
        return dict(sorted(found.items()))

    @property
    def agent_use(self) -> list[tuple[str, TokenUse]]:
        """Token usage by agent id, highest first. A host tells it of all its agents when it ends in order."""
        found = dict[str, TokenUse]()
        for host in self.hosts.values():
            for agent_id, use in host.top_spenders.items():
                found[agent_id] = found.get(agent_id, TokenUse()) + use
        return sorted(found.items(), key=lambda pair: (-pair[1].tokens, pair[0]))

    @property
    def spread(self) -> list[tuple[str, Phrase]]:
        """Phrases that several agents have said, the most widespread first. Parts of a wider phrase are left out."""
        wide = [(text, phrase) for text, phrase in self.phrases.items() if len(phrase.speakers) >= MIN_SPEAKERS]
        ordered = sorted(wide, key=lambda pair: (-len(pair[1].speakers), min(pair[1].speakers.values()), pair[0]))
        chosen, seen = list[tuple[str, Phrase]](), set[frozenset[tuple[str, float]]]()
        for text, phrase in ordered:
            same = frozenset(phrase.speakers.items())
            if same not in seen:
                seen.add(same)
                chosen.append((text, phrase))
        return chosen

    def add(self, event: StoredEvent) -> None:
        """Add an event, in the order of the record."""
        kind, values = event.kind, event.values
        self.last = max(self.last, event.second)
        self.branches = max(self.branches, event.branch)
        if kind == "figures":
            host = HostHealthReport.model_validate(values["figures"])
            self.hosts[host.host] = host
            self._add_pause(host, event.second)
        elif kind == "run":
            self.runs.append(values["manifest"])
            for pause in self.pauses:
                pause.ended = event.second if pause.ended is None else pause.ended
        elif (figures := self.agents.get(event.agent or "")) is not None:
            self.counts[kind][int(event.second)] += 1
            figures.kinds[kind] += 1
            self._add_of_agent(event, figures)

    def _add_of_agent(self, event: StoredEvent, figures: AgentFigures) -> None:
        values, second = event.values, event.second
        match event.kind:
            case "decision":
                if figures.decided_at is not None:
                    figures.silences.append(second - figures.decided_at)
                figures.decided_at = second
            case "act":
                if values["done"] and values["action"].get("action") not in WAYS:
                    figures.acts[values["text"]] += 1
                figures.failed += not values["done"]
            case "goals":
                figures.goals.update(values["goals"])
            case "item":
                figures.items.setdefault(values["item"], second)
            case "feeling":
                self._add_feeling(figures, values["towards"], values["sentiment"], int(second))
            case "speech":
                self._add_speech(str(event.agent), values["text"], second)
            case "influence":
                self.given[int(second), values["sort"], values["text"]].append(str(event.agent))
            case "answer":
                text = f"“{values['question']}” – “{values['answer']}”"
                self.given[int(second), "answer", text].append(str(event.agent))
            case "vote":
                self.votes[int(second), values["matter"]][values["choice"]] += 1

    def _add_pause(self, host: HostHealthReport, second: float) -> None:
        lasting = self.pauses[-1] if self.pauses and self.pauses[-1].ended is None else None
        if host.paused and lasting is None:
            self.pauses.append(Pause(host.paused, second, {host.host}))
        elif host.paused and lasting is not None:
            lasting.hosts.add(host.host)
        elif lasting is not None and host.host in lasting.hosts:
            lasting.hosts.remove(host.host)
            lasting.ended = None if lasting.hosts else second

    def _add_feeling(self, figures: AgentFigures, other: str, sentiment: float, second: int) -> None:
        before = figures.feelings.get(other)
        figures.feelings[other] = sentiment
        for sentiments in (self.feelings, self.liking[other]):
            sentiments.add(before, sentiment, second)

    def _add_speech(self, agent: str, text: str, second: float) -> None:
        words = re.findall(r"\w+", text.casefold())
        for nth in range(len(words) - PHRASE_WORDS + 1):
            phrase = " ".join(words[nth : nth + PHRASE_WORDS])
            if phrase in self.phrases or len(self.phrases) < MAX_PHRASES:
                self.phrases.setdefault(phrase, Phrase()).speakers.setdefault(agent, second)


async def record_figures(society: Society, events: AsyncIterable[StoredEvent]) -> RecordFigures:
    """Return the figures of a society's record."""
    figures = RecordFigures({agent.id: AgentFigures() for agent in society.agents})
    async for event in events:
        figures.add(event)
    return figures


def per_minute(counts: Counter[int], last: float) -> Curve:
    """Return the number of events a minute over time."""
    width = max(FINEST, last / POINTS)
    bins = Counter({int(second / width): 0 for second in counts})
    for second, count in counts.items():
        bins[int(second / width)] += count
    return [((nth + 0.5) * width, bins[nth] * 60 / width) for nth in range(int(last / width) + 1)]


def growth(seconds: list[float], share: float = 1.0) -> Curve:
    """Return the number of these seconds that are over at each of them, times `share`."""
    points = [(second, (nth + 1) * share) for nth, second in enumerate(sorted(seconds))]
    return [(0.0, 0.0), *thinned(points)]


def thinned(points: Curve) -> Curve:
    """Return at most `POINTS` of the points, the last one included."""
    step = max(1, -(-len(points) // POINTS))
    return [*islice(points[:-1], 0, None, step), *points[-1:]]

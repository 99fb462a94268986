"""The exposure graph of topics (memes and a religion): speakers, listeners and adoption curves (document 002 §5.1)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class ExposureGraph:
    """Exposures and mentions by topic. An agent is exposed to a topic when it hears another agent mention it."""

    exposures: dict[str, dict[tuple[str, str], int]] = field(default_factory=dict)
    """Weighted edges (speaker, listener) by topic. The weight is the number of exposures."""
    first_exposure: dict[str, dict[str, float]] = field(default_factory=dict)
    """Second of each listener's first exposure, by topic."""
    first_mention: dict[str, dict[str, float]] = field(default_factory=dict)
    """Second at which each agent first mentioned a topic, by topic."""
    mention_counts: dict[str, dict[str, int]] = field(default_factory=dict)
    """Number of times that each agent mentioned a topic, by topic."""

    def record_exposure(self, topics: Iterable[str], speaker: str, listener: str, second: float) -> None:
        """Record that the listener heard the speaker mention these topics."""
        for topic in topics:
            edges = self.exposures.setdefault(topic, {})
            edges[speaker, listener] = edges.get((speaker, listener), 0) + 1
            self.first_exposure.setdefault(topic, {}).setdefault(listener, second)

    def record_mention(self, topics: Iterable[str], speaker: str, second: float) -> None:
        """Record that the speaker mentioned these topics."""
        for topic in topics:
            self.first_mention.setdefault(topic, {}).setdefault(speaker, second)
            times = self.mention_counts.setdefault(topic, {})
            times[speaker] = times.get(speaker, 0) + 1

    def exposed(self, topic: str) -> frozenset[str]:
        """Return the agents that have heard of a topic."""
        return frozenset(self.first_exposure.get(topic, {}))

    def speakers(self, topic: str, second: float) -> frozenset[str]:
        """Return the agents that had mentioned a topic by this second."""
        return frozenset(who for who, when in self.first_mention.get(topic, {}).items() if when <= second)

    def sources(self, topic: str) -> Mapping[str, frozenset[str]]:
        """Return, for each listener, the speakers from which it heard of a topic."""
        sources: dict[str, set[str]] = {}
        for speaker, listener in self.exposures.get(topic, {}):
            sources.setdefault(listener, set()).add(speaker)
        return {listener: frozenset(speakers) for listener, speakers in sources.items()}

    def unexplained(self, topic: str, seeds: Iterable[str]) -> frozenset[str]:
        """Return the agents that mentioned a topic without an earlier exposure, except the `seeds`, who were given
        the topic at the start.

        The result is empty if all exposures were recorded.
        """
        known, exposed = set(seeds), self.first_exposure.get(topic, {})
        return frozenset(
            who
            for who, when in self.first_mention.get(topic, {}).items()
            if who not in known and not exposed.get(who, float("inf")) <= when
        )

    def adoption_curve(self, topic: str, seconds: Sequence[float]) -> list[int]:
        """Return, for each of these seconds, the number of agents that had mentioned a topic by then."""
        return [len(self.speakers(topic, second)) for second in seconds]

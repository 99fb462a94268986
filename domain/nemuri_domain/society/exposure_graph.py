"""Who heard what from whom: the graph that memes and a religion spread over, and its curves (document 002 §5.1)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Exposures:
    """Every topic that was heard, by topic, and when each agent first spoke of it."""

    heard: dict[str, dict[tuple[str, str], int]] = field(default_factory=dict)
    """By topic, how often a listener heard it from a speaker: an edge (speaker, listener) with its weight."""
    first_heard: dict[str, dict[str, float]] = field(default_factory=dict)
    """By topic, the second at which each listener first heard it."""
    first_spoken: dict[str, dict[str, float]] = field(default_factory=dict)
    """By topic, the second at which each agent first spoke of it."""
    spoken: dict[str, dict[str, int]] = field(default_factory=dict)
    """By topic, how often each agent spoke of it."""

    def hear(self, topics: Iterable[str], speaker: str, listener: str, second: float) -> None:
        """Somebody heard somebody speak of these."""
        for topic in topics:
            edges = self.heard.setdefault(topic, {})
            edges[speaker, listener] = edges.get((speaker, listener), 0) + 1
            self.first_heard.setdefault(topic, {}).setdefault(listener, second)

    def speak(self, topics: Iterable[str], speaker: str, second: float) -> None:
        """Somebody spoke of these."""
        for topic in topics:
            self.first_spoken.setdefault(topic, {}).setdefault(speaker, second)
            times = self.spoken.setdefault(topic, {})
            times[speaker] = times.get(speaker, 0) + 1

    def exposed(self, topic: str) -> frozenset[str]:
        """Who has heard of it."""
        return frozenset(self.first_heard.get(topic, {}))

    def speakers(self, topic: str, second: float) -> frozenset[str]:
        """Who had spoken of it by that second."""
        return frozenset(who for who, when in self.first_spoken.get(topic, {}).items() if when <= second)

    def causes(self, topic: str) -> Mapping[str, frozenset[str]]:
        """By listener, those whom it heard it from."""
        found: dict[str, set[str]] = {}
        for speaker, listener in self.heard.get(topic, {}):
            found.setdefault(listener, set()).add(speaker)
        return {listener: frozenset(each) for listener, each in found.items()}

    def unexplained(self, topic: str, seeds: Iterable[str]) -> frozenset[str]:
        """Who spoke of it without having heard it before and without being a seed: nobody, or the graph is wrong."""
        known, heard = set(seeds), self.first_heard.get(topic, {})
        return frozenset(
            who
            for who, when in self.first_spoken.get(topic, {}).items()
            if who not in known and not heard.get(who, float("inf")) <= when
        )

    def curve(self, topic: str, seconds: Sequence[float]) -> list[int]:
        """How many had spoken of it by each of these seconds; it never falls."""
        return [len(self.speakers(topic, each)) for each in seconds]

"""Runs that a text shares with another one, by a suffix automaton."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple


class SharedRun(NamedTuple):
    """A run of equal items, which neither side can extend to the left or to the right."""

    end: int
    """Place in the text after the last item of the run."""
    source_end: int
    """Place in the source after the last item of the run, where the source has it first."""
    length: int


class RunFinder:
    """The suffix automaton of a source. It is built in linear time."""

    def __init__(self, source: Sequence[Hashable]) -> None:
        self._next: list[dict[Hashable, int]] = [{}]
        self._link, self._length, self._first = [-1], [0], [0]
        self._last = 0
        for index, item in enumerate(source):
            self._add(item, index + 1)

    def runs(self, text: Iterable[Hashable]) -> Iterator[SharedRun]:
        """Yield the runs of a text that the source has too. Linear time."""
        state = length = 0
        before = SharedRun(0, 0, 0)
        for index, item in enumerate(text):
            while state and item not in self._next[state]:
                state = self._link[state]
                length = self._length[state]
            following = self._next[state].get(item)
            state, length = (0, 0) if following is None else (following, length + 1)
            if before.length and length <= before.length:
                yield before
            before = SharedRun(index + 1, self._first[state], length)
        if before.length:
            yield before

    def _add(self, item: Hashable, end: int) -> None:
        fresh, state = self._state({}, 0, self._length[self._last] + 1, end), self._last
        while state >= 0 and item not in self._next[state]:
            self._next[state][item] = fresh
            state = self._link[state]
        if state >= 0:
            other = self._next[state][item]
            self._link[fresh] = other if self._length[other] == self._length[state] + 1 else self._cloned(state, item)
        self._last = fresh

    def _cloned(self, state: int, item: Hashable) -> int:
        """Return a copy of the state after `item` that is reached by its shorter runs only."""
        other = self._next[state][item]
        length = self._length[state] + 1
        clone = self._state(dict(self._next[other]), self._link[other], length, self._first[other])
        self._link[other] = clone
        while state >= 0 and self._next[state].get(item) == other:
            self._next[state][item] = clone
            state = self._link[state]
        return clone

    def _state(self, following: dict[Hashable, int], link: int, length: int, first: int) -> int:
        self._next.append(following)
        self._link.append(link)
        self._length.append(length)
        self._first.append(first)
        return len(self._next) - 1

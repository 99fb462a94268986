"""Extractive overview of texts: the sentences that say most about each of several sources, or all that match a subject.

No language model is involved. Sentences are quoted, never rewritten.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Final

from nemuri_domain.language.list_reading import ListItem, read_lists
from nemuri_domain.language.statement_comparison import differ
from nemuri_domain.language.tokenization import GRAMMAR_TERM, terms
from nemuri_domain.retrieval.passage_ranking import Passage, passages

_ALIKE: Final = 0.6
"""Jaccard index of terms above which a sentence repeats another one, unless a value or the polarity differs."""
_COMPARED: Final = 4
"""Maximum number of chosen sentences with which a sentence is compared closely: the most alike ones. Lines in the same
form are all alike, but a line that repeats another one is most like it.
"""
_FIGURE: Final = 0.25
_MOST_FIGURES: Final = 3
"""Bonus for each distinct figure of a sentence, up to three: sentences with figures are facts more often than remarks.

On conversations with planted facts, no bonus let none of them into the first 30 sentences, 0.25 all, 0.5 no more.
"""
_FIGURES = re.compile(r"\d+(?:[.,]\d+)*")
_WANTED: Final = 0.5
"""Least share of the weight of the subject's terms in a sentence that matches the subject."""
_SUBJECT: Final = 3.0
"""Factor for the weight of a term of the subject."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of one of several sources."""

    source: int
    """Index of the source."""
    place: int
    """Index of the sentence among the sentences of all sources."""
    passage: Passage
    topic: frozenset[str] = frozenset()
    """Terms of the line above a list to which the sentence belongs. They match a subject, but say nothing else."""

    @property
    def text(self) -> str:
        """The text of the sentence."""
        return self.passage.text


def sentences_of(sources: Sequence[str]) -> list[Sentence]:
    """Return the sentences, list items and table rows of the sources, in order.

    A list item knows the line that introduces its list, so that "Risks:" tells what the items below it are.
    """
    found: list[Sentence] = []
    for number, source in enumerate(sources):
        topics = dict(_introduced(source))
        for passage in passages("", source):
            topic = next((told for item, told in topics.items() if passage.text and passage.text in item), frozenset())
            found.append(Sentence(number, len(found), passage, topic))
    return found


def _introduced(source: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each item of the source's lists, with the terms of the line above its list."""
    above = frozenset[str]()
    for part in read_lists(source):
        if isinstance(part, ListItem):
            yield part.text, above
        else:
            above = frozenset(terms(part))


def most_telling(said: Sequence[Sentence], subject: frozenset[str] = frozenset()) -> list[Sentence]:
    """Return the sentences without repetitions, in an order whose every beginning covers all sources.

    First comes the most telling sentence of each source, best first, then the second of each, and so on. A sentence
    tells much if its terms are frequent in its source and rare elsewhere. Terms of the subject count three times.
    """
    weights = _rarity(said)
    inside = [Counter(term for one in said if one.source == source for term in one.passage.counts) for source in
              range(max((one.source for one in said), default=-1) + 1)]  # fmt: skip
    scored = sorted(
        ((_score(sentence, weights, inside[sentence.source], subject), sentence) for sentence in said),
        key=lambda found: (-found[0], found[1].place),
    )
    ranks: Counter[int] = Counter()
    kept: list[tuple[int, int, Sentence]] = []
    seen = _Seen()
    for order, (_, scored_sentence) in enumerate(scored):
        if seen.repeats(scored_sentence.passage):
            continue
        seen.add(scored_sentence.passage)
        kept.append((ranks[scored_sentence.source], order, scored_sentence))
        ranks[scored_sentence.source] += 1
    return [sentence for _, _, sentence in sorted(kept, key=lambda found: found[:2])]


def matching(said: Sequence[Sentence], subject: frozenset[str]) -> list[Sentence]:
    """Return the sentences that match the subject, in order, each text once.

    A sentence matches if it has half of the weight of the subject's terms, or if the line above its list has. Questions
    and lines that introduce a list do not match. All sentences match an empty subject.
    """
    if not subject:
        return list({sentence.text: sentence for sentence in said}.values())
    weights = _rarity(said)
    known = {term: weights[term] for term in subject if term in weights}
    everything = sum(known.values())
    found = {
        sentence.text: sentence
        for sentence in reversed(said)
        if known
        and _share(sentence, known) >= _WANTED * everything
        and not sentence.text.endswith((":", "：", "?", "？"))
    }
    return sorted(found.values(), key=lambda sentence: sentence.place)


def _share(sentence: Sentence, known: dict[str, float]) -> float:
    held = sentence.passage.counts.keys() | sentence.topic
    return sum(weight for term, weight in known.items() if term in held)


def _rarity(said: Sequence[Sentence]) -> dict[str, float]:
    """Return ln(1 + number of sentences / number of sentences with the term) by term."""
    spread = Counter(term for sentence in said for term in {*sentence.passage.counts, *sentence.topic})
    return {term: math.log1p(len(said) / count) for term, count in spread.items()}


def _score(sentence: Sentence, weights: dict[str, float], inside: Counter[str], subject: frozenset[str]) -> float:
    counts = sentence.passage.counts
    total = sum(
        weights[term]
        * math.log1p(inside[term])
        * (0.2 if GRAMMAR_TERM.fullmatch(term) else 1)
        * (_SUBJECT if term in subject else 1)
        for term in counts
    )
    figures = min(_MOST_FIGURES, len({*_FIGURES.findall(sentence.text)}))
    return (1 + _FIGURE * figures) * sentence.passage.fitness * total / math.pow(len(counts) + 8, 0.8)


class _Seen:
    """The sentences that were chosen already, by their terms, so that a repetition is found without comparing all."""

    def __init__(self) -> None:
        self._by_term: dict[str, list[Passage]] = {}

    def add(self, passage: Passage) -> None:
        """Remember a chosen sentence."""
        for term in passage.counts:
            self._by_term.setdefault(term, []).append(passage)

    def repeats(self, passage: Passage) -> bool:
        """Return True if a chosen sentence says the same in nearly the same words."""
        shared: Counter[int] = Counter()
        known: dict[int, Passage] = {}
        for term in passage.counts:
            for sentence in self._by_term.get(term, ()):
                shared[id(sentence)] += 1
                known[id(sentence)] = sentence
        own = len(passage.counts)
        likeness = {index: count / (own + len(known[index].counts) - count) for index, count in shared.items()}
        alike = nlargest(
            _COMPARED, (sentence for sentence in likeness if likeness[sentence] > _ALIKE), key=likeness.__getitem__
        )
        return any(not differ(known[index].text, passage.text) for index in alike)

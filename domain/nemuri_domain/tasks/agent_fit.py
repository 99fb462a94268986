"""Fit of agents to a text, learned from definitions, memories and judged tasks (document 000 §3.1).

The phrases of the definitions and the judged tasks are rows of a kernel ridge regression with one output per agent.
The kernel is a mean of two: the squared cosine of vectors, with its sign, and the cosine of words by their rarity among
the rows. Squared, near texts count and the many that are a little alike do not (CLINC150 for tuning: .71 to .78 right
before any judged task). Words that tell nothing in their language (particles, auxiliaries, words of requests) have no
weight. Words of definitions and memories count beside the regression (`agent_words`), so a new memory does not train it
again.

A text belongs to some agent's field if its familiarity reaches a threshold. The familiarity is the score of its best
field, less what a text with this focus gets by chance.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.agents import Definition
from nemuri_domain.language.tokenization import terms, topic_weight
from nemuri_domain.language.word_table import Words, word_table
from nemuri_domain.tasks.agent_words import Vocabulary, focus
from nemuri_domain.tasks.definition_phrases import PHRASES, phrases

Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FitConstants:
    """Constants of the regression, chosen by `python -m bench.routing --tune`."""

    vector_share: float
    """Share of the vectors in the kernel, 0 to 1. The words have the rest."""
    ridge: float
    """Regularisation. A greater value trusts single rows less."""
    sharpness: float
    """Factor on the scores before the softmax."""
    familiar: float
    """Familiarity at which a task counts as inside a field, before any task is judged."""
    doubt: float
    """Distance from the threshold of familiarity at which a task surely counts as inside or outside."""


CALIBRATION: Final = FitConstants(vector_share=0.75, ridge=0.8, sharpness=8.0, familiar=-0.115, doubt=0.2)

WHOLE: Final = 8.0
"""Weight of a whole definition. A judged task of full strength has weight 1."""
PHRASE: Final = 4.0
"""Weight of one phrase of a definition."""
ROWS: Final = 800
"""Approximate maximum number of rows for definitions. With many agents, each has fewer phrases."""
WORDS: Final = 0.4
"""Weight of an agent's knowledge of the words of a text, beside the score of the regression."""
FOCUS: Final = 0.3
"""Weight of the focus of a text, by which its familiarity is less than its score."""
NEAREST: Final = 5
"""Maximum number of judged tasks that are named as the most similar ones."""
OUTSIDE: Final = 0.1
"""Share of the judged tasks that would count as outside every field, if each were judged by the others. It sets the
threshold of familiarity.
"""
PRIOR: Final = 5
"""Number of judged tasks that together weigh as much as the calibrated threshold of familiarity."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A past task with the verdicts of its client."""

    memory_id: UUID
    """Routing memory of the task."""
    text: str
    outcomes: Mapping[str, tuple[int, int]]
    """Numbers of good and of bad verdicts, by agent."""
    weight: float = 1.0
    """Weight, more than 0 and at most 1. It falls with the strength of the routing memory."""


@dataclass(frozen=True, slots=True)
class TextFeatures:
    """The features by which a text is compared."""

    words: Mapping[str, float]
    """Weight of each term that may tell what the text is about."""
    vector: NDArray[np.float32]
    """Vector of length 1, or zeros."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Scores of one text."""

    scores: Mapping[str, float]
    """Score of the regression, by agent: about 1 for a task like those of the agent, 0 for one unlike them."""
    fields: Mapping[str, float]
    """Score of the agent's field, by agent: the sum of the scores of all agents with the same definition."""
    expertise: Mapping[str, float]
    """Similarity to the most similar phrase of the agent's definition, 0 to 1, by agent."""
    threshold: float
    """Familiarity below which the text counts as outside every field."""
    doubt: float
    """Distance from the threshold at which the text surely counts as inside or outside."""
    verdicts: Mapping[str, tuple[float, float]]
    """Weight of the good and of all verdicts on similar judged tasks, by agent. A task weighs its squared similarity.
    """
    nearest: Mapping[str, tuple[UUID, ...]]
    """Routing memories of the most similar judged tasks, most similar first, by agent."""


def features(text: str, vector: NDArray[np.float32]) -> TextFeatures:
    """Return the features of a text with this vector. Words of hiragana alone are mostly grammar and are left out."""
    counts = Counter(terms(text))
    return TextFeatures({term: 1 + log(count) for term, count in counts.items() if topic_weight(term) == 1.0}, vector)


def texts_of(definitions: Mapping[str, Definition], judged: Sequence[Judged]) -> tuple[str, ...]:
    """Return the texts of all rows of a regression, each once."""
    most = _most_phrases(len(definitions))
    said = (phrase for definition in definitions.values() for phrase in phrases(definition, most))
    return tuple(dict.fromkeys((*said, *(request.text for request in judged))))


def _most_phrases(agents: int) -> int:
    return max(1, min(PHRASES, ROWS // max(agents, 1)))


def blended(one: Fit, other: Fit, share: float) -> Fit:
    """Return the weighted mean of two fits, in which `one` has the weight `share`. Its nearest judged tasks count."""

    def mean(mine: Mapping[str, float], others: Mapping[str, float]) -> Mapping[str, float]:
        return {name: share * value + (1.0 - share) * others.get(name, 0.0) for name, value in mine.items()}

    return replace(
        one,
        scores=mean(one.scores, other.scores),
        fields=mean(one.fields, other.fields),
        expertise=mean(one.expertise, other.expertise),
    )


def familiarity(best: float, words: Words) -> float:
    """Return the familiarity of a text: the score of its best field, with `WORDS` times the knowledge of its words,
    less `FOCUS` times its focus.
    """
    return best - FOCUS * focus(words)


class FitModel:
    """A trained regression. It never changes, so it may be cached while its inputs stay the same."""

    def __init__(
        self,
        definitions: Mapping[str, Definition],
        judged: Sequence[Judged],
        vectors: Mapping[str, NDArray[np.float32]],
        calibration: FitConstants,
    ) -> None:
        """Train the regression.

        Args:
            definitions: Definition of each agent.
            judged: Judged tasks. Those that only other agents worked on are ignored.
            vectors: Vectors of the texts in `texts_of(definitions, judged)`, by text.
            calibration: Constants of the embedder.
        """
        self._agents = tuple(definitions)
        self._calibration = calibration
        self._judged = [request for request in judged if any(request.outcomes.get(name) for name in definitions)]
        most = _most_phrases(len(definitions))
        said = [(name, text, nth) for name in definitions for nth, text in enumerate(phrases(definitions[name], most))]
        rows = [features(text, vectors[text]) for _, text, _ in said]
        rows += [features(request.text, vectors[request.text]) for request in self._judged]
        self._rarity, self._columns = _rarity(rows)
        self._rarest = log(1.0 + len(rows))
        self._vectors = np.stack([row.vector for row in rows]).astype(np.float64)
        self._words = self._by_rarity(rows)
        self._owners = np.array([self._agents.index(name) for name, _, _ in said])
        self._same = np.array([[one == other for other in definitions.values()] for one in definitions.values()], float)
        weights = [WHOLE if nth == 0 else PHRASE for _, _, nth in said] + [request.weight for request in self._judged]
        self._train(np.array(weights))
        self._threshold = self._learned_threshold(Vocabulary.of(definitions, {}))

    @property
    def bytes(self) -> int:
        """Return the size of the matrices in bytes."""
        return int(self._vectors.nbytes + self._words.nbytes + self._solution.nbytes)

    def fit(self, text: TextFeatures) -> Fit:
        """Return the scores of a text."""
        similar = self._kernel(text.vector.astype(np.float64)[None], self._by_rarity([text]))[0]
        scores = similar @ self._solution
        said = len(self._owners)
        expertise = np.zeros(len(self._agents))
        np.maximum.at(expertise, self._owners, similar[:said].clip(0.0, 1.0))
        return Fit(
            scores=dict(zip(self._agents, map(float, scores), strict=True)),
            fields=dict(zip(self._agents, map(float, scores @ self._same), strict=True)),
            expertise=dict(zip(self._agents, map(float, expertise), strict=True)),
            threshold=self._threshold,
            doubt=self._calibration.doubt,
            verdicts=self._verdicts(similar[said:]),
            nearest=self._nearest(similar[said:]),
        )

    def _train(self, weights: Rows) -> None:
        """Solve the regression, and predict the scores of the judged tasks, each left out in turn."""
        kernel, wanted = self._kernel(self._vectors, self._words), self._wanted()
        inverse = np.linalg.inv(kernel + self._calibration.ridge * np.diag(1.0 / weights))
        self._solution = inverse @ wanted
        said = len(self._owners)
        self._left_out = wanted[said:] - self._solution[said:] / np.diag(inverse)[said:, None]

    def _learned_threshold(self, vocabulary: Vocabulary) -> float:
        """Return the threshold of familiarity, learned from the judged tasks that some agent did well."""
        cold, table = self._calibration.familiar, word_table()
        good = [row for row, request in enumerate(self._judged) if any(well for well, _ in request.outcomes.values())]
        if not good:
            return cold
        words = [table.words(self._judged[row].text) for row in good]
        best = (self._left_out[good] @ self._same + WORDS * vocabulary.overlaps(words)).max(axis=1)
        found = [familiarity(score, request_words) for score, request_words in zip(best.tolist(), words, strict=True)]
        learned = (PRIOR * cold + len(found) * float(np.quantile(found, OUTSIDE))) / (PRIOR + len(found))
        return max(learned, cold)  # Experience only makes texts more familiar.

    def _wanted(self) -> Rows:
        """Return the wanted scores, shape (rows, agents): positive for the right agent, negative for a wrong one."""
        agents = len(self._agents)
        wanted = np.zeros((len(self._owners) + len(self._judged), agents))
        wanted[np.arange(len(self._owners)), self._owners] = 1.0
        for row, request in enumerate(self._judged, len(self._owners)):
            for column, name in enumerate(self._agents):
                well, badly = request.outcomes.get(name, (0, 0))
                wanted[row, column] = (well - badly) / (well + badly) if well or badly else 0.0
        return wanted

    def _kernel(self, vectors: Rows, words: Rows) -> Rows:
        """Return the similarities of texts to the rows, shape (texts, rows)."""
        share, cosines = self._calibration.vector_share, vectors @ self._vectors.T
        found: Rows = share * cosines * np.abs(cosines) + (1.0 - share) * (words @ self._words.T)
        return found

    def _by_rarity(self, texts: Sequence[TextFeatures]) -> Rows:
        """Return the words of texts as rows of length 1, shape (texts, words).

        Words that occur in no row of the regression have no column, but count for the length.
        """
        found, unknown = np.zeros((len(texts), len(self._columns))), np.zeros(len(texts))
        for row, text in enumerate(texts):
            for word, weight in text.words.items():
                column = self._columns.get(word)
                if column is None:
                    unknown[row] += (weight * self._rarest) ** 2
                else:
                    found[row, column] = weight * self._rarity[word]
        length = np.sqrt((found**2).sum(axis=1) + unknown)[:, None]
        scaled: Rows = np.divide(found, length, out=found, where=length > 0)
        return scaled

    def _verdicts(self, similar: Rows) -> Mapping[str, tuple[float, float]]:
        found = dict.fromkeys(self._agents, (0.0, 0.0))
        for request, likeness in zip(self._judged, map(float, similar.clip(0.0, 1.0)), strict=True):
            for name, (well, badly) in request.outcomes.items():
                if name in found and (well or badly):
                    good, total = found[name]
                    weight = request.weight * likeness**2
                    found[name] = (good + weight * well / (well + badly), total + weight)
        return found

    def _nearest(self, similar: Rows) -> Mapping[str, tuple[UUID, ...]]:
        order = [self._judged[row] for row in np.argsort(-similar, kind="stable")[:NEAREST] if similar[row] > 0]
        return {
            name: tuple(request.memory_id for request in order if any(request.outcomes.get(name, (0, 0))))
            for name in self._agents
        }


def _rarity(rows: Sequence[TextFeatures]) -> tuple[Mapping[str, float], Mapping[str, int]]:
    """Return the rarity of each word among the rows, log(1 + rows / rows with it), and its column."""
    counts = Counter(word for row in rows for word in row.words)
    rarity = {word: log(1.0 + len(rows) / count) for word, count in counts.items()}
    return rarity, {word: column for column, word in enumerate(rarity)}

"""Contrastive losses: which of many facts answers a question, which of many definitions is of a word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from bench.word_table.teacher import TrainingTexts
from bench.word_table.trainable_table import Lines, TrainableTable
from bench.word_table.vocabulary import Vocabulary

CONTRASTED: Final = 192
"""Number of pairs in a batch."""
NEGATIVES: Final = 256
"""Number of other sentences beside the facts of a batch."""
NEGATIVE_WORDS: Final = range(3, 26)
"""Number of words of such a sentence."""
TEMPERATURE: Final = 0.05
TEACHER_TEMPERATURE: Final = 0.025
TEACHER_SHARE: Final = 0.3
"""Share of the teacher's opinion in the target. The fact that belongs to the question has the rest."""
ACROSS: Final = 0.5
"""Weight of a pair in two languages. A pair in one language has weight 1."""

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Source:
    """Texts with the teacher's centred vectors of them."""

    lines: Lines
    teacher: Floats
    """Shape (texts, 384), rows of length 1."""

    def chosen(self, some: NDArray[np.intp]) -> "Source":
        """Return some of the texts."""
        return Source([self.lines[place] for place in some], self.teacher[some])


class Contrasts:
    """The pairs that are contrasted, and sentences that answer none of the questions."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        texts: Sequence[TrainingTexts],
        lines: Mapping[str, Lines],
        rows: Mapping[str, Floats],
    ) -> None:
        sources = {name: Source(lines[name], rows[name]) for name in lines}
        self._pairs = [
            (1.0 if asked[2:] == fact[2:] else ACROSS, fact[2:], sources[asked], sources[fact])
            for asked in ("q_en", "q_ja")
            for fact in ("f_en", "f_ja")
        ]
        self._negatives = {
            language: _joined([sources[text.name] for text in texts if _is_negative(text, language)])
            for language in ("en", "ja")
        }
        defined = [text for text in texts if text.named]
        self._definitions = [
            ([vocabulary.known_words(names) for names in text.named], lines[text.name]) for text in defined
        ]

    def pair_loss(self, table: TrainableTable, chance: np.random.Generator) -> torch.Tensor:
        """Return the loss of questions and facts: the cross-entropy with a target that mixes the right fact with the
        teacher's similarities.
        """
        losses = [
            weight * _distilled(table, asked, facts, self._negatives[language], chance)
            for weight, language, asked, facts in self._pairs
        ]
        return torch.stack(losses).sum()

    def definition_loss(self, table: TrainableTable, chance: np.random.Generator) -> torch.Tensor:
        """Return the loss of words and their definitions."""
        losses = [_plain(table, *definition, chance) for definition in self._definitions]
        return torch.stack([torch.zeros(()), *losses]).sum()


def _is_negative(texts: TrainingTexts, language: str) -> bool:
    return texts.language == language and not texts.queries and not texts.name.startswith("f_")


def _joined(sources: Sequence[Source]) -> Source:
    """Return the sentences of all sources that are neither very short nor very long."""
    fitting = [
        source.chosen(
            np.array([place for place, line in enumerate(source.lines) if len(line) in NEGATIVE_WORDS], np.intp)
        )
        for source in sources
    ]
    return Source(
        [line for each in fitting for line in each.lines], np.concatenate([source.teacher for source in fitting])
    )


def _distilled(
    table: TrainableTable, asked: Source, facts: Source, negatives: Source, chance: np.random.Generator
) -> torch.Tensor:
    some = _drawn(asked.lines, facts.lines, chance)
    questions, answers = asked.chosen(some), facts.chosen(some)
    others = negatives.chosen(chance.integers(0, len(negatives.lines), NEGATIVES))
    count = len(some)
    scores = table.relevance(questions.lines, [*answers.lines, *others.lines]) / TEMPERATURE
    similar = torch.from_numpy(questions.teacher @ np.concatenate([answers.teacher, others.teacher]).T)
    similar = similar / TEACHER_TEMPERATURE
    of_facts, of_questions = scores, scores[:, :count].T
    return (
        functional.cross_entropy(of_facts, _target(similar))
        + functional.cross_entropy(of_questions, _target(similar[:, :count].T))
    ) / 2


def _target(similar: torch.Tensor) -> torch.Tensor:
    """Return the probabilities that are wanted, shape of `similar`. The right one of each row is on the diagonal."""
    return (1 - TEACHER_SHARE) * torch.eye(*similar.shape) + TEACHER_SHARE * torch.softmax(similar, 1)


def _plain(table: TrainableTable, ones: Lines, others: Lines, chance: np.random.Generator) -> torch.Tensor:
    some = _drawn(ones, others, chance)
    scores = table.relevance([ones[place] for place in some], [others[place] for place in some]) / TEMPERATURE
    right = torch.arange(len(some))
    return (functional.cross_entropy(scores, right) + functional.cross_entropy(scores.T, right)) / 2


def _drawn(ones: Lines, others: Lines, chance: np.random.Generator) -> NDArray[np.intp]:
    drawn = chance.choice(len(ones), min(CONTRASTED, len(ones)), replace=False)
    return np.array([place for place in drawn if len(ones[place]) and len(others[place])], np.intp)

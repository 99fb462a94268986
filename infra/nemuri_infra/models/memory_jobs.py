"""Inputs and outcomes of the model's jobs about memories: learning, comparing, compressing, merging, school."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from nemuri_contracts.affective import LinkSort, Reading
from nemuri_domain.language.statement_comparison import Comparison
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.policy import Consolidation
from nemuri_infra.models.sources import Source


@dataclass(frozen=True, slots=True)
class LearningsJob:
    """Input of `Model.learnings`: a finished answer. At most one sentence is wanted for each perspective."""

    role: str
    question: str
    answer: str
    perspectives: tuple[str, ...]
    details: tuple[Source, ...]
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Keywords of each perspective, by perspective. Perspectives without keywords are left out."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The learnings of a finished answer."""

    by_perspective: Mapping[str, str]
    """One sentence for each perspective under which there is something to learn."""
    happened: str = ""
    """The event, in a sentence or two that stand on their own; "" if the model does not say."""


@dataclass(frozen=True, slots=True)
class SectionJob:
    """Input of `Model.read_section`: a section of a textbook that an agent studies under a perspective."""

    role: str
    perspective: str
    keywords: tuple[str, ...]
    """Keywords of the perspective; may be empty."""
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class GradeJob:
    """Input of `Model.grade`: an answer to an exercise, and what a right answer says."""

    question: str
    keywords: tuple[str, ...]
    """Points that a right answer makes."""
    right: str
    """A right answer in words; "" if the textbook has none."""
    answer: str
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other words for the keywords, by keyword."""
    drew_on_something: bool = True
    """True if the answer used a source."""


@dataclass(frozen=True, slots=True)
class RelationsJob:
    """Input of `Model.relations`: new statements, older ones, and the pairs to compare."""

    new: tuple[Source, ...]
    """New statements, with labels "n1", "n2", …"""
    older: tuple[Source, ...]
    """Older statements, with labels "o1", "o2", …"""
    pairs: tuple[tuple[str, str], ...]
    """Pairs of labels to compare. The first is a new statement, the second an older one or an earlier one in `new`."""


Comparisons = Mapping[tuple[str, str], Comparison]
"""Relation of a pair's first statement to its second, by pair of labels. A missing pair is unrelated."""


@dataclass(frozen=True, slots=True)
class GeneraliseJob:
    """Input of `Model.generalise`: statements from several occasions that all say the same. One statement is wanted."""

    statements: tuple[Source, ...]
    """The statements, most typical first; at least two."""


@dataclass(frozen=True, slots=True)
class FeelJob:
    """Input of `Model.feel`: one turn of an assistant's session.

    Its meaning, its emotion and its relations to earlier memories are wanted.
    """

    prompt: str
    reply: str
    earlier: tuple[Source, ...] = ()
    """Earlier memories that the turn may relate to, most similar first, with labels "e1", "e2", …"""


@dataclass(frozen=True, slots=True)
class TurnReading:
    """The outcome of reading a turn."""

    reading: Reading
    relations: Mapping[str, LinkSort] = field(default_factory=dict)
    """The relation of the turn to each earlier memory that it has to do with, by label."""


@dataclass(frozen=True, slots=True)
class CompressJob:
    """Input of `Model.compress`: the text of a memory."""

    level: Literal[2, 3]
    """Level to which the text is compressed: 2 for sentences, 3 for keywords."""
    trigger: str
    content: str


@dataclass(frozen=True, slots=True)
class Compressed:
    """A compressed memory. Neither text is longer than before the compression."""

    trigger: str
    content: str


@dataclass(frozen=True, slots=True)
class ConsolidateJob:
    """Input of `Model.consolidate`: related memories of an agent. One memory made of them is wanted."""

    agent: str
    memories: tuple[TierMemory, ...]
    """Memories to consolidate, oldest first; at least one."""
    rules: Consolidation

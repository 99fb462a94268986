"""The entry of a session: one memory with what happened and what it teaches under each perspective (document 000
§3.3).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_contracts.client_events import MemoryContent, Scope
from nemuri_contracts.strength import Provenance, Relation
from nemuri_domain.language.boilerplate import boilerplate_reason
from nemuri_domain.language.citations import cited_labels, cites_details
from nemuri_domain.language.keywords import keywords
from nemuri_domain.language.request_sentences import is_request
from nemuri_domain.language.sentences import normalised, sentences
from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.writing_systems import is_cjk
from nemuri_domain.tasks.aggregate import Assignment

QUESTION_CHARACTERS: Final = 200
"""Maximum characters of the question in an entry."""
HAPPENED_CHARACTERS: Final = 1_000
"""Maximum characters of the text that says what happened."""
ENTRY_TAGS: Final = 10
"""Maximum number of tags of an entry."""
TOLD_SHARE: Final = 0.75
"""Minimum share of a learning's terms that the client's own statements contain if the client told it."""


def entry_content(
    question: str, happened: str, learnings: Mapping[str, str], *, scope: Scope, person: str | None = None
) -> MemoryContent:
    """Return the content of a session's entry.

    `happened` is the model's account; if it is "", question and learnings are quoted instead. `learnings` are the new
    ones, by perspective; at least one. The entry belongs to the person, if there is one.
    """
    account = normalised(happened)
    if not account or boilerplate_reason(account):
        account = condensed(question, learnings.values())
    tags = keywords("\n".join(learnings.values()), ENTRY_TAGS)
    text = account[:HAPPENED_CHARACTERS]
    return MemoryContent(content=text, tags=tags, learnings=dict(learnings), scope=scope, person=person)


def condensed(question: str, learned: Iterable[str]) -> str:
    """Return what happened without a model: the question, at most 200 characters of it, and what was learned from its
    answer, each in a paragraph of its own, so that no two of them are quoted as one.
    """
    asked = normalised(question)
    asked = asked if len(asked) <= QUESTION_CHARACTERS else f"{asked[: QUESTION_CHARACTERS - 1]}…"
    first = f"質問「{asked}」" if any(map(is_cjk, asked)) else f"Asked: “{asked}”"
    return "\n\n".join((first, *dict.fromkeys(learned)))


def merged_relations(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """Return the relations with at most one for each older memory. If several learnings of the older one are concerned,
    the relation is to the whole memory.
    """
    found: dict[object, Relation] = {}
    for relation in relations:
        known = found.setdefault(relation.older, relation)
        if known.perspective != relation.perspective:
            found[relation.older] = known.model_copy(update={"perspective": None})
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Grounds:
    """The sources of an answer."""

    answer: str
    """The answer with its citations."""
    used: Collection[Provenance]
    """Provenance of each memory that the answer used."""
    said: Sequence[str] = ()
    """The client's own words: the request, and the summary that it supplied."""

    def provenance(self, learnings: Iterable[str]) -> Provenance:
        """Return the provenance of these learnings.

        What rests on a document that the answer cites is observed. What rests on a used memory that was observed or
        told is told, and so is what the client states itself. What rests on nothing given is inferred.
        """
        if cites_details(self.answer):
            return "observed"
        if any(method != "inferred" for method in self.used):
            return "told"
        stated = {
            term
            for text in self.said
            for sentence in sentences(text)
            if not is_request(sentence)
            for term in terms(sentence)
        }
        told = [_share(terms(learning), stated) >= TOLD_SHARE for learning in learnings]
        return "told" if told and all(told) else "inferred"


def cited_documents(work: Assignment) -> tuple[str, ...]:
    """Return the names of the documents that an assignment's answer cites, each once."""
    labels = {f"d{number}": detail.document for number, detail in enumerate(work.details, 1)}
    return tuple(dict.fromkeys(labels[label] for label in cited_labels(work.answer or "", labels)))[:32]


def _share(part: Sequence[str], whole: Collection[str]) -> float:
    return sum(word in whole for word in part) / len(part) if part else 0.0

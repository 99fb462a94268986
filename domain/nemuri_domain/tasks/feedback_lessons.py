"""Lessons from feedback: a client's correction, or its words about an answer that failed, becomes a memory of the agent
that answered (document 000 §1.2.4).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID

from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import derive
from nemuri_contracts.strength import BELIEVED_LIMIT, MemoryEncoded, Relation
from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.keywords import keywords
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.statement_comparison import Comparison
from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.writing_systems import is_cjk
from nemuri_domain.strength.scope_matching import scope_in
from nemuri_domain.tasks.aggregate import Assignment, Feedback, Task, TaskState, is_entitled

QUESTION_CHARACTERS: Final = 300
"""Maximum characters of the question in a lesson without a correction."""


_ITEM: Final = re.compile(r"\n\s*(?:[-*•]|\d+[.)])\s+")


def teaches(feedback: Feedback) -> bool:
    """Return True if feedback teaches something: it has a correction, or words about an answer that failed."""
    failed = feedback.verdict == "unhelpful" or feedback.result == "failure"
    return feedback.correction is not None or (failed and feedback.words is not None)


def lessons(state: TaskState) -> Iterator[tuple[Feedback, Assignment]]:
    """Yield the feedback that teaches, with each assignment of the current attempt whose agent learns from it.

    An agent learns only after its session, when the memories that the answer used and the session taught are known.
    """
    for feedback in state.feedback.values():
        task = state.task
        if task is None or not teaches(feedback) or feedback.standing == "refused":
            continue
        if is_entitled(feedback.client_id, task):
            yield from ((feedback, work) for work in state.present if work.ended and work.answer is not None)


def lesson_key(feedback_id: UUID, assignment_id: UUID) -> UUID:
    """Return the key from which the id of a lesson's memory is derived."""
    return derive(feedback_id, "lesson", str(assignment_id))


def lesson_id(feedback_id: UUID, assignment_id: UUID) -> UUID:
    """Return the id of a lesson's memory."""
    return derive(lesson_key(feedback_id, assignment_id), MemoryEncoded.kind_of())


def lesson_memory(task: Task, work: Assignment, feedback: Feedback) -> MemoryContent:
    """Return the memory of a lesson: the correction, and then the client's words. Without a correction, the question
    and the words.

    The wrong answer is not part of it, because a memory that states it would be found and quoted like a fact. It is in
    the memory's origin (`believed`), with the task; the links name the memories that led to it.
    """
    question, words = task.part(work.part).text, feedback.words or ""
    if feedback.correction is None:
        asked = shortened(question, QUESTION_CHARACTERS)
        japanese = any(map(is_cjk, words))
        text = (
            f"「{asked}」への回答は役に立たなかった：{words}" if japanese else f"An answer to “{asked}” failed: {words}"
        )
    else:
        text = "\n".join(part for part in (feedback.correction, words) if part)
    return MemoryContent(
        content=text,
        tags=keywords(f"{feedback.correction or words}\n{question}"),
        scope=scope_in(task.setting),
        person=task.setting.person,
    )


def believed(work: Assignment, feedback: Feedback) -> str | None:
    """Return what an agent had answered wrongly, on one line of at most 300 characters; None without an answer.

    That is the sentence or list item that shares most words with the correction or with the client's words, without
    citations; the first one of several.
    """
    said = set(terms(feedback.correction or feedback.words or ""))
    items = _ITEM.split(without_citations(work.answer or ""))
    found = [sentence for item in items for sentence in sentences(" ".join(item.split()))]
    claim = max(found, key=lambda statement: len(said & set(terms(statement))), default="")
    return shortened(claim, BELIEVED_LIMIT) or None


def shortened(text: str, limit: int) -> str:
    """Return the text, cut to `limit` characters with an ellipsis at its end if it is longer."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def suspects(work: Assignment) -> tuple[UUID, ...]:
    """Return the memories that led to an answer, or came from it: those used, taught and repeated by the session."""
    return tuple(dict.fromkeys((*(work.used or ()), *work.memories, *work.repeated)))


def corrected(known: Sequence[UUID], used: Sequence[UUID], compared: Mapping[UUID, Comparison]) -> tuple[Relation, ...]:
    """Return the relations of a correction to the memories in `known` that it corrects.

    These are the memories that it contradicts or supersedes, as far as the comparison shows. If it shows none and the
    answer used a single memory, that one is wrong, because the client says that the answer was.
    """
    found = tuple(
        Relation(older=memory_id, sort=sort)
        for memory_id in known
        for sort in [compared.get(memory_id)]
        if sort in {"contradicts", "supersedes"}
    )
    if found or len(used) != 1 or used[0] not in known or compared.get(used[0]) == "same":
        return found
    return (Relation(older=used[0], sort="contradicts"),)

"""Detection of the memories that an answer used. This module has the parts that need a model or an embedder."""

from collections.abc import Sequence
from dataclasses import replace

from nemuri_contracts.event import Usage
from nemuri_contracts.strength import Use
from nemuri_contracts.tasks import TaskAnswered
from nemuri_domain.strength.aggregate import Content
from nemuri_domain.strength.memory_content import embedded_text, shown_text
from nemuri_domain.strength.policy import Detection
from nemuri_domain.strength.usage_detection import (
    ContextMemory,
    citations_decide,
    detect_uses,
    judged_uses,
    told_again,
)
from nemuri_infra.models.jobs.usage_judge import JudgeJob
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.models.sources import Source
from nemuri_infra.runtime.resources import Resources


async def detect_used_memories(
    event: TaskAnswered,
    question: str,
    memories: Sequence[Content],
    detection: Detection,
    resources: Resources,
    *,
    perspective: str | None,
) -> tuple[tuple[Use, ...], Usage | None]:
    """Return the memories that the answer used, and the usage of the judge model; None if no judge answered.

    `memories` are the memories in the context, in order. The judge is asked only if `detection` is "judge". It reads
    each memory in the same words as the answering model did, which depend on `perspective`. If there is no judgement,
    `detect_uses` decides.
    """
    if detection == "judge" and memories:
        labels = {f"m{number}": memory.memory_id for number, memory in enumerate(memories, 1)}
        sources = (
            Source(label, shown_text(memory, perspective)) for label, memory in zip(labels, memories, strict=True)
        )
        job = JudgeJob(question, event.text, tuple(sources))
        reply = await reply_or_none(resources.models.light, job, "no answer from the usage judge")
        if reply is not None:
            return judged_uses(labels, reply.value), reply.usage
    shown = [ContextMemory(memory.memory_id, memory.memory.tags) for memory in memories]
    answer, citations, complete = event.text, event.citations, event.citations_complete
    if not citations_decide(answer, citations, shown, complete=complete, detection=detection):
        shares = told_again(question, [embedded_text(memory.memory) for memory in memories], answer)
        shown = [replace(memory, told_again=share) for memory, share in zip(shown, shares, strict=True)]
    return detect_uses(answer, citations, shown, complete=complete, detection=detection), None

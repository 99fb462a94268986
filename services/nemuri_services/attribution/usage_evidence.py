"""Detection of the memories that an answer used. This module has the parts that need a model or an embedder."""

from collections.abc import Sequence

import structlog

from nemuri_contracts.event import Usage
from nemuri_contracts.strength import Use
from nemuri_contracts.tasks import TaskAnswered
from nemuri_domain.strength import usage_detection
from nemuri_domain.strength.aggregate import Content
from nemuri_domain.strength.memory_content import embedded_text, shown_text
from nemuri_domain.strength.policy import Detection
from nemuri_domain.strength.usage_detection import ContextMemory, told_again
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs.usage_judge import JudgeJob
from nemuri_infra.models.sources import Source
from nemuri_infra.runtime.resources import Resources

logger = structlog.get_logger()


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
        labels = {f"m{number}": each.memory_id for number, each in enumerate(memories, 1)}
        sources = (Source(label, shown_text(each, perspective)) for label, each in zip(labels, memories, strict=True))
        reply = await _ask_judge(JudgeJob(question, event.text, tuple(sources)), resources)
        if reply is not None:
            return usage_detection.judged_uses(labels, reply.value), reply.usage
    again = told_again(question, [embedded_text(memory.memory) for memory in memories], event.text)
    found = usage_detection.detect_uses(
        event.text,
        event.citations,
        [ContextMemory(each.memory_id, each.memory.tags, share) for each, share in zip(memories, again, strict=True)],
        complete=event.citations_complete,
        detection=detection,
    )
    return found, None


async def _ask_judge(job: JudgeJob, resources: Resources) -> Reply[tuple[str, ...]] | None:
    try:
        return await resources.models.light.do(job)
    except ModelRefused as error:
        logger.warning("no answer from the usage judge", service="attribution", why=log_safe(error))
        return None

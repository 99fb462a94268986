"""Input of the answering model for an assignment."""

from collections.abc import Sequence

from nemuri_domain.language.missing_references import MissingReference, missing_reference
from nemuri_domain.language.trouble_detection import found_signs
from nemuri_domain.tasks import clarification
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.read_share import Share
from nemuri_infra.models.protocol import AnswerJob, Source, TakenStep
from nemuri_infra.projections.queries import Views
from nemuri_services.specialist.assignment_steps import Situation
from nemuri_services.specialist.passage_selection import Passage
from nemuri_services.specialist.task_passages import detail_sources

_ORIGIN = "the person who asked, in answer to your question"


def answer_job(
    now: Situation,
    task: Task,
    memories: Sequence[Source],
    fetched: Sequence[Passage],
    steps: Sequence[TakenStep],
    contents: str,
    share: Share | None,
    missing: MissingReference | None,
    *,
    may_ask: bool,
) -> AnswerJob:
    """Return the job for an assignment. A long answer of the client to the agent's question is the last detail.

    The question of a colleague gets neither that answer nor a word about the agent's question.
    """
    alone = now.work.consulted_by is None
    said = clarification.material(task) if alone else ()
    material = (Source(f"d{len(now.details) + 1}", text, origin=_ORIGIN) for text in said)
    details = (*detail_sources(fetched), *material)
    later = [each for step in steps for each in step.sources]
    question = now.state.question(now.work)
    return AnswerJob(
        role=now.agent.definition.role,
        system_prompt=now.agent.definition.system_prompt,
        perspective=now.work.perspective,
        question=question,
        memories=tuple(memories),
        details=details,
        memo=contents,
        share=share,
        may_ask=may_ask,
        missing=missing,
        asked=clarification.closed(task) if alone else None,
        signs=found_signs(
            question,
            [(each.label, each.text) for each in (*memories, *later) if each.label.startswith("m") and not each.note],
            [(each.label, each.text) for each in (*details, *later) if each.label.startswith("d")],
        ),
    )


async def missing_from(task: Task, views: Views) -> MissingReference | None:
    """Return a reference of the task's text to something that did not come with it; None if there is certainly none.

    Only if there is one, earlier turns of the task's conversation are looked up, since they may hold it.
    """
    material = bool(task.documents) or task.supplied_summary is not None
    found = missing_reference(task.text, has_material=material)
    if found is None or found.lack == "blank" or task.conversation is None:
        return found
    return None if await views.earlier_turns(task, 1) else found

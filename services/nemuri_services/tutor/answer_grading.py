"""Grading of the answer to an exercise by the light model, or by words."""

from collections.abc import Sequence

from nemuri_contracts.event import Usage
from nemuri_domain.education import lesson_plan
from nemuri_domain.education.course import Course, ExerciseState
from nemuri_domain.education.grading import GradingVerdict
from nemuri_domain.tasks.aggregate import Assignment
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.extractive_framing import substance
from nemuri_infra.models.jobs.grading import GradeJob
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.runtime.resources import Resources


async def judge_answer(
    course: Course, trial: ExerciseState, work: Sequence[Assignment], resources: Resources
) -> tuple[GradingVerdict, Usage]:
    """Return the verdict on the answers in `work` and the usage of the model. If the model refuses, words decide."""
    exercise = lesson_plan.exercise_of(course, trial)
    job = GradeJob(
        question=exercise.question,
        keywords=exercise.keywords,
        right=exercise.answer,
        answer="\n".join(substance(assignment.answer or "") for assignment in work),
        synonyms=lesson_plan.synonyms(course, trial),
        drew_on_something=any(assignment.citations or assignment.used for assignment in work),
    )
    reply = await reply_or_none(resources.models.light, job, "graded by words") or await ExtractiveModel().do(job)
    return reply.value, reply.usage

"""Spaced repetition. Each exercise that must be repeated has a timer on the server. When the timer fires, the exercise
is posed as a task.
"""

import re
from uuid import UUID

import structlog

from nemuri_domain.education.course import ExerciseState
from nemuri_domain.education.lesson_plan import exercise_task
from nemuri_infra.projections.education import Courses
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.timer_watch import watch_timers

_KEY = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_([0-9]{1,4})_([0-9]{1,4})")

logger = structlog.get_logger()


async def remind(resources: Resources) -> None:
    """Set the timers of all scheduled exercises, and pose each exercise when its timer fires, forever. If a server is
    down, try again until it is back.
    """
    await watch_timers("tutor", _set_all, _pose_or_reset, resources)


async def set_timer(trial: ExerciseState, resources: Resources) -> None:
    """Set the timer for the next repetition of an exercise. Does nothing if no repetition is planned."""
    if trial.due_at is not None:
        await resources.timers.set(_key(trial), trial.due_at)


async def _set_all(resources: Resources) -> None:
    for trial in await Courses(resources.database).scheduled_exercises():
        await set_timer(trial, resources)


async def _pose_or_reset(key: str, resources: Resources) -> None:
    """Pose the exercise whose timer fired, unless it is posed already. If it is not due yet, set its timer again."""
    named = _KEY.fullmatch(key)
    if named is None:
        logger.warning("unknown timer", service="tutor", key=key[:100])
        return
    courses, course_id = Courses(resources.database), UUID(named[1])
    course = await courses.course(course_id)
    trials = await courses.trials(course_id, int(named[2]))
    trial = next((candidate for candidate in trials if candidate.number == int(named[3])), None)
    if course is None or trial is None or trial.due_at is None:
        return
    if trial.due_at > await resources.clock.now():
        await set_timer(trial, resources)
    elif not await resources.views.projected_ids([trial.task_id]):
        await resources.log.append(exercise_task(course, trial))


def _key(trial: ExerciseState) -> str:
    return f"{trial.course_id}_{trial.chapter}_{trial.number}"

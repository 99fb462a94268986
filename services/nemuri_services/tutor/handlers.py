"""Event and query handlers of the tutor. For each chapter the agent reads, sleeps, is tested, and sleeps again
(document 000 §4.1).
"""

from collections.abc import Sequence

from nemuri_contracts.client_events import FeedbackGiven, TaskSubmitted
from nemuri_contracts.education import ChapterRead, CourseBegun, CourseFinished, ExerciseGraded, MemoriesReviewed
from nemuri_contracts.education_views import CoursesView, DueView
from nemuri_contracts.event import TUTOR, Event, derive
from nemuri_contracts.queries import CoursesQuery, DueQuery, Refusal
from nemuri_contracts.strength import AgentSlept, MemoryEncoded, SessionEnded
from nemuri_contracts.tasks import NegotiationOpened, ReactionFailed, TaskFailed
from nemuri_domain.education import lesson_plan
from nemuri_domain.education.course import Course, ExerciseState, memory_key
from nemuri_domain.strength import usage_detection
from nemuri_domain.strength.memory_content import encoded
from nemuri_domain.strength.scope_matching import setting_of
from nemuri_infra.projections.education import Courses
from nemuri_infra.retrieval.strength_recall import recall_memories
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_services.tutor.answer_grading import judge_answer
from nemuri_services.tutor.chapter_reading import read
from nemuri_services.tutor.reminders import remind, set_timer
from nemuri_services.tutor.school_reports import course_reports

Following = ChapterRead | TaskSubmitted | CourseFinished
service = Service(
    TUTOR,
    concurrency=8,
    background=remind,
    also_emits=(TaskSubmitted,),
    capabilities=frozenset({Capability.MAKES_VECTORS, Capability.READS_CLOCK, Capability.SETS_TIMERS}),
)


@service.handles(CourseBegun, AgentSlept, MemoriesReviewed)
async def continue_courses(
    event: CourseBegun | AgentSlept | MemoriesReviewed, resources: Resources
) -> Sequence[Following]:
    """Take the next step in each unfinished course of the agent. A course waits until the agent has slept over its last
    step.
    """
    return await _next_steps(event, event.agent_id, resources)


@service.handles(FeedbackGiven)
async def continue_after_success(event: FeedbackGiven, resources: Resources) -> Sequence[Following]:
    """Take the next step in each unfinished course after a right answer is credited.

    The agent may have slept before the answer was graded; then no later event would continue the course.
    """
    if event.client_id != TUTOR or event.agent_id is None:
        return ()
    return await _next_steps(event, event.agent_id, resources)


@service.handles(ChapterRead, log_only=True)
async def encode_chapter(event: ChapterRead, resources: Resources) -> Sequence[MemoryEncoded | SessionEnded]:  # noqa: ARG001
    """Encode the memories of a chapter, then end the session in which it was read.

    A section that is read again gives the same memory.
    """
    memories = [
        encoded(event, section, key=memory_key(event.agent_id, section.memory), source="education")
        for section in event.sections
    ]
    return [*memories, usage_detection.session_end(event, event.session_id, event.agent_id)]


@service.handles(SessionEnded, TaskFailed, NegotiationOpened)
async def grade(event: SessionEnded | TaskFailed | NegotiationOpened, resources: Resources) -> ExerciseGraded | None:
    """Grade an exercise with the light model when every session of its task has ended. A task that failed or opened a
    negotiation counts as a wrong answer.
    """
    if event.thread is None:
        return None
    state = await resources.tasks.state(event)
    if state.task is not None and state.task.client_id != TUTOR:
        return None
    found = await Courses(resources.database).exercise_of(event.thread)
    if found is None:
        return None
    if not lesson_plan.is_gradable(state):
        return None
    work = lesson_plan.answers_to_grade(state)
    verdict, usage = await judge_answer(*found, work, resources) if work else (None, None)
    return lesson_plan.grade(event, *found, work, verdict, usage, now=await resources.clock.now())


@service.handles(ExerciseGraded)
async def follow_up(event: ExerciseGraded, resources: Resources) -> FeedbackGiven | MemoriesReviewed | None:
    """Set the timer of the next repetition, then credit a right answer as a success, or review the memories after a
    wrong one.

    The review retrieves the memories that match the right answer. Nothing happens if the exercise was graded again
    meanwhile.
    """
    courses = Courses(resources.database)
    course = await courses.course(event.course_id)
    trials = {
        earlier_trial.place: earlier_trial for earlier_trial in await courses.trials(event.course_id, event.chapter)
    }
    trial = trials.get((event.chapter, event.exercise))
    if course is None or trial is None or event.repetition + 1 != trial.repetition:
        return None
    await set_timer(trial, resources)
    return lesson_plan.success_feedback(event) if event.correct else await _review(event, course, trial, resources)


@service.handles(ReactionFailed)
async def continue_after_failure(
    event: ReactionFailed, resources: Resources
) -> ExerciseGraded | Sequence[MemoriesReviewed | Following]:
    """Continue the agent's courses after the tutor gave up an event.

    An answer that could not be graded counts as wrong. A review that failed counts as a review of no memories.
    """
    if event.service != service.name or event.cause_kind == event.kind:
        return ()
    known = Courses(resources.database)
    if found := await known.exercise_of(event.task_id):
        return lesson_plan.failed_grade(
            event, *found, f"{event.cause_kind}: {event.error}", now=await resources.clock.now()
        )
    following: list[MemoriesReviewed | Following] = []
    for course in await known.of(event.agent_id, running=True) if event.agent_id else ():
        review = lesson_plan.empty_review(event, course, await known.trials(course.course_id))
        following += [review] if review else await _next_step(event, course, resources)
    return following


@service.answers(CoursesQuery)
async def courses(query: CoursesQuery, resources: Resources) -> CoursesView | Refusal:
    """Return reports on all courses of an agent, or on the one that the query names."""
    agent = await resources.views.agent(query.agent_id)
    if agent is None:
        return Refusal(refused=await resources.views.absent("agent", query.agent_id), missing=True)
    return await course_reports(agent, query.course_id, resources)


@service.answers(DueQuery)
async def due(query: DueQuery, resources: Resources) -> DueView:
    """Return the number of exercises, of all agents, that are due at `query.until` and not posed as tasks yet."""
    expected = await Courses(resources.database).scheduled_exercises()
    return DueView(
        exercises=sum(
            exercise_state.due_at is not None and exercise_state.due_at <= query.until for exercise_state in expected
        )
    )


async def _next_steps(event: Event, agent_id: str, resources: Resources) -> Sequence[Following]:
    if not await resources.views.agents.takes_course(agent_id):
        return ()
    running = await Courses(resources.database).of(agent_id, running=True)
    return [following for course in running for following in await _next_step(event, course, resources)]


async def _next_step(event: Event, course: Course, resources: Resources) -> Sequence[Following]:
    known, chapter = Courses(resources.database), max(len(course.readings) - 1, 0)
    trials = await known.trials(course.course_id, chapter)
    agent = await resources.views.agent(course.agent_id)
    if agent is None:
        return ()
    sessions = lesson_plan.sessions_to_sleep_over(course, trials)
    ended = await resources.views.projected_ids(derive(session, SessionEnded.kind_of()) for session in sessions)
    slept = {
        session
        for session in sessions
        if derive(session, SessionEnded.kind_of()) in ended and session not in agent.awake
    }
    about = {"agent_id": course.agent_id, "course_id": course.course_id, "correlation_id": None}
    match lesson_plan.next_step(course, trials, slept):
        case "read":
            following = len(course.readings)
            memories, spent = await read(course, following, agent, resources)
            key = f"{course.course_id}/{following}"
            return [ChapterRead.following(event, key=key, chapter=following, sections=memories, usage=spent, **about)]
        case "test":
            there = await resources.views.projected_ids(trial.task_id for trial in trials)
            return [
                lesson_plan.exercise_task(course, trial, event)
                for trial in trials
                if not trial.grades and trial.task_id not in there
            ]
        case "finish":
            return [CourseFinished.following(event, key=course.course_id, **about)]
        case None:
            return ()


async def _review(
    event: ExerciseGraded, course: Course, trial: ExerciseState, resources: Resources
) -> MemoriesReviewed | None:
    agent = await resources.views.agent(course.agent_id)
    if agent is None or trial.grades[-1].reviewed is not None:
        return None
    exercise, perspective = lesson_plan.exercise_of(course, trial), course.textbook.perspective
    wanted = exercise.answer or " ".join(exercise.keywords)
    where = setting_of(course.scope)
    found = await recall_memories(resources, agent, wanted, perspective=perspective, setting=where)
    return MemoriesReviewed.following(
        event,
        course_id=course.course_id,
        chapter=trial.chapter,
        exercise=trial.number,
        perspective=perspective,
        memory_ids=tuple(candidate.memory_id for candidate in found.candidates[: lesson_plan.MAX_REVIEWED]),
    )

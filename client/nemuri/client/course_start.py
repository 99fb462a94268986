"""Starting a course. The event is appended to the agent's own subject, as operators do (docs/decisions/0007)."""

from hashlib import sha256
from uuid import UUID

from nemuri.client.exchange import ClientError, Exchange, validated
from nemuri_contracts.client_events import Scope
from nemuri_contracts.education import CHAPTER_BYTES, CourseBegun, TeachingOptions, Textbook
from nemuri_contracts.education_views import CoursesView
from nemuri_contracts.error_messages import not_by_use
from nemuri_contracts.event import derive
from nemuri_contracts.memory_views import AgentView
from nemuri_contracts.queries import CoursesQuery
from nemuri_infra.bus.event_log import ConflictError, TooLargeError


async def start_course(
    exchange: Exchange, agent: AgentView, textbook: Textbook, wish: TeachingOptions, scope: Scope
) -> UUID:
    """Start a course from a textbook, and return its id as soon as its event is on disk.

    The memories and exercises of the course are valid in `scope`. A textbook under a perspective that the agent does
    not have is taught without one. Raises `ClientError` if the agent has another kind of memory, if it is being taught
    a textbook of this title in this scope, if the same textbook was taught there before and `wish.again` is not set, or
    if a chapter is too large to be read at once.
    """
    if (kind := agent.definition.memory) != "strength":
        raise ClientError(f"{not_by_use(agent.agent_id, kind)}; it cannot be taught")
    if textbook.perspective not in agent.definition.perspective_names:
        textbook = textbook.model_copy(update={"perspective": None})
    _check_size(textbook)
    taught = await exchange.ask(CoursesQuery, CoursesView, agent_id=agent.agent_id)
    here = [course for course in taught.courses if course.scope == scope]
    running = next((course for course in here if course.title == textbook.title and not course.finished_at), None)
    if running is not None:
        raise ClientError(f"{agent.agent_id} is being taught {textbook.title!r} already, in course {running.course_id}")
    before = next((course for course in here if course.digest == textbook.digest), None)
    if before is not None and not wish.again:
        raise ClientError(
            f"{agent.agent_id} was taught exactly this {textbook.title!r:.80} in course {before.course_id}; "
            "--again teaches it once more"
        )
    log = exchange.log
    newest = await log.newest_on(log.subjects.of_agent(agent.agent_id, CourseBegun))
    content = sha256(f"{textbook.model_dump_json()}{scope.model_dump_json()}".encode()).hexdigest()
    event = validated(
        CourseBegun,
        event_id=derive(f"{agent.agent_id}/{content}/{wish.repeating}/{newest.event_id}", CourseBegun.kind_of()),
        agent_id=agent.agent_id,
        textbook=textbook,
        repeating=wish.repeating,
        scope=scope,
    )
    try:
        sequence = await log.append(event, expected=newest.sequence)
    except ConflictError as error:
        raise ClientError(f"another course of {agent.agent_id} was started at the same moment; try again") from error
    except TooLargeError as error:
        raise ClientError(f"the textbook {textbook.title!r} is too large; split it") from error
    exchange.newest_sequence = max(exchange.newest_sequence, sequence)
    return event.course_id


def _check_size(textbook: Textbook) -> None:
    for number, chapter in enumerate(textbook.chapters, 1):
        if chapter.size > CHAPTER_BYTES:
            raise ClientError(
                f"chapter {number} of {textbook.title!r:.80} has {chapter.size:,} bytes, and at most {CHAPTER_BYTES:,} "
                "are read at once; split it into several"
            )

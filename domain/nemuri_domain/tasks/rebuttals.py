"""Rebuttal of a panel: each member reads the others' answers once, and revises its own or stands by it (document 000
§1.2).

A revision does not replace the first answer: memories count as used by the first answer, which was given from them.
"""

from uuid import UUID

from nemuri_contracts.event import Event, Usage
from nemuri_contracts.rebuttals import AnswerRevised, RebuttalRequested, Revision
from nemuri_contracts.tasks import ReactionFailed, Voice
from nemuri_domain.language.citations import without_citations
from nemuri_domain.tasks.aggregate import MemberRevision, Task, TaskState
from nemuri_domain.tasks.fan_in import shortened
from nemuri_domain.tasks.panel import room_of, voices_of
from nemuri_domain.tasks.task_attempts import attempt_key

REASON_CHARACTERS = 2_000
"""Maximum characters of what a member takes over, and of what it contradicts."""


def requests(cause: Event, state: TaskState) -> tuple[RebuttalRequested, ...]:
    """Return one request for each member that has not revised its answer, as soon as all have answered.

    Empty if the task wants no rebuttal, or if its panel has one member.
    """
    task, voices = state.task, voices_of(state)
    if task is None or not task.rebuttal or voices is None or len(voices) < 2:
        return ()
    return tuple(_request(cause, task, voice) for voice in voices if voice.revision is None)


def wants_rebuttal(state: TaskState) -> bool:
    """Return True if the members of the task's panel read each other's answers before the merge.

    False if the panel has one member only.
    """
    voices = voices_of(state)
    return state.task is not None and state.task.rebuttal and voices is not None and len(voices) > 1


def others_than(request: RebuttalRequested, state: TaskState) -> tuple[Voice, tuple[Voice, ...]] | None:
    """Return the voice of the member and those of the others, all with their first answers and without citation labels.

    None if the member has revised its answer, or if the panel is not complete any more.
    """
    voices = voices_of(state)
    if voices is None or state.task is None or request.attempt != state.task.attempt:
        return None
    bare = [voice.model_copy(update={"answer": without_citations(voice.answer)}) for voice in voices]
    mine = [voice for voice in bare if _seat(voice) == _seat(request)]
    if not mine or mine[0].revision is not None:
        return None
    others = (voice.model_copy(update={"revision": None}) for voice in bare if voice is not mine[0])
    return mine[0], tuple(others)


def revised(request: RebuttalRequested, state: TaskState, revision: Revision) -> AnswerRevised | None:
    """Return the event with a member's revision, cut to the room of one voice. None if the panel is not complete.

    If the member stands by its answer, the revision gets the first answer with its labels.
    """
    first = next((voice for voice in voices_of(state) or () if _seat(voice) == _seat(request)), None)
    if first is None:
        return None
    room = room_of(state)
    kept = revision.model_copy(
        update={
            "answer": first.answer if revision.stands else shortened(revision.answer, room),
            "takes_over": shortened(revision.takes_over, REASON_CHARACTERS),
            "contradicts": shortened(revision.contradicts, REASON_CHARACTERS),
        }
    )
    return _revised(request, request.event_id, request, kept)


def given_up(event: ReactionFailed, state: TaskState) -> AnswerRevised | None:
    """Return the event by which a member stands by its answer because its rebuttal failed; None for other failures."""
    task = state.task
    if task is None or event.cause_kind != RebuttalRequested.kind_of():
        return None
    for voice in voices_of(state) or ():
        request = _request(event, task, voice)
        if event.causation_id == request.event_id and voice.revision is None:
            problem = shortened(f"{event.service} could not handle the rebuttal: {event.error}", REASON_CHARACTERS)
            kept = Revision(answer=voice.answer, stands=True, problem=problem, usage=Usage(model="none"))
            return _revised(event, request.event_id, request, kept)
    return None


def is_last(event: AnswerRevised, state: TaskState) -> bool:
    """Return True if all members have revised their answers or stand by them, and this was the last one.

    False after the task has ended. Only one of the revisions leads to the merge, also if it is delivered again.
    """
    voices, task = voices_of(state), state.task
    if task is None or not task.revisions or voices is None or any(voice.revision is None for voice in voices):
        return False
    return _seat(task.revisions[-1]) == _seat(event) and event.attempt == task.attempt


def _request(cause: Event, task: Task, voice: Voice) -> RebuttalRequested:
    return RebuttalRequested.following(
        cause,
        key=attempt_key(task.task_id, task.attempt),
        nth=f"{voice.agent_id}/{voice.perspective or ''}",
        agent_id=voice.agent_id,
        perspective=voice.perspective,
        attempt=task.attempt,
    )


def _revised(cause: Event, request_id: UUID, request: RebuttalRequested, revision: Revision) -> AnswerRevised:
    return AnswerRevised.following(
        cause,
        key=request_id,
        agent_id=request.agent_id,
        perspective=request.perspective,
        attempt=request.attempt,
        revision=revision,
    )


def _seat(of: Voice | MemberRevision | RebuttalRequested | AnswerRevised) -> tuple[str, str | None]:
    return of.agent_id, of.perspective

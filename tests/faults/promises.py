"""Checks of the promises that the platform must keep in every fault schedule."""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from nats.js.errors import KeyNotFoundError

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.operations.views import verify
from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.event import derive
from nemuri_contracts.rebuttals import AnswerRevised, RebuttalRequested
from nemuri_contracts.strength import AgentSlept, ImpactCredited, MemoryEncoded, MemoryRefused, SessionEnded
from nemuri_contracts.task_views import TaskResult
from nemuri_contracts.tasks import (
    FeedbackParked,
    FeedbackRefused,
    ReactionFailed,
    TaskAnswered,
    TaskAssigned,
    TaskCompleted,
    TaskFailed,
)
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.results import Results
from tests.faults.workload import AcknowledgedRequests, LogReader
from tests.integration.harness import dead_letters, retried


async def broken_promises(
    log_reader: LogReader, acknowledged: AcknowledgedRequests, client: Client, settings: Settings
) -> list[str]:
    """Return a description of each broken promise; an empty list if all were kept.

    Waits for the results of all acknowledged tasks, and verifies the views against the log.
    """
    found = [
        *_tasks(log_reader, acknowledged),
        *_sessions(log_reader),
        *_memories(log_reader, acknowledged),
        *_feedback(log_reader, acknowledged),
    ]
    found += [f"reaction failed: {each}" for each in log_reader.known.values() if isinstance(each, ReactionFailed)]
    found += await _dead_letters(client.log)
    for task_id in acknowledged.tasks:
        try:
            result = await retried(lambda t=task_id: client.result(t, settled=True))  # type: ignore[misc]
        except ClientError as error:
            found.append(f"no result of {task_id}: {error}")
        else:
            if result.status != "done" or not result.settled or not result.answer:
                found.append(f"the result of {task_id} is {result.status}, settled: {result.settled}")
        found += await retried(lambda t=task_id: _result_mismatch(t, client))  # type: ignore[misc]
    checked = await verify(settings)
    return found + [f"verify: {difference}" for difference in checked.differences]


async def _result_mismatch(task_id: UUID, client: Client) -> list[str]:
    """Return one description if the task's stored result is missing, not completed or not settled; else an empty
    list.
    """
    try:
        entry = await (await Results.open(client.log)).store.get(str(task_id))
    except KeyNotFoundError:
        return [f"task {task_id} has no stored result"]
    told = TaskResult.model_validate_json(entry.value or b"")
    right = told.status == "done" and told.settled
    return [] if right else [f"the stored result of task {task_id} is {told.status}, settled: {told.settled}"]


def _tasks(log_reader: LogReader, acknowledged: AcknowledgedRequests) -> Iterator[str]:
    """Yield a description of each acknowledged task that did not end exactly once, of each failed task, of any
    assignment without exactly one answer, and of any requested rebuttal without exactly one outcome.
    """
    facts = log_reader.known.values()
    ended = Counter(fact.task_id for fact in facts if isinstance(fact, TaskCompleted | TaskFailed))
    yield from (f"task {task} ended {ended[task]} times" for task in acknowledged.tasks if ended[task] != 1)
    yield from (f"failed: {fact}" for fact in facts if isinstance(fact, TaskFailed))
    assigned = Counter(fact.assignment_id for fact in facts if isinstance(fact, TaskAssigned))
    answered = Counter(fact.assignment_id for fact in facts if isinstance(fact, TaskAnswered))
    yield from _differences("assignments and answers", assigned, answered)
    requested = Counter(_seat(fact) for fact in facts if isinstance(fact, RebuttalRequested))
    revised = Counter(_seat(fact) for fact in facts if isinstance(fact, AnswerRevised))
    yield from _differences("requested rebuttals and revised answers", requested, revised)


def _seat(event: RebuttalRequested | AnswerRevised) -> tuple[UUID, int, str, str | None]:
    return event.task_id, event.attempt, event.agent_id, event.perspective


def _sessions(log_reader: LogReader) -> Iterator[str]:
    """Yield descriptions of broken one-to-one relations: answer and session, completed task and session of the
    orchestrator, session and sleep.
    """
    facts = log_reader.known.values()
    answered = Counter(fact.assignment_id for fact in facts if isinstance(fact, TaskAnswered))
    sessions = [fact for fact in facts if isinstance(fact, SessionEnded)]
    theirs = Counter(each.assignment_id for each in sessions if each.agent_id != ORCHESTRATOR)
    yield from _differences("answers and sessions", answered, theirs)
    mine = Counter(event.thread for event in sessions if event.agent_id == ORCHESTRATOR)
    completed = Counter(fact.task_id for fact in facts if isinstance(fact, TaskCompleted))
    yield from _differences("completed tasks and the orchestrator's sessions", completed, mine)
    slept = Counter(session for fact in facts if isinstance(fact, AgentSlept) for session in fact.sessions)
    yield from _differences("sessions and sleeps", Counter(each.assignment_id for each in sessions), slept)


def _memories(log_reader: LogReader, acknowledged: AcknowledgedRequests) -> Iterator[str]:
    """Yield a description of each offered memory without exactly one outcome, and of each memory encoded under two ids.

    One consolidation may give two groups of sources the same statement; these are two memories.
    """
    encoded = [each for each in log_reader.known.values() if isinstance(each, MemoryEncoded)]
    for offer in acknowledged.memories:
        fates = {derive(offer, MemoryEncoded.kind_of()), derive(offer, MemoryRefused.kind_of())}
        if len(fates & log_reader.known.keys()) != 1:
            yield f"the offered memory {offer} has {len(fates & log_reader.known.keys())} outcomes"
    twice = Counter((event.causation_id, event.memory.content, event.absorbs) for event in encoded)
    yield from (f"encoded {number} times: {each}" for each, number in twice.items() if number > 1)


def _feedback(log_reader: LogReader, acknowledged: AcknowledgedRequests) -> Iterator[str]:
    """Yield a description of each feedback that was never decided, and of each that was credited twice for one reason,
    either to the used memories of an assignment or to what it taught.
    """
    facts = log_reader.known.values()
    all_credits = (fact for fact in facts if isinstance(fact, ImpactCredited))
    credited = Counter((credit.assignment_id, credit.reason, credit.taught) for credit in all_credits)
    yield from (f"credited {number} times: {each}" for each, number in credited.items() if number > 1)
    fates = FeedbackParked | FeedbackRefused
    decided = {fact.feedback_id for fact in facts if isinstance(fact, fates)}
    decided |= {fact.causation_id for fact in facts if isinstance(fact, ImpactCredited) and fact.causation_id}
    spoken = {fact.thread for fact in facts if isinstance(fact, ImpactCredited)}
    for each in acknowledged.feedback:
        if each not in decided and log_reader.known[each].thread not in spoken:
            yield f"feedback {each} was never decided"


def _differences(label: str, left: Counter[Any], right: Counter[Any]) -> Iterator[str]:
    if left != right:
        yield f"{label} differ: {dict(left - right)} against {dict(right - left)}"


async def _dead_letters(log: Log) -> list[str]:
    return [f"dead letter: {each.letter}" for each in await retried(lambda: dead_letters(log))]

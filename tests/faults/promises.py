"""What must hold after every schedule, whatever happened in it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from nats.js.errors import KeyNotFoundError

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.operations import verify
from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.event import derive
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
from tests.faults.work import Asked, Chronicle
from tests.integration.scene import dead_letters, patiently


async def broken(chronicle: Chronicle, asked: Asked, client: Client, settings: Settings) -> list[str]:
    """Every promise that was not kept, in words; empty when all were."""
    found = [
        *_tasks(chronicle, asked),
        *_sessions(chronicle),
        *_memories(chronicle, asked),
        *_feedback(chronicle, asked),
    ]
    found += [f"given up: {each}" for each in chronicle.known.values() if isinstance(each, ReactionFailed)]
    found += await _letters(client.log)
    for task_id in asked.tasks:
        try:
            result = await patiently(lambda t=task_id: client.result(t, settled=True, timeout=20))  # type: ignore[misc]
        except ClientError as error:
            found.append(f"no result of {task_id}: {error}")
        else:
            if result.status != "done" or not result.settled or not result.answer:
                found.append(f"the result of {task_id} is {result.status}, settled: {result.settled}")
        found += await patiently(lambda t=task_id: _untold(t, client))  # type: ignore[misc]
    checked = await verify(settings)
    return found + [f"verify: {each}" for each in checked.differences]


async def _untold(task_id: UUID, client: Client) -> list[str]:
    """What any client finds that only looks at the results is how the task stands."""
    try:
        entry = await (await Results.open(client.log)).store.get(str(task_id))
    except KeyNotFoundError:
        return [f"of task {task_id} is told nothing"]
    told = TaskResult.model_validate_json(entry.value or b"")
    right = told.status == "done" and told.settled
    return [] if right else [f"of task {task_id} is told {told.status}, settled: {told.settled}"]


def _tasks(chronicle: Chronicle, asked: Asked) -> Iterator[str]:
    """Everything acknowledged has ended once, with the first answer of each of its assignments."""
    facts = chronicle.known.values()
    ended = Counter(each.task_id for each in facts if isinstance(each, TaskCompleted | TaskFailed))
    yield from (f"task {each} ended {ended[each]} times" for each in asked.tasks if ended[each] != 1)
    yield from (f"failed: {each}" for each in facts if isinstance(each, TaskFailed))
    assigned = Counter(each.assignment_id for each in facts if isinstance(each, TaskAssigned))
    answered = Counter(each.assignment_id for each in facts if isinstance(each, TaskAnswered))
    yield from _unequal("assignments and answers", assigned, answered)


def _sessions(chronicle: Chronicle) -> Iterator[str]:
    """One session for every assignment and every completed task, and each was slept over once."""
    facts = chronicle.known.values()
    answered = Counter(each.assignment_id for each in facts if isinstance(each, TaskAnswered))
    sessions = [each for each in facts if isinstance(each, SessionEnded)]
    theirs = Counter(each.assignment_id for each in sessions if each.agent_id != ORCHESTRATOR)
    yield from _unequal("answers and sessions", answered, theirs)
    mine = Counter(each.thread for each in sessions if each.agent_id == ORCHESTRATOR)
    completed = Counter(each.task_id for each in facts if isinstance(each, TaskCompleted))
    yield from _unequal("completed tasks and the orchestrator's sessions", completed, mine)
    slept = Counter(session for each in facts if isinstance(each, AgentSlept) for session in each.sessions)
    yield from _unequal("sessions and sleeps", Counter(each.assignment_id for each in sessions), slept)


def _memories(chronicle: Chronicle, asked: Asked) -> Iterator[str]:
    """What was offered is remembered, and nothing was encoded twice under two ids."""
    encoded = [each for each in chronicle.known.values() if isinstance(each, MemoryEncoded)]
    for offer in asked.memories:
        fates = {derive(offer, MemoryEncoded.kind_of()), derive(offer, MemoryRefused.kind_of())}
        if len(fates & chronicle.known.keys()) != 1:
            yield f"the offered memory {offer} has {len(fates & chronicle.known.keys())} fates"
    twice = Counter((each.causation_id, each.memory.content) for each in encoded)
    yield from (f"encoded {number} times: {each}" for each, number in twice.items() if number > 1)


def _feedback(chronicle: Chronicle, asked: Asked) -> Iterator[str]:
    """Feedback is credited once for each assignment and reason, whoever said it how often; and all of it is decided."""
    facts = chronicle.known.values()
    credited = Counter((each.assignment_id, each.reason) for each in facts if isinstance(each, ImpactCredited))
    yield from (f"credited {number} times: {each}" for each, number in credited.items() if number > 1)
    fates = FeedbackParked | FeedbackRefused
    decided = {each.feedback_id for each in facts if isinstance(each, fates)}
    decided |= {each.causation_id for each in facts if isinstance(each, ImpactCredited) and each.causation_id}
    spoken = {each.thread for each in facts if isinstance(each, ImpactCredited)}
    for each in asked.feedback:
        if each not in decided and chronicle.known[each].thread not in spoken:
            yield f"feedback {each} was never decided"


def _unequal(what: str, left: Counter[Any], right: Counter[Any]) -> Iterator[str]:
    if left != right:
        yield f"{what} differ: {dict(left - right)} against {dict(right - left)}"


async def _letters(log: Log) -> list[str]:
    return [f"dead letter: {each.letter}" for each in await patiently(lambda: dead_letters(log))]

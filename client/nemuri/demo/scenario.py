"""The scenario of the demo: ask every question with its document, then ask all questions again."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.demo.questions import Question
from nemuri.demo.task_trace import TaskTrace, follow, raise_if_cancelled
from nemuri.demo.texts import document
from nemuri_contracts.memory_views import MemoryView
from nemuri_contracts.task_views import TaskResult

TASK_TIMEOUT: Final = 60.0
"""Maximum seconds for a task until the agents have learned from it and slept over it."""
RANKED: Final = 50
"""Number of memories that are retrieved for a question to find their ranks."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that was asked, with the progress and the result of its task."""

    number: int
    question: Question
    document: tuple[str, int] | None
    """Name and number of characters of the document."""
    way: TaskTrace
    result: TaskResult
    lessons: tuple[str, ...]
    """Perspectives of what was learned, one for each lesson of each new memory."""
    seconds: float


@dataclass(frozen=True, slots=True)
class MemoryRank:
    """The rank and score of a retrieved memory."""

    rank: int
    """Rank, from 1."""
    score: float


@dataclass(frozen=True, slots=True)
class MemorySnapshot:
    """The state of all memories at one moment."""

    memories: Mapping[UUID, MemoryView]
    """All memories, archived ones included."""
    recalled: Mapping[int, Mapping[UUID, MemoryRank]]
    """Rank and score of each retrieved memory, by the number of the question and the id of the memory."""
    slept: Mapping[str, int]
    """Number of sessions (assignments to the agent) over which each agent has slept."""


@dataclass(frozen=True, slots=True)
class RankChange:
    """The change of a memory's rank for a question in the second round."""

    number: int
    memory_id: UUID
    before: MemoryRank
    after: MemoryRank

    @property
    def ranks_gained(self) -> int:
        """Return the number of ranks by which the memory rose; negative if it fell."""
        return self.before.rank - self.after.rank

    @property
    def score_gain(self) -> float:
        """Return the increase of the memory's score."""
        return self.after.score - self.before.score


@dataclass(frozen=True, slots=True)
class DemoRecord:
    """The record of a demo, from which every number on the screen is computed."""

    first: tuple[AskedQuestion, ...]
    before: MemorySnapshot
    """State between the two rounds."""
    second: tuple[AskedQuestion, ...]
    after: MemorySnapshot

    @property
    def learned(self) -> Mapping[UUID, int]:
        """Return the memories learned in the first round, each with the number of the question from which it was
        learned.
        """
        return {memory: asked.number for asked in self.first for memory in asked.result.learned}

    @property
    def used(self) -> tuple[UUID, ...]:
        """Return the memories learned in the first round and used in the second."""
        drawn = {memory for asked in self.second for memory in asked.result.used}
        return tuple(memory for memory in self.learned if memory in drawn)

    @property
    def unused(self) -> tuple[UUID, ...]:
        """Return the memories learned in the first round and never used."""
        return tuple(memory_id for memory_id in self.learned if self.after.memories[memory_id].access_count == 0)

    def rank_changes(self) -> tuple[RankChange, ...]:
        """Return the changes of rank of the memories used in the second round, for each question that used them."""
        return tuple(
            RankChange(asked.number, memory, before[memory], after[memory])
            for asked in self.second
            for before in [self.before.recalled.get(asked.number, {})]
            for after in [self.after.recalled.get(asked.number, {})]
            for memory in asked.result.used
            if memory in before and memory in after
        )


OnProgress = Callable[[TaskTrace], None]
Done = Callable[[AskedQuestion], None]


async def play(
    client: Client,
    questions: Sequence[Question],
    *,
    told: OnProgress,
    done: Done,
    interval: Callable[[MemorySnapshot], None],
) -> DemoRecord:
    """Ask every question, then those that are asked again, in order, and return the record.

    A question is asked when the agents have slept over the previous task and its feedback is credited. `told` is called
    with the progress of the current task, `done` with each finished question, and `interval` with the memories between
    the two rounds. Raises `ClientError` if a task fails or takes too long.
    """
    first = []
    for number, question in enumerate(questions, 1):
        first.append(await _ask(client, number, question, document(question.topics), told))
        done(first[-1])
    before = await _standing(client, first)
    interval(before)
    second = []
    for number, question in [numbered for numbered in enumerate(questions, 1) if numbered[1].again]:
        text = document(question.topics) if question.documents_again else None
        second.append(await _ask(client, number, question, text, told))
        done(second[-1])
    return DemoRecord(tuple(first), before, tuple(second), await _standing(client, second))


async def _ask(
    client: Client, number: int, question: Question, text: tuple[str, str] | None, told: OnProgress
) -> AskedQuestion:
    raise_if_cancelled()
    started, sequence = time.monotonic(), await client.log.last_sequence()
    task_id = await client.submit(
        question.text, documents=[text] if text else [], agent=question.agent, perspective=question.perspective
    )
    way = TaskTrace(task_id, sequence)
    try:
        async with asyncio.timeout(TASK_TIMEOUT) as limit:
            await _accompany(client, way, question, told)
    except TimeoutError as error:
        if not limit.expired():  # the server did not answer in time
            raise
        raise ClientError(f"question {number} and its consequences took more than {TASK_TIMEOUT:g} s") from error
    if way.failed is not None:
        raise ClientError(f"question {number} failed: {way.failed}")
    await client.settle()
    result = await client.result(task_id, settled=True)
    seconds = time.monotonic() - started
    lessons = [name for memory_id in result.learned for name in (await client.memory(memory_id)).memory.learnings]
    size = (text[0], len(text[1])) if text else None
    return AskedQuestion(number, question, size, way, result, tuple(lessons), seconds)


async def _accompany(client: Client, way: TaskTrace, question: Question, told: OnProgress) -> None:
    """Follow a task until the agents have slept over it. Choose an option if a negotiation opens.

    If the question is `praised`, give feedback too, and wait until it is credited.
    """
    await follow(client.log, way, lambda here: here.is_over or here.items > 0, told)
    if way.items:
        await client.settle()
        await client.answer(way.task_id, question.option)
        await follow(client.log, way, lambda here: here.is_over, told)
    if question.praised and way.failed is None:
        await client.feedback(way.task_id, "helpful", result="success")
        await follow(client.log, way, lambda here: here.credited, told)


async def _standing(client: Client, asked: Sequence[AskedQuestion]) -> MemorySnapshot:
    await client.settle()
    agents = await client.agents()
    memories = {
        memory.memory_id: memory for agent in agents for memory in await client.memories(agent.agent_id, status="all")
    }
    recalled: dict[int, dict[UUID, MemoryRank]] = {}
    for asked_question in asked:
        if asked_question.way.items == 0 and asked_question.way.agent_id is not None:
            found = await client.recall(asked_question.way.agent_id, asked_question.question.text, top=RANKED)
            recalled[asked_question.number] = {
                one.candidate.memory_id: MemoryRank(rank, one.candidate.score)
                for rank, one in enumerate(found.memories, 1)
            }
    return MemorySnapshot(memories, recalled, {agent.agent_id: agent.sessions_slept for agent in agents})

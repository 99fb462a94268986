"""The play: every question once with its document, then all of them once more."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.demo.questions import Question
from nemuri.demo.task_trace import Way, follow, heed_cancellation
from nemuri.demo.texts import document
from nemuri_contracts.memory_views import MemoryView
from nemuri_contracts.task_views import TaskResult

PATIENCE: Final = 60.0
"""Seconds that a task and all that follows from it may take."""
RANKED: Final = 50
"""So far down a memory's rank is looked for."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what became of it."""

    number: int
    question: Question
    document: tuple[str, int] | None
    """Name and characters of what came with it."""
    way: Way
    result: TaskResult
    lessons: tuple[str, ...]
    """The perspectives under which something was learned."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Place:
    """Where a memory stands among those that come to mind."""

    rank: int
    """From 1."""
    score: float


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the memories stand at one moment."""

    memories: Mapping[UUID, MemoryView]
    """All of them, archived ones too."""
    recalled: Mapping[int, Mapping[UUID, Place]]
    """By the number of a question: where each memory that would come to mind stands."""
    slept: Mapping[str, int]
    """Sessions that each agent has slept over."""


@dataclass(frozen=True, slots=True)
class Moved:
    """How a memory's place for a question changed over the second round."""

    number: int
    memory_id: UUID
    before: Place
    after: Place

    @property
    def climb(self) -> int:
        """By how many ranks it rose."""
        return self.before.rank - self.after.rank

    @property
    def rise(self) -> float:
        """By how much its score rose."""
        return self.after.score - self.before.score


@dataclass(frozen=True, slots=True)
class Played:
    """The whole play, from which every number on the screen comes."""

    first: tuple[Asked, ...]
    before: Standing
    """Between the two rounds."""
    second: tuple[Asked, ...]
    after: Standing

    @property
    def learned(self) -> Mapping[UUID, int]:
        """What was learned in the first round, with the number of the question that taught it."""
        return {memory: asked.number for asked in self.first for memory in asked.result.learned}

    @property
    def used(self) -> tuple[UUID, ...]:
        """What was learned in the first round and drawn on in the second."""
        drawn = {memory for asked in self.second for memory in asked.result.used}
        return tuple(memory for memory in self.learned if memory in drawn)

    @property
    def unused(self) -> tuple[UUID, ...]:
        """What was learned in the first round and never drawn on."""
        return tuple(each for each in self.learned if self.after.memories[each].access_count == 0)

    def places(self) -> tuple[Moved, ...]:
        """For each question and each memory that it drew on the second time: its place before that round and after."""
        return tuple(
            Moved(asked.number, memory, before[memory], after[memory])
            for asked in self.second
            for before in [self.before.recalled.get(asked.number, {})]
            for after in [self.after.recalled.get(asked.number, {})]
            for memory in asked.result.used
            if memory in before and memory in after
        )


Told = Callable[[Way], None]
Done = Callable[[Asked], None]


async def play(
    client: Client, questions: Sequence[Question], *, told: Told, done: Done, interval: Callable[[Standing], None]
) -> Played:
    """Ask every question twice, one after the other, each only when everything that follows from the last is done.

    `told` hears how the task stands, `done` each finished one, `interval` how the memories stand between the rounds.
    Raises `ClientError` when a task fails or takes too long.
    """
    first = []
    for number, question in enumerate(questions, 1):
        first.append(await _ask(client, number, question, document(question.topics), told))
        done(first[-1])
    before = await _standing(client, first)
    interval(before)
    second = []
    for number, question in enumerate(questions, 1):
        text = document(question.topics) if question.documents_again else None
        second.append(await _ask(client, number, question, text, told))
        done(second[-1])
    return Played(tuple(first), before, tuple(second), await _standing(client, second))


async def _ask(client: Client, number: int, question: Question, text: tuple[str, str] | None, told: Told) -> Asked:
    heed_cancellation()
    started, place = time.monotonic(), await client.log.last_sequence()
    task_id = await client.submit(
        question.text, documents=[text] if text else [], agent=question.agent, perspective=question.perspective
    )
    way = Way(task_id, place)
    try:
        async with asyncio.timeout(PATIENCE) as limit:
            await _accompany(client, way, question, told)
    except TimeoutError as error:
        if not limit.expired():  # it was the server that did not answer
            raise
        raise ClientError(f"question {number} and what follows from it took more than {PATIENCE:g} s") from error
    if way.failed is not None:
        raise ClientError(f"question {number} failed: {way.failed}")
    await client.settle()
    result = await client.result(task_id, settled=True)
    seconds = time.monotonic() - started
    lessons = [name for each in result.learned for name in (await client.memory(each)).memory.learnings]
    size = (text[0], len(text[1])) if text else None
    return Asked(number, question, size, way, result, tuple(lessons), seconds)


async def _accompany(client: Client, way: Way, question: Question, told: Told) -> None:
    """Choose where the platform asks, praise where the question says so, and see everything through."""
    await follow(client.log, way, lambda here: here.over or here.items > 0, told)
    if way.items:
        await client.settle()
        await client.answer(way.task_id, question.option)
        await follow(client.log, way, lambda here: here.over, told)
    if question.praised and way.failed is None:
        await client.feedback(way.task_id, "helpful", result="success")
        await follow(client.log, way, lambda here: here.credited, told)


async def _standing(client: Client, asked: Sequence[Asked]) -> Standing:
    await client.settle()
    agents = await client.agents()
    memories = {
        memory.memory_id: memory for agent in agents for memory in await client.memories(agent.agent_id, status="all")
    }
    recalled: dict[int, dict[UUID, Place]] = {}
    for each in asked:
        if each.way.items == 0 and each.way.agent_id is not None:
            found = await client.recall(each.way.agent_id, each.question.text, top=RANKED)
            recalled[each.number] = {
                one.candidate.memory_id: Place(rank, one.candidate.score) for rank, one in enumerate(found.memories, 1)
            }
    return Standing(memories, recalled, {agent.agent_id: agent.sessions_slept for agent in agents})

"""A run: histories are handed over one after the other, and their questions asked. It goes on where it was stopped."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from nemuri.client.exchange import ClientError
from nemuri.evaluation.benchmark import History, Question
from nemuri.evaluation.contexts import Arm, Baselines
from nemuri.evaluation.line_file import LineFile
from nemuri.evaluation.memories import HistoryMemory, memory_of
from nemuri.evaluation.models import ReplyRecord, Role
from nemuri.evaluation.questions import Reading, result_of
from nemuri.evaluation.results import HistoryResult, Results
from nemuri_contracts.event import Usage
from nemuri_infra.models.failures import ModelUnavailable
from nemuri_infra.runtime.settings import Settings


class RunDescription(BaseModel):
    """What decides the results of a run. Results of runs that differ in it are not mixed."""

    model_config = ConfigDict(frozen=True)

    benchmark: str
    files: tuple[str, ...]
    models: dict[Role, str]
    embedder: str
    arms: tuple[Arm, ...]
    top: int
    tokens: int
    seed: int
    limit: int | None
    kinds: tuple[str, ...]


class OtherRunError(Exception):
    """The directory holds another run. The message says in what they differ."""


@dataclass(slots=True)
class RunDirectory:
    """The directory of a run: its description, the replies of models, and the results."""

    path: Path
    description: RunDescription
    replies: ReplyRecord
    results: Results

    @classmethod
    def opened(cls, path: Path, description: RunDescription) -> Self:
        """Return the directory of this run, with what is in it already. Raises `OtherRunError` if it is another's."""
        path.mkdir(parents=True, exist_ok=True)
        described = path / "run.json"
        if described.exists():
            here = RunDescription.model_validate_json(described.read_text(encoding="utf-8"))
            if other := [name for name, value in here if value != getattr(description, name)]:
                raise OtherRunError(f"{path} holds a run with another {', '.join(other)}")
        described.write_text(description.model_dump_json(indent=2) + "\n", encoding="utf-8")
        replies, results = LineFile(path / "replies.jsonl"), LineFile(path / "results.jsonl")
        return cls(path, description, ReplyRecord.of(replies), Results.of(results))


async def run(
    histories: Sequence[History],
    reading: Reading,
    results: Results,
    settings: Settings,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> None:
    """Ask all questions that have no result yet, and add their results.

    `progress` is called with the numbers of finished and of all questions. Raises `ModelUnavailable` if a model cannot
    be reached; what was asked before is kept.
    """
    every = sum(len(history.questions) for history in histories)
    done = sum(question.question_id in results.questions for history in histories for question in history.questions)
    progress(done, every)
    for history in histories:
        if not (pending := [one for one in history.questions if one.question_id not in results.questions]):
            continue
        async with _handed_over(history, reading, results, settings) as memory:
            baselines = Baselines.of(history)

            async def ask(
                question: Question, memory: HistoryMemory | None = memory, beside: Baselines = baselines
            ) -> None:
                nonlocal done
                results.add(await result_of(question, memory, beside, reading))
                done += 1
                progress(done, every)

            await _all_of([ask(question) for question in pending])


async def _all_of(work: list[Any]) -> None:
    """Await all, and cancel the others if one fails."""
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except* ModelUnavailable as errors:
        raise errors.exceptions[0] from None


@asynccontextmanager
async def _handed_over(
    history: History, reading: Reading, results: Results, settings: Settings
) -> AsyncIterator[HistoryMemory | None]:
    """Hand over a history, note what that took, and yield its memory; None if the arm takes no part."""
    if "memory" not in reading.arms:
        yield None
        return
    learner = reading.models.learner
    before = len(learner.usages) if learner else 0
    try:
        async with memory_of(history, settings, reading.models.of_platform) as memory:
            usages = learner.usages[before:] if learner else []
            results.add(
                HistoryResult(
                    history_id=history.history_id,
                    messages=memory.messages,
                    seconds=memory.seconds,
                    learning=Usage.together(usages) if usages else None,
                    calls=len(usages),
                )
            )
            yield memory
    except ClientError as error:
        if isinstance(cause := error.__cause__, ModelUnavailable):
            raise cause from error
        raise

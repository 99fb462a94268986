"""One question in one arm: retrieval figures without a model, then the answer of the reader and its judgement."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final

from nemuri.evaluation.benchmark import Place, Question
from nemuri.evaluation.contexts import ARMS, RANKED, Arm, Baselines, Passage, within
from nemuri.evaluation.memories import MOST, HistoryMemory
from nemuri.evaluation.models import RunModels
from nemuri.evaluation.results import ArmResult, QuestionResult, ShownPassage
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs.answer_judgement import JudgeAnswerJob
from nemuri_infra.models.jobs.recalled_answer import RecalledAnswerJob

RANKS: Final = (5, 10, 20, 50)
TOKENS: Final = (500, 1_000, 2_000)
"""Numbers of passages and of tokens among which evidence is counted."""
UNANSWERABLE: Final = "It says that this is not known, or that it was not told."
_SCORES: Final = {"yes": 1.0, "partly": 0.5, "no": 0.0}


@dataclass(frozen=True, slots=True)
class Reading:
    """How the questions of a run are read."""

    models: RunModels = field(default_factory=RunModels)
    arms: tuple[Arm, ...] = ARMS
    top: int = MOST
    """Maximum number of passages."""
    tokens: int = 2_000
    """Maximum number of tokens of the passages of an arm that ranks them."""
    retrieving: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Retrievals run one at a time, so that their times are their own."""


async def result_of(
    question: Question, memory: HistoryMemory | None, baselines: Baselines, reading: Reading
) -> QuestionResult:
    """Return the results of all arms for a question. Raises `ModelUnavailable` if a model cannot be reached."""
    arms = [arm for arm in reading.arms if reading.models.reader or arm in RANKED]
    results = await asyncio.gather(*(_in_arm(arm, question, memory, baselines, reading) for arm in arms))
    return QuestionResult(
        question_id=question.question_id,
        kind=question.kind,
        question=question.text,
        right=question.answer or "\n".join(criteria_of(question)),
        unanswerable=question.unanswerable,
        arms=tuple(results),
    )


async def _in_arm(
    arm: Arm, question: Question, memory: HistoryMemory | None, baselines: Baselines, reading: Reading
) -> ArmResult:
    async with reading.retrieving:
        began = perf_counter()
        passages = await _passages(arm, question, memory, baselines)
        seconds = perf_counter() - began
    shown = within(passages[: reading.top], reading.tokens) if arm in RANKED else passages
    about: dict[str, Any] = {"tokens": sum(passage.tokens for passage in shown), "retrieval_seconds": seconds}
    if arm in RANKED:
        about |= retrieval_figures(question, passages, shown)
        about["passages"] = tuple(ShownPassage.of(passage, question.evidence) for passage in shown)
    if reading.models.reader is not None:
        about |= await _read(question, [passage.text for passage in shown], reading.models)
    return ArmResult(arm=arm, **about)


async def _passages(
    arm: Arm, question: Question, memory: HistoryMemory | None, baselines: Baselines
) -> Sequence[Passage]:
    match arm:
        case "memory":
            return await memory.recalled(question.text) if memory else ()
        case "bm25":
            return baselines.ranked(question.text, MOST)
        case "full":
            return baselines.passages
        case "none":
            return ()


def retrieval_figures(question: Question, ranked: Sequence[Passage], shown: Sequence[Passage]) -> dict[str, Any]:
    """Return the fields of an arm's result that say how far its passages hold the evidence of the question."""
    needed = question.evidence
    if not needed or question.unanswerable:
        return {}
    at = {str(rank): ranked[:rank] for rank in RANKS}
    at |= {f"{tokens} tokens": within(ranked, tokens) for tokens in TOKENS}
    return {
        "evidence": share(needed, shown),
        "evidence_at": {name: share(needed, some) for name, some in at.items()},
        "needed_first": _needed_first(question, ranked) if question.misleading else None,
    }


def share(needed: frozenset[Place], passages: Sequence[Passage]) -> float:
    """Return the share of the needed messages that are among the passages."""
    return len(needed & {passage.place for passage in passages}) / len(needed)


def _needed_first(question: Question, ranked: Sequence[Passage]) -> bool:
    about = (passage.place for passage in ranked if passage.place in question.evidence | question.misleading)
    return next(about, None) in question.evidence


def criteria_of(question: Question) -> tuple[str, ...]:
    """Return what a right answer to a question must do, at least one point."""
    right = (f"It says the same as the right answer: {question.answer}",) if question.answer else (UNANSWERABLE,)
    return question.criteria or right


async def _read(question: Question, texts: Sequence[str], models: RunModels) -> dict[str, Any]:
    """Return the fields of an arm's result that the reader and the judge fill."""
    reader, judge = models.reader, models.judge or models.reader
    if reader is None or judge is None:
        return {}
    began = perf_counter()
    try:
        answered = await reader.do(RecalledAnswerJob(question.text, tuple(texts), question.asked_at))
    except ModelRefused as error:
        return {"failure": f"reader: {error}", "score": 0.0, "reading": error.usage}
    read = {"answer": answered.value, "reading": answered.usage, "reading_seconds": perf_counter() - began}
    job = JudgeAnswerJob(question.text, criteria_of(question), answered.value, question.rule)
    try:
        judged = await judge.do(job)
    except ModelRefused as error:
        return read | {"failure": f"judge: {error}", "score": 0.0, "judging": error.usage}
    met, whole = judged.value.met, not question.criteria
    scores = [float(one == "yes") if whole else _SCORES[one] for one in met]
    return read | {"score": sum(scores) / len(scores), "judged": judged.value.why, "judging": judged.usage}

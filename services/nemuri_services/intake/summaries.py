"""Summaries of tasks that are too long: they are summarised again by the light model (document 000 §3.9)."""

import asyncio
from collections.abc import Sequence
from typing import Final, overload

import structlog

from nemuri_contracts.event import Usage
from nemuri_contracts.tasks import TaskSummarised
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.tasks import task_summary
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.fan_in import summary_parts
from nemuri_domain.tasks.task_summary import SUMMARY_TOKENS, summed_up
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs.task_summary import SummaryJob
from nemuri_infra.runtime.resources import Resources

logger = structlog.get_logger()
PROMPT_TOKENS: Final = 16_000
"""Maximum tokens of texts in the prompt of one summary. More are summarised in groups first."""
_REQUEST_SHARE: Final = 0.5
"""Share of a summary's tokens up to which the request is kept word for word."""
_ROUNDS: Final = 4
"""Maximum number of times that a result is summarised again."""


@overload
async def with_summary(event: TaskSummarised, task: Task, resources: Resources) -> TaskSummarised: ...
@overload
async def with_summary(event: None, task: Task, resources: Resources) -> None: ...
async def with_summary(event: TaskSummarised | None, task: Task, resources: Resources) -> TaskSummarised | None:
    """Return the event with a summary that the light model made, if what it sums up does not fit a summary.

    Without a language model, and if the model refuses, the event keeps its selection of key points.
    """
    if event is None:
        return None
    asked, texts = summary_parts(task, event.details, task.listed_requests)
    if estimate_tokens("\n".join((asked, *texts))) <= SUMMARY_TOKENS:
        return event
    keeps = estimate_tokens(asked) <= _REQUEST_SHARE * SUMMARY_TOKENS
    room = SUMMARY_TOKENS - (estimate_tokens(asked) + 1 if keeps else 0)
    try:
        made, spent = await _condensed(task.text, [*(() if keeps or not asked else (asked,)), *texts], room, resources)
    except ModelRefused as error:
        logger.warning("summary by selection", service="intake", why=log_safe(error))
        return event
    if made is None:
        return event
    summary = summed_up("\n".join(filter(None, (asked if keeps else "", made))), ())
    return event.model_copy(update={"summary": summary, "summary_usage": spent})


async def _condensed(
    request: str, texts: Sequence[str], room: int, resources: Resources
) -> tuple[str | None, Usage | None]:
    """Return a summary of the texts, at most `room` tokens unless the model never keeps to it, and the model usage.

    Texts that do not fit one prompt are summarised in groups, and their summaries again. The summary is None without a
    language model.
    """
    spent: list[Usage] = []
    for _ in range(_ROUNDS):
        groups = task_summary.prompt_groups(texts, PROMPT_TOKENS)
        jobs = [SummaryJob(request, group, room if len(groups) == 1 else SUMMARY_TOKENS) for group in groups]
        replies = await asyncio.gather(*map(resources.models.light.do, jobs))
        made = [reply.value for reply in replies if reply.value is not None]
        spent += [reply.usage for reply in replies]
        if len(made) < len(replies):
            return None, None
        texts = made
        if len(made) == 1 and estimate_tokens(made[0]) <= room:
            break
    return "\n".join(texts), Usage.together(spent)

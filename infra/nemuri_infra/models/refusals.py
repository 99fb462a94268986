"""Refusals of models: a service goes on without the reply, and the log says so."""

from typing import TypeVar

import structlog

from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.protocol import Job, Model

T = TypeVar("T")

logger = structlog.get_logger()


async def reply_or_none(model: Model, job: Job[T], instead: str) -> Reply[T] | None:
    """Return the model's reply to a job; None if it refuses, because the same request would be refused again.

    `instead` is the line of the log that says what the caller does then, such as "items by rules". Raises
    `ModelUnavailable` if the model cannot answer now.
    """
    try:
        return await model.do(job)
    except ModelRefused as error:
        logger.warning(instead, why=log_safe(error))
        return None

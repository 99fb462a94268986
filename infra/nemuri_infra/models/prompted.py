"""A model that does its jobs with a chat: it sends the prompt of the job, and the job reads the reply."""

from dataclasses import replace

import structlog

from nemuri_contracts.event import Usage
from nemuri_infra.models.budgeted_chat import OverBudgetError
from nemuri_infra.models.chat import Chat, ChatReply, ChatRequest, Reply
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable
from nemuri_infra.models.prompt_library import example_texts
from nemuri_infra.models.protocol import Job, T, UnreadableReplyError
from nemuri_infra.observability.metrics import Metrics

logger = structlog.get_logger()


class PromptedModel:
    """A model that does each job by sending a prompt to a chat. What a budget forbids is done by the extractive model.

    With `falls_back` the extractive model also does the jobs at which the chat fails. `metrics` counts the replies that
    cannot be read, by prompt.
    """

    def __init__(self, chat: Chat, *, falls_back: bool = False, metrics: Metrics | None = None) -> None:
        self._chat = chat
        self._falls_back = falls_back
        self._metrics = metrics
        self._extractive = ExtractiveModel()

    @property
    def name(self) -> str:
        """Return the name of the chat, followed by that of the extractive model if it does what the chat fails at."""
        return f"{self._chat.name} > {self._extractive.name}" if self._falls_back else self._chat.name

    @property
    def understands(self) -> bool:
        """True: a chat is a language model."""
        return True

    async def do(self, job: Job[T]) -> Reply[T]:
        """Return the value that the job reads in the chat's reply.

        A reply that cannot be read is replaced (`Job.if_unread`), and the usage names the rules beside the model;
        `ModelRefused` is raised if the job must be read. A text that the model copied from an example of the prompt
        counts as empty. The usage of a job that a budget forbids the chat says which budget it was. Without
        `falls_back` the errors of the chat are raised.
        """
        request = job.chat_request()
        try:
            return self._read(job, request, await self._chat.complete(request))
        except OverBudgetError as error:
            reply = await self._extractive.do(job)
            return Reply(reply.value, reply.usage.model_copy(update={"over_budget": str(error)}))
        except (ModelUnavailable, ModelRefused) as error:
            if not self._falls_back:
                raise
            logger.warning(
                "another model does the job", model=self._extractive.name, failed=self._chat.name, why=str(error)
            )
            return await self._extractive.do(job)

    def _read(self, job: Job[T], request: ChatRequest, reply: Reply[ChatReply]) -> Reply[T]:
        try:
            return Reply(job.read(replace(reply.value, examples=example_texts(request.prompts))), reply.usage)
        except UnreadableReplyError as error:
            name = next(iter(request.prompts), "").partition("@")[0]
            logger.warning("a reply cannot be read", model=reply.usage.model, prompt=name, why=str(error))
            if self._metrics is not None:
                self._metrics.model_unreadable.labels(reply.usage.model, name).inc()
            if job.must_be_read:
                raise ModelRefused(f"{self._chat.name} gave {error}", usage=reply.usage) from None
        replaced = Usage.together((reply.usage, Usage(model=job.stand_in)))
        return Reply(job.if_unread(), replaced)

    async def aclose(self) -> None:
        """Close the chat."""
        await self._chat.aclose()

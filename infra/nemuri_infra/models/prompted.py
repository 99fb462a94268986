"""A model that does its jobs with a chat: it sends the prompt of the job, and the job reads the reply."""

import structlog

from nemuri_contracts.event import Usage
from nemuri_infra.models.budgeted_chat import OverBudgetError
from nemuri_infra.models.chat import Chat, ChatReply, Reply
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable
from nemuri_infra.models.protocol import Job, T, UnreadableReplyError

logger = structlog.get_logger()


class PromptedModel:
    """A model that does each job by sending a prompt to a chat. What a budget forbids is done by the extractive model.

    With `falls_back` the extractive model also does the jobs at which the chat fails.
    """

    def __init__(self, chat: Chat, *, falls_back: bool = False) -> None:
        self._chat = chat
        self._falls_back = falls_back
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

        A reply that cannot be read is replaced by the job's rules, and the usage names both; `ModelRefused` is raised
        if the job must be read. The usage of a job that a budget forbids the chat says which budget it was. Without
        `falls_back` the errors of the chat are raised.
        """
        try:
            return self._read(job, await self._chat.complete(job.chat_request()))
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

    def _read(self, job: Job[T], reply: Reply[ChatReply]) -> Reply[T]:
        try:
            return Reply(job.read(reply.value), reply.usage)
        except UnreadableReplyError as error:
            if job.must_be_read:
                raise ModelRefused(f"{self._chat.name} gave {error}", usage=reply.usage) from None
        replaced = Usage.together((reply.usage, Usage(model=job.stand_in)))
        return Reply(job.without_model(), replaced)

    async def aclose(self) -> None:
        """Close the chat."""
        await self._chat.aclose()

"""Chat wrappers that price calls and keep the budgets of tasks and agents."""

from nemuri_contracts.event import Usage
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_infra.models.call_budget import CallBudget, current_budget
from nemuri_infra.models.chat import Chat, ChatReply, ChatRequest
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.protocol import Reply
from nemuri_infra.models.settings import Price


class OverBudgetError(ModelRefused):
    """A call that a budget of the task or of the agent does not allow. Nothing was spent on it."""


class PricedChat:
    """A chat wrapper that adds the price of a reply to its usage."""

    def __init__(self, chat: Chat, price: Price) -> None:
        self._chat = chat
        self._price = price

    @property
    def name(self) -> str:
        """Return the name of the wrapped chat."""
        return self._chat.name

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Return the wrapped chat's reply with its price. The usage of an unusable reply has a price too."""
        try:
            reply = await self._chat.complete(request)
        except ModelRefused as error:
            error.usage = self._priced(error.usage) if error.usage else None
            raise
        return Reply(reply.value, self._priced(reply.usage))

    def _priced(self, usage: Usage) -> Usage:
        return usage.model_copy(update={"money": self._price.of(usage)})

    async def aclose(self) -> None:
        """Close the wrapped chat."""
        await self._chat.aclose()


class BudgetedChat:
    """A chat wrapper that calls the wrapped chat only as long as the budgets of the handled event allow it.

    `priced` tells whether the prices of the chat's models are known. Calls outside of events have no budget.
    """

    def __init__(self, chat: Chat, *, priced: bool) -> None:
        self._chat = chat
        self._priced = priced

    @property
    def name(self) -> str:
        """Return the name of the wrapped chat."""
        return self._chat.name

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Return the wrapped chat's reply. Raises `OverBudgetError` without a call if a budget forbids it."""
        spent = current_budget()
        if spent is None:
            return await self._chat.complete(request)
        await self._check(request, spent)
        try:
            reply = await self._chat.complete(request)
        except ModelRefused as error:
            spent.pay(error.usage)
            raise
        spent.pay(reply.usage)
        return reply

    async def _check(self, request: ChatRequest, spent: CallBudget) -> None:
        limits = await spent.limits()
        if not limits:
            return
        tokens = sum(map(estimate_tokens, request.texts))
        for each in limits:
            if why := each.forbids(spent.paid, tokens, priced=self._priced):
                raise OverBudgetError(why)

    async def aclose(self) -> None:
        """Close the wrapped chat."""
        await self._chat.aclose()

"""A chat wrapper for the calls of one event: it keeps the budgets of task and agent, and pays for no reply twice."""

from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_infra.models.call_budget import CallBudget, current_budget
from nemuri_infra.models.chat import Chat, ChatReply, ChatRequest, Reply
from nemuri_infra.models.failures import ModelRefused


class OverBudgetError(ModelRefused):
    """A call that a budget of the task or of the agent does not allow. Nothing was spent on it."""


class BudgetedChat:
    """A chat wrapper that calls the wrapped chat only as long as the budgets of the handled event allow it.

    The same request gets the same reply in all attempts of the event. `priced` tells whether the prices of the chat's
    models are known. Calls outside of events have no budget.
    """

    def __init__(self, chat: Chat, *, priced: bool) -> None:
        self._chat = chat
        self._priced = priced

    @property
    def name(self) -> str:
        """Return the name of the wrapped chat."""
        return self._chat.name

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Return the reply to this request of an earlier attempt, or the wrapped chat's reply.

        Raises `OverBudgetError` without a call if a budget forbids it.
        """
        spent, asked = current_budget(), (self.name, request)
        if spent is None:
            return await self._chat.complete(request)
        if asked not in spent.replies:
            await self._check(request, spent)
            try:
                spent.replies[asked] = await self._chat.complete(request)
            except ModelRefused as error:
                spent.pay(error.usage)
                raise
            spent.pay(spent.replies[asked].usage)
        return spent.replies[asked]

    async def _check(self, request: ChatRequest, spent: CallBudget) -> None:
        limits = await spent.limits()
        if not limits:
            return
        tokens = sum(map(estimate_tokens, request.texts))
        for limit in limits:
            if why := limit.forbids(spent.paid, tokens, priced=self._priced):
                raise OverBudgetError(why)

    async def aclose(self) -> None:
        """Close the wrapped chat."""
        await self._chat.aclose()

"""A chat wrapper that records metrics, spans and prices of calls, and counts the replies for the handled event."""

from time import perf_counter

from opentelemetry.trace import SpanKind

from nemuri_contracts.event import Usage
from nemuri_infra.models.call_budget import current_budget
from nemuri_infra.models.chat import Chat, ChatReply, ChatRequest, Reply
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable, ModelUnusable
from nemuri_infra.models.settings import Price
from nemuri_infra.observability.metrics import Metrics
from nemuri_infra.observability.tracing import span


class MeasuredChat:
    """A chat wrapper that records every call, successful or not, and adds the price of a reply to its usage.

    It also enforces the budget of replies of the event that is being handled. Without a `price` the usage keeps the
    money that the wrapped chat reports.
    """

    def __init__(self, chat: Chat, metrics: Metrics, price: Price | None = None) -> None:
        self._chat = chat
        self._metrics = metrics
        self._price = price

    @property
    def name(self) -> str:
        """Return the name of the wrapped chat."""
        return self._chat.name

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Return the wrapped chat's reply with its price. The usage of an unusable reply has a price too.

        Raises `SpentError` without a call if the event that is being handled has used its budget.
        """
        began, spent = perf_counter(), current_budget()
        if spent is not None:
            spent.check()
        try:
            with span("model", kind=SpanKind.CLIENT, model=self.name) as seen:
                reply = await self._chat.complete(request)
                seen.set_attribute("nemuri.input_tokens", reply.usage.input_tokens)
                seen.set_attribute("nemuri.output_tokens", reply.usage.output_tokens)
        except (ModelUnavailable, ModelRefused) as error:
            if spent is not None and isinstance(error, ModelUnusable):
                spent.calls += 1
            self._count("refused" if isinstance(error, ModelRefused) else "unavailable", began)
            if isinstance(error, ModelRefused) and error.usage is not None:
                error.usage = self._counted(error.usage)
            raise
        if spent is not None:
            spent.calls += 1
        self._count("answered", began)
        return Reply(reply.value, self._counted(reply.usage))

    def _counted(self, usage: Usage) -> Usage:
        """Add the tokens of a reply, which may be unusable, to the metrics. Return the usage with its price."""
        for direction, tokens in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            self._metrics.model_tokens.labels(self.name, direction).inc(tokens)
        return usage.model_copy(update={"money": self._price.of(usage)}) if self._price else usage

    def _count(self, outcome: str, began: float) -> None:
        self._metrics.model_calls.labels(self.name, outcome).inc()
        self._metrics.model_seconds.labels(self.name).observe(perf_counter() - began)

    async def aclose(self) -> None:
        """Close the wrapped chat."""
        await self._chat.aclose()

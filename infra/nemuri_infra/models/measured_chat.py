"""A chat wrapper that records metrics and spans of calls, and counts the replies for the handled event."""

from time import perf_counter

from opentelemetry.trace import SpanKind

from nemuri_contracts.event import Usage
from nemuri_infra.models.call_budget import current_budget
from nemuri_infra.models.chat import Chat, ChatReply, ChatRequest
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable, ModelUnusable
from nemuri_infra.models.protocol import Reply
from nemuri_infra.observability.metrics import Metrics
from nemuri_infra.observability.tracing import span


class MeasuredChat:
    """A chat wrapper that records every call, successful or not.

    It also enforces the budget of replies of the event that is being handled.
    """

    def __init__(self, chat: Chat, metrics: Metrics) -> None:
        self._chat = chat
        self._metrics = metrics

    @property
    def name(self) -> str:
        """Return the name of the wrapped chat."""
        return self._chat.name

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Return the wrapped chat's reply.

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
                self._pay(error.usage)
            raise
        if spent is not None:
            spent.calls += 1
        self._count("answered", began)
        self._pay(reply.usage)
        return reply

    def _pay(self, usage: Usage) -> None:
        """Add the tokens of a reply to the metrics, even if the reply is unusable."""
        for direction, tokens in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            self._metrics.model_tokens.labels(self.name, direction).inc(tokens)

    def _count(self, outcome: str, began: float) -> None:
        self._metrics.model_calls.labels(self.name, outcome).inc()
        self._metrics.model_seconds.labels(self.name).observe(perf_counter() - began)

    async def aclose(self) -> None:
        """Close the wrapped chat."""
        await self._chat.aclose()

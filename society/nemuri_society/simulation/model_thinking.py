"""The model requests of a host's modules: sent within the budget, counted, and paused when the budget is used."""

import time
from typing import Any

import structlog

from nemuri_society.cognition.degraded_mode import suspended_modules
from nemuri_society.cognition.engine import Engine, Pending
from nemuri_society.cognition.module import Ask
from nemuri_society.simulation.host_health import HostHealth
from nemuri_society.simulation.model_requests import ModelRequests
from nemuri_society.simulation.model_spending import Spending

logger = structlog.get_logger()


class Thinking:
    """The thinking of a host's agents, as far as it needs models. Modules without a model do not depend on it."""

    def __init__(self, engine: Engine, model_requests: ModelRequests, health: HostHealth, spending: Spending) -> None:
        """Create the requests of an engine's modules."""
        self.model_requests = model_requests
        self.paused = ""
        """Why no module asks a model at present; empty if modules ask."""
        self._engine, self._health, self._spending = engine, health, spending

    async def ask(self, pending: Pending, ask: Ask, waited: float) -> Any:
        """Send a model request that waited `waited` wall-clock seconds for a place, and return the changes that follow
        from the answer.

        Raises TypeError if the module declares no rank, and the errors of `ModelRequests.ask`.
        """
        slot, spec = pending.slot, pending.slot.module.spec
        if spec.rank is None:
            raise TypeError(f"module {spec.name!r} asks a model but declares no rank")
        self._health.count_request(slot.agent_id, spec, spec.rank, waited)
        began = time.monotonic()
        answer = await self.model_requests.ask(spec.rank, ask.prompt, module=spec.name, agent_id=slot.agent_id)
        self._health.count_answer(spec, time.monotonic() - began)
        if not self.paused and self._spending.exhausted(self.model_requests.token_usage.total):
            self.suspend()  # At once, so that only the requests under way exceed the budget.
        try:
            return ask.then(answer)
        except ValueError:
            self.model_requests.forget(ask.prompt, module=spec.name, agent_id=slot.agent_id)
            raise

    async def update(self) -> None:
        """Share the usage with the other hosts, and suspend or resume modules."""
        await self._spending.share(self.model_requests.token_usage.total)
        self.suspend()

    def suspend(self) -> None:
        """Suspend modules whose model providers fail, and all that ask models once the budget is used.

        Modules without a model go on. Thinking stays paused until a person raises the budget.
        """
        reason = self._spending.exhausted(self.model_requests.token_usage.total)
        if reason and not self.paused:
            logger.warning("thinking is paused: the budget is used", why=reason)
        if self.paused and not reason:
            logger.info("thinking goes on: the budget was raised")
        self.paused = reason
        asking = [module.spec.name for module in self._engine.schedule.modules if module.spec.rank is not None]
        choice = self.model_requests.choice
        self._engine.suspended = frozenset(
            name for name in asking if self.paused or name in suspended_modules(choice.status_of(name))
        )

    async def close(self) -> None:
        """Share the usage for the last time."""
        await self._spending.share(self.model_requests.token_usage.total)
        await self._spending.close()

"""Texts of consolidated memories by a language model, in a budget of calls (document 004 §4.3, §4.5.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from nemuri_contracts.event import Usage
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.memory_merging import NO_MODEL_USAGE, MemoryText
from nemuri_domain.tiered.policy import Consolidation
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.chat import ChatReply, Reply
from nemuri_infra.models.failures import ModelFailure
from nemuri_infra.models.jobs.memory_consolidation import ConsolidateJob
from nemuri_infra.models.protocol import UnreadableReplyError
from nemuri_society.cognition.module import Prompt, Rank
from nemuri_society.cognition.scripted_model import UnansweredPromptError
from nemuri_society.simulation.model_thinking import Thinking

MEMORY_CONSOLIDATION: Final = "memory_consolidation"
"""Name under which a society chooses the model for this, and under which its tokens are counted."""
CALLS_PER_AGENT_SECOND: Final = 18_000 / (500 * 9_000)
"""Mean number of calls for each agent and second of the simulation: 18,000 for 500 agents in two and a half hours
(document 004 §4.5.2), one in four minutes.
"""
LONGEST_WAIT: Final = 300.0
"""Seconds of the simulation that a group waits for a call at most. Groups beyond that are worded by rules."""

logger = structlog.get_logger()


@dataclass(slots=True)
class CallAllowance:
    """An allowance of calls that grows with time, up to what grows in `LONGEST_WAIT`."""

    calls: float = 0.0
    at: float | None = None
    """Second at which `calls` was computed last."""

    def grow(self, agents: int, second: float) -> None:
        """Add what has grown for a number of agents until `second`."""
        elapsed = 0.0 if self.at is None else max(0.0, second - self.at)
        self.calls = min(self.calls + elapsed * agents * CALLS_PER_AGENT_SECOND, self.most(agents))
        self.at = second

    def most(self, agents: int) -> float:
        """Return the number of calls to which it grows for a number of agents; at least one."""
        return max(1.0, agents * CALLS_PER_AGENT_SECOND * LONGEST_WAIT)

    def take(self) -> bool:
        """Take one call if there is one. Return whether there was."""
        if self.calls < 1.0:
            return False
        self.calls -= 1.0
        return True


class MemoryWording:
    """The wording of memories by the model that a society has for it."""

    def __init__(self, thinking: Thinking, names: Mapping[str, str]) -> None:
        """Create it for the requests of a host. `names` are the agents' names by id."""
        self.allowance = CallAllowance()
        self._thinking, self._names = thinking, names

    @property
    def available(self) -> bool:
        """Return True if a language model may be asked now."""
        return (
            not self._thinking.paused
            and self._thinking.model_requests.choice.of(MEMORY_CONSOLIDATION)[1].has_language_model
        )

    async def text(self, agent_id: str, sources: Sequence[TierMemory], rules: Consolidation) -> Reply[MemoryText]:
        """Return the memory that the model makes of an agent's memories, with its usage. If it fails, or if its answer
        cannot be read, rules make it.
        """
        job, used = ConsolidateJob(self._names[agent_id], tuple(sources), rules), list[Usage]()
        request = job.chat_request()
        prompt = Prompt(request.system, request.user, limit=request.max_tokens, task=request.prompts[0])
        try:
            answer = await self._thinking.model_requests.ask(
                Rank.REFLECTION, prompt, module=MEMORY_CONSOLIDATION, agent_id=agent_id, on_usage=used.append
            )
            return Reply(job.read(ChatReply(answer)), used[-1] if used else NO_MODEL_USAGE)
        except (ModelFailure, UnreadableReplyError, UnansweredPromptError) as error:
            logger.warning("a memory is worded by rules", agent=agent_id, why=log_safe(error))
            return Reply(job.without_model(), NO_MODEL_USAGE)

"""Choice of an agent for a request by a language model (document 000 §3.1)."""

from dataclasses import dataclass
from typing import Final

from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import NUMBER, TEXT, closed
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.sources import Source

TOKENS: Final = 60
SCHEMA: Final = closed("agent_choice", agent=TEXT, confidence=NUMBER)
_UNSURE: Final = 0.5
_NOBODY: Final = frozenset({"none", "nobody", "null", ""})


@dataclass(frozen=True, slots=True)
class RouteCandidate:
    """An agent that may get a task."""

    agent_id: str
    role: str
    description: str
    memo: str
    """Table of contents of the agent's memory; "" if it has none."""


@dataclass(frozen=True, slots=True)
class ChosenAgent:
    """The agent whose field a request belongs to."""

    agent_id: str | None
    """Id of the agent; None if the request belongs to no agent's field."""
    confidence: float
    """Confidence in the choice, 0 to 1."""


@dataclass(frozen=True, slots=True)
class RouteJob(Job[ChosenAgent | None]):
    """The job of choosing the agent whose field a request belongs to, among agents, most likely first."""

    request: str
    agents: tuple[RouteCandidate, ...]

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        agents = [
            Source(
                f"a{number}",
                "\n".join(
                    f"{name}: {text}"
                    for name, text in (("Role", agent.role), ("Field", agent.description), ("Remembers", agent.memo))
                    if text
                ),
            )
            for number, agent in enumerate(self.agents, 1)
        ]
        return prompt("agent_choice").request(
            TOKENS, {"agents": agents, "request": FencedText("request", self.request)}, steady=True, schema=SCHEMA
        )

    def read(self, reply: ChatReply) -> ChosenAgent | None:
        """Return the choice in a reply, which must name an agent of the job, or nobody.

        A confidence that is missing or not between 0 and 1 counts as `_UNSURE`.
        """
        labels = {f"a{number}": agent.agent_id for number, agent in enumerate(self.agents, 1)}
        for found in reply.objects():
            if "agent" not in found:
                continue
            said = str(found["agent"] or "").strip().casefold()
            sure = found.get("confidence")
            confidence = float(sure) if isinstance(sure, int | float) and 0 <= sure <= 1 else _UNSURE
            if said in _NOBODY:
                return ChosenAgent(None, confidence)
            if said in labels:
                return ChosenAgent(labels[said], confidence)
        raise UnreadableReplyError("no agent that can be chosen")

    def without_model(self) -> ChosenAgent | None:
        """Return None: the fit of the agents decides alone."""
        return None

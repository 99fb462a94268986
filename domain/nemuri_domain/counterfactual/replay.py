"""Counterfactual replay under another policy: recorded events stay as they are, only sleeps are decided again.

A mind is the fold of all events of an agent. The replay folds two minds: the recorded one, and a counterfactual one
under the other policy.

The result is a first-order estimate. Tasks, candidates, answers and uses are the recorded ones, although the other
policy might have led to different ones. A recorded use is missed if the other policy had archived the memory and would
not have retrieved it from the archive. The counterfactual mind does not reinforce or reactivate a memory by a missed
use.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import JsonValue

from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.colleagues import MemoryCopied
from nemuri_contracts.education import MemoriesReviewed
from nemuri_contracts.erasure import MemoriesErased, Standing
from nemuri_contracts.strength import (
    AgentSlept,
    ImpactCredited,
    LearningsExtracted,
    MemoriesRetrieved,
    MemoriesUsed,
    MemoryEncoded,
    RepetitionWithdrawn,
    SessionEnded,
)
from nemuri_domain.counterfactual.retrieval import reranked
from nemuri_domain.counterfactual.sleep import MindPair, SleepReplay, continue_counterfactual
from nemuri_domain.event_sourcing.state import State
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import evolve, with_policy
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.sleep import seen
from nemuri_domain.tasks.feedback_credit import worth

UNANSWERED = frozenset(
    {
        "relevance_floor",
        "enable_query_expansion",
        "use_detection",
        "min_training_samples",
        "retrain_after",
        "index_memo_tokens",
        "semantic_memories_per_sleep",
        "semantic_level",
        "semantic_similarity",
        "max_steps",
        "max_step_tokens",
    }
)
"""Parameters whose effect a replay cannot show, because they decide what is recorded."""


class Missed(State):
    """A recorded use of a memory that the counterfactual mind could not have made."""

    sequence: int
    at: datetime
    kind: str
    task_id: UUID | None
    memory_id: UUID


class ReplayedRetrieval(State):
    """The context of an assignment under the recorded policy and under the other policy."""

    sequence: int
    at: datetime
    task_id: UUID | None
    query: str
    recorded: tuple[UUID, ...]
    """Context that the recorded mind selects from the candidates: principles, then other memories, best first."""
    other: tuple[UUID, ...]
    explained: bool
    """True if `recorded` equals the logged context."""

    @property
    def gained(self) -> tuple[UUID, ...]:
        """Return the memories that are only in the other context."""
        return tuple(memory_id for memory_id in self.other if memory_id not in self.recorded)

    @property
    def lost(self) -> tuple[UUID, ...]:
        """Return the memories that are only in the recorded context."""
        return tuple(memory_id for memory_id in self.recorded if memory_id not in self.other)


@dataclass(slots=True)
class CounterfactualReplay:
    """Two folds of an agent's events: one as recorded, and one with other parameters from the call of `begin` on."""

    parameters: Mapping[str, JsonValue]
    """Parameters of the other mind. They override the policy in force."""
    recorded: Mind = field(default_factory=Mind)
    other: Mind = field(default_factory=Mind)
    begun: bool = False
    sleeps: SleepReplay = field(default_factory=SleepReplay)
    recalls: list[ReplayedRetrieval] = field(default_factory=list)
    missed: list[Missed] = field(default_factory=list)
    _defined: list[UUID] = field(default_factory=list)
    _reached: dict[UUID, frozenset[UUID]] = field(default_factory=dict)
    """By assignment, the memories that the counterfactual mind would have retrieved from its archive."""
    _unmade: set[tuple[UUID, UUID]] = field(default_factory=set)
    """Assignment and memory of each missed use. A credit or a withdrawal that follows from a missed use is left out
    too.
    """

    def begin(self) -> None:
        """Put the other parameters into force for the other mind, now or as soon as the agent is defined."""
        self.begun = True
        self.other = self._governed(self.recorded)
        self.sleeps.since(
            [MindPair(moment.recorded, self._governed(moment.recorded)) for moment in self.sleeps.moments]
        )

    def take(self, event: AnyAgentEvent) -> None:
        """Fold the event into both minds. After `begin`, the other mind gets the event as it would be under its own
        policy.
        """
        before = self.recorded
        self.recorded = evolve(before, event)
        if isinstance(event, MemoryEncoded | MemoryCopied) and event.source == "definition":
            self._defined.append(event.memory_id)
        if not self.begun:
            self.other = self.recorded
        elif before.agent is None:
            self.other = self._governed(self.recorded)
        else:
            self.other = self._otherwise(event, before)
        moment = MindPair(self.recorded, self.other)
        if isinstance(event, AgentSlept):
            self.sleeps.over(event, moment)
        else:
            self.sleeps.passes(moment)

    def _governed(self, mind: Mind) -> Mind:
        """Return the mind with the other parameters in force immediately."""
        agent = mind.agent
        if agent is None:
            return mind
        waiting = None if agent.next_policy is None else self._overridden(agent.next_policy)
        return with_policy(mind, agent, self._overridden(agent.policy)).with_agent(next_policy=waiting)

    def _overridden(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return Policy.of(parameters).differing | dict(self.parameters)

    def _otherwise(self, event: AnyAgentEvent, before: Mind) -> Mind:
        match event:
            case AgentSlept():
                return self._slept(event, before)
            case PolicyAdopted():
                event = event.model_copy(update={"parameters": self._overridden(event.parameters)})
            case MemoryEncoded() if event.absorbs and event.memory_id not in self.recorded.memories:
                return self.other
            case MemoryEncoded():
                event = self._begun_otherwise(event, before)
            case MemoriesRetrieved():
                event = self._retrieved(event, before)
            case MemoriesUsed() | MemoriesReviewed() | LearningsExtracted():
                event = self._without_missed(event, before)
            case ImpactCredited():
                event = self._credited(event, before)
            case RepetitionWithdrawn() if (event.assignment_id, event.repetition.memory_id) in self._unmade:
                return self.other
            case MemoriesErased():
                event = event.model_copy(update={"standing": tuple(map(self._restated, event.standing))})
            case SessionEnded():
                self._reached.pop(event.assignment_id, None)
            case _:
                pass
        return evolve(self.other, event)

    def _restated(self, standing: Standing) -> Standing:
        """Return a restated state for the other mind, so that the memory has the same current strength in both minds.

        The effect of the erased events on the other mind is unknown. So the two minds agree on this memory again.
        """
        here, there = self.recorded.agent, self.other.agent
        if standing.status != "active" or here is None or there is None:
            return standing
        shift = here.clocks[standing.level] - there.clocks[standing.level]
        perspectives = {name: value + shift for name, value in standing.perspectives.items()}
        return standing.model_copy(
            update={"stored_strength": standing.stored_strength + shift, "perspectives": perspectives}
        )

    def _slept(self, event: AgentSlept, before: Mind) -> Mind:
        """Return the other mind after its own sleep in place of the recorded one.

        If the recorded sleep is finished, the other mind's sleep is continued until it is finished too.
        """
        slept: AgentSlept | None = self.sleeps.counterfactual_sleep(event, MindPair(before, self.other))
        mind = self.other
        while slept is not None:
            mind = evolve(mind, slept)
            slept = None if event.unfinished else continue_counterfactual(mind, slept, event)
        return mind

    def _begun_otherwise(self, event: MemoryEncoded, before: Mind) -> MemoryEncoded:
        """Return the event with the initial strength of the other policy. A strength that does not come from the
        recorded policy is kept.
        """
        was, would = _rules(before), _rules(self.other)
        if event.absorbs:
            return self._formed_otherwise(event)
        known = (event.source, event.origin.provenance)
        if event.strength != was.begins(*known):
            return event
        return event.model_copy(update={"strength": would.begins(*known)})

    def _formed_otherwise(self, event: MemoryEncoded) -> MemoryEncoded:
        """Return the event of a semantic memory with the sources that are active in the other mind, at their revisions
        there. If all have faded there, it is a memory without sources.
        """
        sources = self.other.find(absorb.memory_id for absorb in event.absorbs)
        return event.model_copy(update={"absorbs": seen(source for source in sources if source.status == "active")})

    def _credited(self, event: ImpactCredited, before: Mind) -> ImpactCredited:
        """Return the credit with the impact points of the other policy and without the memories of missed uses. Points
        that do not come from the recorded policy are kept.
        """
        made = tuple(
            memory_id for memory_id in event.memory_ids if (event.assignment_id, memory_id) not in self._unmade
        )
        points = event.points
        if points == worth(event.reason, _rules(before)):
            points = worth(event.reason, _rules(self.other))
        return event.model_copy(update={"memory_ids": made, "points": points})

    def _retrieved(self, event: MemoriesRetrieved, before: Mind) -> MemoriesRetrieved:
        here = reranked(event, before, before, self._defined)
        there = reranked(event, before, self.other, self._defined)
        self.recalls.append(
            ReplayedRetrieval(
                sequence=event.sequence or 0,
                at=event.at,
                task_id=event.thread,
                query=event.query,
                recorded=here.in_context,
                other=there.in_context,
                explained=set(here.in_context) == set(event.in_context),
            )
        )
        if there.archived:
            self._reached[event.assignment_id] = there.archived
        gone = self._lacking(event.in_context, event.assignment_id, before)
        context = {"selected": event.selected, "principles": event.principles}
        left = {name: tuple(memory_id for memory_id in ids if memory_id not in gone) for name, ids in context.items()}
        return event.model_copy(update=left)

    def _without_missed(
        self, event: MemoriesUsed | MemoriesReviewed | LearningsExtracted, before: Mind
    ) -> MemoriesUsed | MemoriesReviewed | LearningsExtracted:
        """Return the event without the memories that the other mind could not have used, and record these uses as
        missed.
        """
        assignment_id = None if isinstance(event, MemoriesReviewed) else event.assignment_id
        if isinstance(event, LearningsExtracted):
            named = tuple(repetition.memory_id for repetition in event.repetitions)
        else:
            named = event.memory_ids
        gone = self._lacking(named, assignment_id, before)
        for memory_id in gone:
            self._miss(event, memory_id)
            if assignment_id is not None:
                self._unmade.add((assignment_id, memory_id))
        if not gone:
            return event
        match event:
            case MemoriesUsed():
                kept: dict[str, Any] = {"uses": tuple(use for use in event.uses if use.memory_id not in gone)}
            case LearningsExtracted():
                kept = {
                    "repetitions": tuple(
                        repetition for repetition in event.repetitions if repetition.memory_id not in gone
                    )
                }
            case MemoriesReviewed():
                kept = {"memory_ids": tuple(memory_id for memory_id in event.memory_ids if memory_id not in gone)}
        return event.model_copy(update=kept)

    def _lacking(self, memory_ids: Iterable[UUID], assignment_id: UUID | None, before: Mind) -> tuple[UUID, ...]:
        """Return the memories that are active in the recorded mind, archived in the other mind, and not retrieved from
        the other mind's archive.
        """
        reached = self._reached.get(assignment_id, frozenset()) if assignment_id else frozenset()
        return tuple(
            memory.memory_id
            for memory in self.other.find(memory_ids)
            if memory.status == "archived"
            and before.memories[memory.memory_id].status == "active"
            and memory.memory_id not in reached
        )

    def _miss(self, event: AnyAgentEvent, memory_id: UUID) -> None:
        self.missed.append(
            Missed(
                sequence=event.sequence or 0, at=event.at, kind=event.kind, task_id=event.thread, memory_id=memory_id
            )
        )


def _rules(mind: Mind) -> Policy:
    return mind.agent.rules if mind.agent else Policy()

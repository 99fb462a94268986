"""The kinds of events that change an agent are known, so that a cached agent is read again only after one of them."""

from typing import get_args

import pytest

from nemuri_contracts.agents import AgentDefined
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.event import Event
from nemuri_contracts.strength import MemoryEncoded, SessionEnded
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import AGENT_EVENTS, evolve
from nemuri_infra.projections.agent_cache import RULE_KINDS
from tests.contracts.examples import EXAMPLES, MEMORY, OTHER
from tests.unit.domain.strength.stories import BEGINNING

FOLDED = [each for each in EXAMPLES.values() if type(each) in get_args(AnyAgentEvent)]
"""The examples of all events that the fold of a mind takes."""


def logged(event: Event, sequence: int, **changes: object) -> AnyAgentEvent:
    """Return an example as it is read from the log."""
    read: AnyAgentEvent = event.model_copy(  # type: ignore[assignment]
        update={"sequence": sequence, "recorded_at": BEGINNING, **changes}
    )
    return read


def mind_of(memory: str) -> Mind:
    """Return the mind of the examples' agent, with one kind of memory and the memories that the examples name."""
    example = EXAMPLES[AgentDefined.kind_of()]
    assert isinstance(example, AgentDefined)
    bare = {} if memory == "strength" else {"perspectives": (), "principles": ()}
    definition = example.definition.model_copy(update={"memory": memory, **bare})
    mind = evolve(Mind(), logged(example, 1, definition=definition))
    encoded = EXAMPLES[MemoryEncoded.kind_of()]
    for each in (OTHER, MEMORY):
        mind = evolve(mind, logged(encoded, len(mind.memories) + 2, event_id=each, absorbs=()))
    mind = evolve(mind, logged(EXAMPLES[SessionEnded.kind_of()], 4))
    assert mind.agent is not None
    assert memory != "strength" or (mind.agent.awake and {MEMORY, OTHER} <= set(mind.memories))
    return mind


@pytest.mark.parametrize("memory", ["strength", "affective", "tiered"])
def test_other_events_leave_the_agent_as_it_is(memory: str) -> None:
    """An event whose kind is not among `AGENT_EVENTS` changes nothing of the agent, whatever its kind of memory."""
    mind, others = mind_of(memory), [event for event in FOLDED if type(event) not in AGENT_EVENTS]
    assert others
    assert [event.kind for event in others if evolve(mind, logged(event, 5)).agent != mind.agent] == []


@pytest.mark.parametrize("memory", ["strength", "affective", "tiered"])
def test_other_events_leave_the_rules_as_they_are(memory: str, subtests: pytest.Subtests) -> None:
    """An event whose kind is not among `RULE_KINDS` changes neither definition nor embedding nor policy in force."""
    before = mind_of(memory).agent
    assert before is not None
    rules = (before.definition, before.embedding, before.rules)
    for event in (event for event in FOLDED if event.kind not in RULE_KINDS):
        with subtests.test(event.kind):
            after = evolve(mind_of(memory), logged(event, 5)).agent
            assert after is not None
            assert (after.definition, after.embedding, after.rules) == rules

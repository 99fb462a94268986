"""Principles last as long as the agent's definition names them."""

from uuid import uuid4

import pytest

from nemuri_contracts.agents import AgentDefined, ScopedPrinciple
from nemuri_contracts.client_events import MemoryContent, Scope, Setting
from nemuri_contracts.event import derive
from nemuri_contracts.strength import MemoryEncoded
from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import is_principle
from nemuri_domain.strength.memory_content import principle_key
from nemuri_domain.strength.offer_validation import PRINCIPLE, RESERVED, refusal_reason
from nemuri_domain.strength.ranking import RelevantMemory, RetrievalContext, features, valid_principles
from tests.unit.domain.strength.facts import status
from tests.unit.domain.strength.stories import (
    AGENT,
    BEGINNING,
    Story,
    defined,
    encoded,
    ended,
    given,
    night,
    ruled,
    tiredness,
)

TEXT = "Never pay twice."
KEPT = derive(principle_key(AGENT, TEXT), MemoryEncoded.kind_of())
STEEP = {"daily_decay_targets": [0.5] * 6, "expected_tasks_per_day": 1}
"""Half of everything is forgotten with each session."""


def naming(*principles: str | ScopedPrinciple) -> AgentDefined:
    """The agent with these principles."""
    event = defined()
    definition = event.definition.model_copy(update={"principles": principles})
    return event.model_copy(update={"definition": definition, "event_id": uuid4()})


def written(strength: float = 0.3) -> MemoryEncoded:
    """The principle becomes a memory."""
    event = encoded(KEPT, strength=strength)
    memory = event.memory.model_copy(update={"content": TEXT, "tags": (PRINCIPLE,)})
    return event.model_copy(update={"memory": memory, "source": "definition"})


def counts(story: Story) -> bool:
    """Whether the memory is a principle now."""
    return is_principle(story.agent.definition, story.mind.contents[KEPT])


def test_a_principle_is_one_while_the_definition_names_it() -> None:
    """Taken out, it is an ordinary memory, and fades as one; ranking knows too."""
    story = given(*ruled(**STEEP), naming(TEXT), written())
    occasion = RetrievalContext(None, frozenset(), BEGINNING)
    for present, held in ((story, 1.0), (story.when(naming()), 0.0)):
        found = RelevantMemory(present.mind.contents[KEPT], present.mind.memories[KEPT], 0.5, 0.5, 0.5)
        assert counts(present) == bool(held)
        assert features(present.agent, found, occasion)[7] == held

    story.when(*night(1), *night(2), *night(3)).then(status(KEPT).equals("active"))
    story.when(naming(), *night(1), *night(2), *night(3)).then(status(KEPT).equals("archived"))


def test_a_principle_that_is_defined_again_is_one_again() -> None:
    """Also out of the archive, into which it faded in the meantime."""
    story = given(*ruled(**STEEP), naming(TEXT), written(), naming(), *night(1), *night(2), *night(3))
    story = story.when(naming("Be brief.", TEXT)).then(status(KEPT).equals("active"))
    assert counts(story)
    story.when(*night(4), *night(5), *night(6), *night(7)).then(status(KEPT).equals("active"))


def test_a_sleep_that_saw_it_dropped_does_not_archive_a_principle() -> None:
    """It was defined again between the sleep's decision and its place in the log."""
    story = given(*ruled(**STEEP), naming(TEXT), written(0.15), naming(), ended(1))
    decided = sleep.decide(ended(1), tiredness(story.mind))
    assert decided is not None
    assert [each.memory_id for each in decided.archived] == [KEPT]
    story.when(naming(TEXT), decided).then(status(KEPT).equals("active"))


def test_the_same_text_elsewhere_is_another_principle() -> None:
    """Where a principle holds is part of what it is: here it is always in mind, there it is an ordinary memory."""
    bank, shop = Scope(level="project", name="bank"), Scope(level="project", name="shop")
    event = written()
    told = event.model_copy(update={"memory": event.memory.model_copy(update={"scope": bank})})
    story = given(naming(ScopedPrinciple(text=TEXT, scope=bank)), told)
    known = (story.mind.contents[KEPT], story.mind.memories[KEPT])
    assert valid_principles(story.agent.definition, [known], Setting(project="bank")) == (known,)
    assert valid_principles(story.agent.definition, [known], Setting(project="shop")) == ()
    assert not counts(story.when(naming(TEXT)))
    assert not counts(story.when(naming(ScopedPrinciple(text=TEXT, scope=shop))))


def test_a_plain_principle_keeps_its_id() -> None:
    """As it always was derived; with a scope it is another one, which no text alone can be."""
    assert principle_key("a", TEXT) == f"a/{TEXT}"
    scopes = [Scope(level=level, name=name) for level in ("project", "domain") for name in ("bank", "shop")]
    keys = {principle_key("a", TEXT, scope) for scope in (Scope(), *scopes)}
    assert len(keys) == 5
    assert all("\0" in each for each in keys - {principle_key("a", TEXT)})


@pytest.mark.parametrize("source", ["manual", "task", "education"])
def test_only_a_definition_makes_principles(source: str) -> None:
    """What was put in, learned or read is none, whatever its tag, be it the very text of a principle."""
    told = written().model_copy(update={"source": source})
    story = given(naming(TEXT), told)
    assert not counts(story)


@pytest.mark.parametrize("tag", ["principle", "Principle", " PRINCIPLE "])
def test_nobody_takes_in_a_principle_from_a_client(tag: str) -> None:
    """The tag is refused, so that nobody believes that it meant something."""
    assert refusal_reason(MemoryContent(content=TEXT, tags=("money", tag))) == RESERVED
    assert refusal_reason(MemoryContent(content=TEXT, tags=("principles",))) is None

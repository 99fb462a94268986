"""A memory is a principle as long as the agent's definition names it."""

from uuid import uuid4

import pytest

from nemuri_contracts.agents import AgentDefined, Definition, ScopedPrinciple
from nemuri_contracts.client_events import MemoryContent, Scope, Setting
from nemuri_contracts.event import derive
from nemuri_contracts.strength import MemoryEncoded
from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import is_principle
from nemuri_domain.strength.context_principles import left_out, principle_places, valid_principles
from nemuri_domain.strength.memory_content import principle_key
from nemuri_domain.strength.offer_validation import PRINCIPLE, RESERVED, refusal_reason
from nemuri_domain.strength.principles import principle_memory_id
from nemuri_domain.strength.ranking import RetrievalContext, features
from tests.unit.domain.strength.facts import status
from tests.unit.domain.strength.searches import relevant_memory
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
    sleep_input,
)

TEXT = "Never pay twice."
KEPT = derive(principle_key(AGENT, TEXT), MemoryEncoded.kind_of())
STEEP = {"daily_decay_targets": [0.5] * 6, "expected_tasks_per_day": 1}
"""A policy under which each session halves all strengths."""


def naming(*principles: str | ScopedPrinciple) -> AgentDefined:
    """Return the event that defines the agent with these principles."""
    event = defined()
    definition = event.definition.model_copy(update={"principles": principles})
    return event.model_copy(update={"definition": definition, "event_id": uuid4()})


def written(strength: float = 0.3) -> MemoryEncoded:
    """Return the event that encodes the principle's memory."""
    event = encoded(KEPT, strength=strength)
    memory = event.memory.model_copy(update={"content": TEXT, "tags": (PRINCIPLE,)})
    return event.model_copy(update={"memory": memory, "source": "definition"})


def counts(story: Story) -> bool:
    """Return True if the memory is a principle at the end of the story."""
    return is_principle(story.agent.definition, story.mind.contents[KEPT])


def test_a_memory_is_a_principle_while_the_definition_names_it() -> None:
    """A memory is a principle while the definition names it. Afterwards it decays and ranks as an ordinary memory."""
    story = given(*ruled(**STEEP), naming(TEXT), written())
    occasion = RetrievalContext(None, frozenset(), BEGINNING)
    for present, held in ((story, 1.0), (story.when(naming()), 0.0)):
        found = relevant_memory(present.mind.contents[KEPT], present.mind.memories[KEPT], 0.5)
        assert counts(present) == bool(held)
        assert features(present.agent, found, occasion)[7] == held

    story.when(*night(1), *night(2), *night(3)).then(status(KEPT).equals("active"))
    story.when(naming(), *night(1), *night(2), *night(3)).then(status(KEPT).equals("archived"))


def test_a_principle_that_is_named_again_is_one_again() -> None:
    """If a definition names a former principle again, its memory is a principle again and returns from the archive."""
    story = given(*ruled(**STEEP), naming(TEXT), written(), naming(), *night(1), *night(2), *night(3))
    story = story.when(naming("Be brief.", TEXT)).then(status(KEPT).equals("active"))
    assert counts(story)
    story.when(*night(4), *night(5), *night(6), *night(7)).then(status(KEPT).equals("active"))


def test_a_sleep_decided_before_the_renaming_does_not_archive_a_principle() -> None:
    """A sleep does not archive a principle that a definition named again after the sleep was decided."""
    story = given(*ruled(**STEEP), naming(TEXT), written(0.15), naming(), ended(1))
    decided = sleep.decide(ended(1), sleep_input(story.mind))
    assert decided is not None
    assert [each.memory_id for each in decided.archived] == [KEPT]
    story.when(naming(TEXT), decided).then(status(KEPT).equals("active"))


def test_the_same_text_in_another_scope_is_another_principle() -> None:
    """The same text can be a principle in one scope and an ordinary memory in another."""
    bank, shop = Scope(level="project", name="bank"), Scope(level="project", name="shop")
    event = written()
    told = event.model_copy(update={"memory": event.memory.model_copy(update={"scope": bank})})
    story = given(naming(ScopedPrinciple(text=TEXT, scope=bank)), told)
    known = (story.mind.contents[KEPT], story.mind.memories[KEPT])
    assert valid_principles(story.agent.definition, [known], Setting(project="bank")) == (known,)
    assert valid_principles(story.agent.definition, [known], Setting(project="shop")) == ()
    assert not counts(story.when(naming(TEXT)))
    assert not counts(story.when(naming(ScopedPrinciple(text=TEXT, scope=shop))))


def test_a_universal_principle_keeps_its_id() -> None:
    """The id of a universal principle is derived from its text. A scoped principle with the same text has another
    id.
    """
    assert principle_key("a", TEXT) == f"a/{TEXT}"
    scopes = [Scope(level=level, name=name) for level in ("project", "domain") for name in ("bank", "shop")]
    keys = {principle_key("a", TEXT, scope) for scope in (Scope(), *scopes)}
    assert len(keys) == 5
    assert all("\0" in each for each in keys - {principle_key("a", TEXT)})


@pytest.mark.parametrize("source", ["manual", "task", "education"])
def test_only_a_definition_makes_principles(source: str) -> None:
    """A memory that was offered, learned or read is no principle, even with the tag and the text of one."""
    told = written().model_copy(update={"source": source})
    story = given(naming(TEXT), told)
    assert not counts(story)


@pytest.mark.parametrize("tag", ["principle", "Principle", " PRINCIPLE "])
def test_the_principle_tag_of_a_client_is_refused(tag: str) -> None:
    """A client that offers a memory with the tag of a principle gets an error, because the tag would have no effect."""
    assert refusal_reason(MemoryContent(content=TEXT, tags=("money", tag))) == RESERVED
    assert refusal_reason(MemoryContent(content=TEXT, tags=("principles",))) is None


def test_principles_without_a_place_are_named() -> None:
    """Of more principles than a context has room for, those are left out that are not the strongest, and, if the
    organisation has principles, more of them. A principle of a project competes in this project only.
    """
    texts = [f"Rule {number}." for number in range(8)]
    story = given(defined(), naming(*texts))
    places = principle_places(story.agent.rules)
    weakest = sorted(texts, key=lambda text: str(principle_memory_id(AGENT, text)))[places:]
    assert (places, set(left_out(story.agent, {}, None))) == (5, set(weakest))

    strong = principle_memory_id(AGENT, weakest[0])
    event = encoded(strong, strength=2.0)
    known = story.when(event.model_copy(update={"memory": event.memory.model_copy(update={"content": weakest[0]})}))
    memories = {strong: (known.mind.contents[strong], known.memory(strong))}
    found = left_out(known.agent, memories, None)
    assert weakest[0] not in found
    assert len(found) == 3

    organisation = Definition(role="organisation", principles=("A.", "B.", "C.", "D."))
    shared = left_out(story.agent, {}, organisation)
    assert "D." in shared
    assert len(shared) == 12 - places

    narrow = ScopedPrinciple(text="Only here.", scope=Scope(level="project", name="bridge"))
    few = given(defined(), naming(*texts[:4], narrow))
    assert left_out(few.agent, {}, None) == ()

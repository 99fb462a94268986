"""Tests of principles: proposals from repeated corrections, and persons' decisions on them."""

from uuid import UUID

import numpy as np
import pytest

from nemuri_contracts.agents import EVERYWHERE, ORGANISATION
from nemuri_contracts.client_events import MemoryContent, Scope
from nemuri_contracts.erasure import MemoriesErased
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.principles import Decision, PrincipleDecisionGiven, PrincipleProposed
from nemuri_domain.strength.aggregate import Agent, Content
from nemuri_domain.strength.principles import (
    central_text,
    decision,
    decision_refusal,
    principle_memory_id,
    proposal,
    similar_lessons,
)
from tests.unit.domain.strength.stories import AGENT, A, Story, defined, encoded, given

TEXT = "Quote prices of steel in yen."
ASKED = encoded(A)


def lesson(number: int, text: str, *, agent: str = AGENT, scope: Scope = EVERYWHERE) -> Content:
    """Return a lesson from feedback with this number and text."""
    content = given(encoded(A)).mind.contents[A]
    memory = MemoryContent(content=text, scope=scope)
    return content.replace(memory_id=UUID(int=number), agent_id=agent, memory=memory, source="feedback")


LESSONS = [lesson(1, TEXT), lesson(2, "Prices of steel are quoted in yen."), lesson(3, "Quote steel in yen.")]


def state(story: Story) -> Agent:
    """Return the agent of a story."""
    assert story.mind.agent is not None
    return story.mind.agent


def proposed(*lessons: int) -> PrincipleProposed:
    """Return the event of a proposal that rests on these lessons."""
    ids = tuple(UUID(int=each) for each in lessons)
    return PrincipleProposed(
        event_id=UUID(int=900 + lessons[0]), agent_id=AGENT, text=TEXT, lessons=ids, agents=(AGENT,)
    )


def given_decision(
    choice: Decision, number: int | None = 1, by: str = OPERATOR, text: str | None = None
) -> PrincipleDecisionGiven:
    """Return a client's decision on the proposal that begins with this lesson; on an own principle without one."""
    known = None if number is None else UUID(int=900 + number)
    return PrincipleDecisionGiven(
        event_id=UUID(int=77), client_id=by, agent_id=AGENT, decision=choice, principle_id=known, text=text
    )


def test_a_third_similar_correction_proposes_a_principle() -> None:
    """Three similar lessons of one agent give a proposal in the words of the most central one. Two give none."""
    agent = state(given(encoded(A)))

    found = proposal(ASKED, AGENT, agent, similar_lessons(LESSONS[0], LESSONS))

    assert found is not None
    assert (found.text, set(found.lessons), found.agents) == (TEXT, {each.memory_id for each in LESSONS}, (AGENT,))
    assert proposal(ASKED, AGENT, agent, LESSONS[:2]) is None


def test_other_subjects_and_other_scopes_do_not_count() -> None:
    """A lesson about something else, or of another scope, is not similar."""
    others = [lesson(4, "Ann is in Oslo."), lesson(5, TEXT, scope=Scope(level="project", name="bridge"))]

    assert similar_lessons(LESSONS[0], [*LESSONS, *others]) == LESSONS


def test_vectors_find_similar_lessons_in_other_words() -> None:
    """Lessons in other words are similar if vectors of one embedder say so."""
    new, other, elsewhere = (
        lesson(number, text).replace(vector=key)
        for number, text, key in ((1, TEXT, "m.2.a"), (5, "Give amounts as ¥.", "m.2.b"), (6, "Give ¥.", "n.2.c"))
    )
    near, far = np.array([1, 0], np.float32), np.array([0, 1], np.float32)

    assert similar_lessons(new, [other], {"m.2.a": near, "m.2.b": near}) == [new, other]
    assert similar_lessons(new, [other], {"m.2.a": near, "m.2.b": far}) == [new]
    assert similar_lessons(new, [elsewhere], {"m.2.a": near, "n.2.c": near}) == [new]
    assert similar_lessons(new, [other], {"m.2.a": near, "m.2.b": None}) == [new]


def test_the_organisation_needs_corrections_of_several_agents() -> None:
    """A proposal for the organisation needs similar lessons of at least two agents."""
    several = [*LESSONS[:2], lesson(3, TEXT, agent="buyer")]

    assert proposal(ASKED, ORGANISATION, None, LESSONS) is None
    found = proposal(ASKED, ORGANISATION, None, several)
    assert found is not None
    assert (found.agent_id, found.agents) == (ORGANISATION, (AGENT, "buyer"))


@pytest.mark.parametrize("choice", ["adopt", "reject", None])
def test_the_same_corrections_do_not_propose_again(choice: Decision | None) -> None:
    """Lessons that supported a proposal do not support another one, whatever was decided."""
    story = given(encoded(A), proposed(1, 2, 3))
    if choice is not None:
        story = story.when(decision(given_decision(choice), state(story)))

    assert proposal(ASKED, AGENT, state(story), LESSONS) is None
    assert len(state(story.when(proposed(2, 3, 4))).principles) == 1


def test_a_proposal_has_no_effect_until_a_person_adopts_it() -> None:
    """A proposed principle is not in force. An adopted one is, in the person's own words, and a retired one no more."""
    story = given(encoded(A), proposed(1, 2, 3))
    before = state(story).definition.held

    adopted = story.when(decision(given_decision("adopt", text="Prices in yen."), state(story)))
    assert state(adopted).definition.held == (*before, ("Prices in yen.", EVERYWHERE))
    [record] = state(adopted).principles
    assert (record.standing, record.decided_by, len(record.lessons)) == ("adopted", OPERATOR, 3)
    retired = adopted.when(decision(given_decision("retire"), state(adopted)))
    assert state(retired).definition.held == before
    assert [principle.standing for principle in state(retired).principles] == ["retired"]


def test_a_new_definition_keeps_adopted_principles() -> None:
    """An adopted principle survives a new definition. If that lists it, it belongs to the definition from then on."""
    story = given(encoded(A))
    story = story.when(decision(given_decision("adopt", None, text=TEXT), state(story)))

    assert (TEXT, EVERYWHERE) in state(story.when(defined())).definition.held
    event = defined()
    lists = event.definition.model_copy(update={"principles": (TEXT,)})
    listed = story.when(event.model_copy(update={"definition": lists}))
    assert state(listed).definition.held.count((TEXT, EVERYWHERE)) == 1
    assert [principle.standing for principle in state(listed).principles] == ["retired"]


def test_no_definition_gives_the_organisation_principles() -> None:
    """A definition of the organisation that lists principles gives it none: only a person's adoption does."""
    event = defined()
    lists = event.definition.model_copy(update={"principles": (TEXT,)})
    story = given(event.model_copy(update={"agent_id": ORGANISATION, "definition": lists}))

    assert state(story).definition.held == ()
    again = event.model_copy(update={"event_id": UUID(int=79), "agent_id": ORGANISATION, "definition": lists})
    assert state(story.when(again)).definition.held == ()


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (given_decision("adopt", by="ann"), "only an operator"),
        (given_decision("adopt", 2), "has no principle"),
        (given_decision("retire"), "only a principle that is adopted can be retired"),
        (given_decision("adopt", None, text="…"), "no words"),
    ],
)
def test_a_wrong_decision_is_refused(event: PrincipleDecisionGiven, reason: str) -> None:
    """A decision of another client, on an unknown principle, or on one of another standing is refused."""
    agent = state(given(encoded(A), proposed(1, 2, 3)))

    assert reason in str(decision_refusal(event, agent))
    assert decision_refusal(given_decision("adopt"), agent) is None


def test_a_principle_goes_with_its_erased_lessons() -> None:
    """If its id or its memory is erased, a principle is neither recorded nor in force any more."""
    story = given(encoded(A), proposed(1, 2, 3))
    adopted = story.when(decision(given_decision("adopt"), state(story)))
    for gone in (UUID(int=901), principle_memory_id(AGENT, TEXT)):
        erased = adopted.when(MemoriesErased(event_id=UUID(int=78), agent_id=AGENT, memory_ids=(gone,)))
        assert state(erased).principles == ()
        assert state(erased).definition == state(given(encoded(A))).definition


def test_the_central_text_shares_most_words() -> None:
    """The text that shares most words with the others stands for all."""
    assert central_text(["Pay Ann.", "Pay the smith in yen.", "The smith wants yen."]) == "Pay the smith in yen."

"""Tests of admission: the decision to record an experience in short-term memory."""

import pytest

from nemuri_contracts.tiered import Action, Cues, Experience, ExperienceOffered, Nearby, Place, WorkingMemory
from nemuri_domain.tiered.admission import action_experience, admit, cues_and_importance
from nemuri_domain.tiered.policy import TiersPolicy
from tests.unit.domain.tiered.lives import AGENT, BORN, VECTOR, named

RULES = TiersPolicy()


def offered(**more: object) -> ExperienceOffered:
    """Return an experience that a client offers."""
    return ExperienceOffered.model_validate(
        {
            "event_id": named("offered"),
            "agent_id": AGENT,
            "experience": {"type": "conversation", "content": "Lila: could you help me?", "second": 4.0},
            "recorded_at": BORN,
        }
        | more
    )


def test_what_a_client_tells_is_recorded_with_what_its_words_tell() -> None:
    """An experience that a client offers gets cues and importance from its text, if the client gives neither."""
    event = admit(offered(), RULES, VECTOR)

    assert event is not None
    assert (event.cues.request, event.importance, event.experience.second) == (True, 0.7, 4.0)
    assert event.memory_id == event.event_id != offered().event_id


def test_who_knows_better_says_so() -> None:
    """Cues given by the client replace those of the text, and a given importance replaces the computed one."""
    plain = admit(offered(cues={}), RULES, VECTOR)
    rated = admit(offered(importance=0.95), RULES, VECTOR)

    assert plain is not None
    assert plain.importance == 0.5
    assert rated is not None
    assert rated.importance == 0.95


def test_what_does_not_matter_is_not_recorded() -> None:
    """An experience with an importance below 0.2 is not recorded (document 004 §4.3). Only a client can give such an
    importance.
    """
    assert admit(offered(importance=0.19), RULES, VECTOR) is None
    assert admit(offered(importance=0.2), RULES, VECTOR) is not None


@pytest.mark.parametrize(("failed", "expected"), [(False, 0.6), (True, 0.8)])
def test_a_completed_action_becomes_an_experience(failed: bool, expected: float) -> None:
    """A completed action becomes an experience with place, time and nearby agents. It is related to goals that share
    its words.
    """
    working = WorkingMemory(
        agent_id="noah",
        second=60.0,
        location=Place(x=1, y=2),
        current_action=Action(type="mining", target="iron ore"),
        nearby_agents=(Nearby(id="lila", name="Lila", distance=3),),
        active_goals=("smelt iron",),
    )

    done = action_experience(working, "two pieces", failed=failed)

    assert done is not None
    experience, cues = done
    assert (experience.content, experience.second) == ("mining iron ore: two pieces", 60.0)
    assert experience.participants == ("noah", "Lila")
    assert cues_and_importance(experience, cues)[1] == pytest.approx(expected)
    assert action_experience(working.updated(current_action=None), "nothing", failed=False) is None


def test_an_experience_of_no_words_is_none() -> None:
    """An experience without words is refused."""
    with pytest.raises(ValueError, match="content"):
        Experience(type="action", content="")
    assert Cues() == Cues(emotion=0.0)

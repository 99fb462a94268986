"""Tests of what is given about the people of a society before it begins."""

import pytest
from pydantic import ValidationError

from nemuri_society.contracts.residents import Intervention, Probe, Resident, Spot
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.initial_state import first_memories, initial_sections

MIA = Resident(
    id="v-1",
    name="Mia",
    age=0,
    role="baker",
    traits=("patient",),
    goals=("open a second bakery",),
    relations={"Tom": "your brother"},
    home="market",
    memories=("I baked my first loaf.", "Tom left for the sea."),
    profile={"stance": "for"},
)
TOM = Resident(id="v-2", name="Tom")
VILLAGE = Society(
    name="v",
    seed=1,
    agents=(MIA, TOM),
    about="A village by the sea.",
    laws=("Nobody takes bread without paying.",),
    places={"market": Spot(x=10, z=20)},
    groups={"family": ("Mia", "Tom"), "sailors": ("Tom",)},
)


def test_an_agent_begins_with_all_that_is_given_about_it() -> None:
    """The first profile has the resident's own fields and what everybody in the society knows."""
    sections = initial_sections(VILLAGE, MIA)
    assert sections["profile"] == {
        "name": "Mia",
        "age": 0,
        "role": "baker",
        "traits": ["patient"],
        "goals": ["open a second bakery"],
        "relations": {"Tom": "your brother"},
        "home": "market",
        "groups": ["family"],
        "about": "A village by the sea.",
        "laws": ["Nobody takes bread without paying."],
        "places": {"market": [10, 20]},
        "stance": "for",
    }
    assert sections["social_model"]["Tom"] == {"sentiment": 5.0, "relationship": "your brother", "last_interaction": -1}
    assert "social_model" not in initial_sections(VILLAGE, TOM)


def test_first_memories_are_recorded_once_and_in_order() -> None:
    """Equal residents give equal events, so a repeated creation records nothing twice."""
    events = list(first_memories(MIA))
    assert [event.experience.content for event in events] == [*MIA.memories]
    assert [event.event_id for event in first_memories(MIA)] == [event.event_id for event in events]
    assert {event.agent_id for event in events} == {"v-1"}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"agents": (MIA.model_copy(update={"relations": {"Bo": "x"}}), TOM)},
            "people.0.relations.Bo: no",
        ),
        ({"agents": (MIA.model_copy(update={"home": "mill"}), TOM)}, "people.0.home: there is no place 'mill'"),
        ({"groups": {"g": ("Bo",)}}, "groups.g: no resident is called 'Bo'"),
        ({"probes": (Probe(at=1, question="How?", who=("Bo",)),)}, "probes.0.who: no resident or group"),
        ({"interventions": (Intervention(at=1, law="No", who=("Bo",)),)}, "interventions.0.who"),
        ({"places": {"market": Spot(x=10, z=300)}}, "places.market: it is outside the world"),
    ],
)
def test_names_that_refer_to_nothing_are_refused(changes: dict[str, object], line: str) -> None:
    """The error names the path and the name."""
    given = {name: getattr(VILLAGE, name) for name in Society.model_fields} | changes
    with pytest.raises(ValidationError, match=line):
        Society(**given)


def test_an_intervention_is_exactly_one_change() -> None:
    """An intervention without a change, or with two, is refused."""
    for given in ({}, {"belief": "a", "event": "b"}):
        with pytest.raises(ValidationError, match="exactly one of belief, event and law"):
            Intervention(at=1, **given)


def test_names_stand_for_residents_once() -> None:
    """Names of residents and groups give each resident once, in the order of the society."""
    assert VILLAGE.residents_of(("sailors", "Mia", "family")) == (MIA, TOM)
    assert VILLAGE.residents_of("all") == (MIA, TOM)

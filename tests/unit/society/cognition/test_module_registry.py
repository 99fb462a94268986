"""Tests of the registry of the nine modules."""

from typing import Any

import pytest

from nemuri_society.cognition.degraded_mode import suspended_modules
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.module import Ask, Rank
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.cognition.state_sections import SECTIONS
from tests.unit.society.cognition.modules import Counting, Made
from tests.unit.society.cognition.states import Knowing

NINE = {each.spec.name: each.spec for each in build_modules(NoMemories())}
WITHOUT_MODEL = {"action_awareness", "skill_execution", "memory_recall"}


FULL: dict[str, dict[str, Any]] = {
    "percepts": {"position": {"x": 0, "y": 64, "z": 0}, "hurt_at": 1.0, "agents": [{"id": "bea", "name": "Bea"}]},
    "conversations": {"entries": [{"speaker": "bea", "text": "Hi ada", "second": 1.0}]},
    "decision": {"id": "d1", "priority_action": "collect wood", "speech_directive": "greet bea", "at": 0.0},
    "action_history": {"entries": [{"id": "a", "text": "x", "outcome": {"done": False, "reason": "no"}}]},
}


def test_the_modules_have_the_speeds_and_intervals_of_the_document() -> None:
    """The modules have the speeds of document 002 §1.3 and the intervals of §3.3."""
    assert {name: (spec.speed, spec.interval) for name, spec in NINE.items()} == {
        "action_awareness": ("fast", 0.05),
        "skill_execution": ("fast", 0.05),
        "talking": ("fast", 0.1),
        "cognitive_controller": ("mid", 1.0),
        "memory_recall": ("mid", 0.2),
        "social_awareness": ("selective", 1.0),
        "goal_generation": ("slow", 5.0),
        "planning": ("slow", 5.0),
        "self_reflection": ("slow", 10.0),
    }


@pytest.mark.parametrize(
    ("name", "reads", "writes"),
    [
        ("action_awareness", {"action_history", "percepts"}, {"action_corrections"}),
        ("skill_execution", {"decision", "plans"}, {"pending_acts", "action_history"}),
        ("talking", {"decision", "social_model", "conversations"}, {"pending_speech"}),
        ("cognitive_controller", {"action_corrections", "goals", "plans", "social_model", "reflections"}, {"decision"}),
        ("memory_recall", {"percepts", "conversations", "action_history"}, {"memory_recall", "working_memory"}),
        ("goal_generation", {"social_model", "percepts"}, {"goals", "goal_graph"}),
        ("planning", {"goals", "percepts"}, {"plans"}),
        ("social_awareness", {"conversations", "percepts"}, {"social_model"}),
        ("self_reflection", {"action_history", "goals"}, {"reflections"}),
    ],
)
def test_the_modules_read_and_write_the_sections_of_the_document(name: str, reads: set[str], writes: set[str]) -> None:
    """Each module reads and writes the sections that document 002 §1.3 lists.

    Every section has one writer, except action history and working memory.
    """
    assert reads <= NINE[name].reads
    assert writes <= NINE[name].writes
    for section in writes - {"action_history", "working_memory"}:
        assert [each for each, spec in NINE.items() if section in spec.writes] == [name]


def test_a_module_reads_the_sections_that_it_writes() -> None:
    """A module reads every section that it writes, so that it sees changes of others."""
    for spec in NINE.values():
        assert spec.writes <= spec.reads, spec.name


def test_modules_without_a_model_never_make_a_request() -> None:
    """Modules without a model never make a request, whatever the sections contain. All other modules have a rank."""
    assert {name for name, spec in NINE.items() if spec.rank is None} == WITHOUT_MODEL
    asking = set()
    for module in build_modules(NoMemories()):
        state = SharedState.of("ada", FULL, 1.0)
        if isinstance(module.process(state.snapshot(module.spec.reads, 1.0)), Ask):
            asking.add(module.spec.name)
    assert {"cognitive_controller", "talking", "goal_generation"} <= asking
    assert not asking & WITHOUT_MODEL


def test_a_module_retrieves_memories_under_its_own_name() -> None:
    """A module that asks a model retrieves memories under its own name, as document 004 §4.6.3 assigns them."""
    knowing, asking = Knowing(), set()
    more: dict[str, dict[str, Any]] = {
        "goals": {"active": [{"id": "g1", "description": "make a table"}]},
        "plans": {"description": "x"},
    }
    sections = FULL | more | {"action_history": {"entries": [_act(number) for number in range(5)]}}
    for module in build_modules(knowing):
        for without in ([], ["goals"]):
            state = SharedState.of("ada", {each: sections[each] for each in sections.keys() - set(without)}, 1.0)
            found = module.process(state.snapshot(module.spec.reads, 1.0))
            if isinstance(found, Ask) and module.spec.name != "cognitive_controller":
                asking.add(module.spec.name)
                assert "iron is in the caves" in found.prompt.user
    assert asking == {"talking", "goal_generation", "planning", "social_awareness", "self_reflection"}
    assert {module for _, module in knowing.asked} == asking | {"cognitive_controller"}


def _act(number: int) -> dict[str, Any]:
    return {"id": f"a{number}", "text": "collect iron", "outcome": {"done": True, "second": 1.0}}


def test_the_controller_has_the_first_rank() -> None:
    """The order of ranks is: the controller, talking, social awareness, planning and goals, reflection."""
    ranks = {name: spec.rank for name, spec in NINE.items() if spec.rank is not None}
    assert ranks == {
        "cognitive_controller": Rank.CONTROLLER,
        "talking": Rank.TALKING,
        "social_awareness": Rank.SOCIAL,
        "planning": Rank.PLANNING,
        "goal_generation": Rank.PLANNING,
        "self_reflection": Rank.REFLECTION,
    }


def test_modules_can_be_left_out_and_added() -> None:
    """Modules can be left out and added. Unknown names, and two modules of one name, are refused."""
    more = Made(Counting(), name="weather")
    names = [module.spec.name for module in build_modules(NoMemories(), without={"social_awareness"}, plugins=[more])]
    assert len(names) == 9
    assert "weather" in names
    assert "social_awareness" not in names
    with pytest.raises(ValueError, match="duplicate module: planning"):
        build_modules(NoMemories(), plugins=[Made(Counting(), name="planning")])
    with pytest.raises(ValueError, match="unknown module: magic"):
        build_modules(NoMemories(), without={"magic"})


def test_modules_suspended_while_providers_fail() -> None:
    """Planning and goal generation are suspended if any provider fails, and social awareness too if all providers
    fail.
    """
    assert suspended_modules("ok") == frozenset()
    assert suspended_modules("failing") == {"goal_generation", "planning"}
    assert suspended_modules("down") == {"goal_generation", "planning", "social_awareness"}
    assert all(name in NINE for name in suspended_modules("down"))


def test_every_section_of_a_module_is_in_the_table() -> None:
    """The table of sections contains every section that a module reads or writes."""
    assert all(spec.reads | spec.writes <= SECTIONS.keys() for spec in NINE.values())

"""Tests of the module Memory: working memory, retrieval, and experiences, each of which is recorded once."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from nemuri_contracts.tiered import Cues, Experience, WorkingMemory
from nemuri_domain.tiered.importance import importance
from nemuri_society.cognition.engine import Engine
from nemuri_society.cognition.experience_recording import CONVERSATION_PART, GATHERING_SECONDS
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.modules.memory_recall import CALM_PAUSE, MemoryRecall
from nemuri_society.cognition.percept_updates import HARMLESS
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.cognition.situation_detection import CONVERSATION_SECONDS
from nemuri_society.cognition.state_sections import newest_entries
from tests.unit.society.cognition.states import Knowing, held, made, state_of

BEA = {"id": "bea", "name": "Bea", "distance": 3.0, "activity": "walking"}
HERE: dict[str, Any] = {"position": {"x": 1, "y": 64, "z": 2}, "biome": "forest", "health": 18, "hunger": 15}


def test_working_memory_has_the_form_of_the_document() -> None:
    """Working memory describes the present situation in the form of document 004."""
    act = {"id": "a", "text": "collect iron", "second": 4.0, "expected": {"gain": {"iron": 1}}}
    state = state_of(
        5.0,
        percepts=HERE | {"inventory": {"bread": 3}, "agents": [BEA], "blocks": [{"block": "furnace"}]},
        goals={"active": [{"id": "g", "description": "smelt iron", "priority": 0.5}]},
        decision={"id": "d1", "high_level_intent": "go on mining", "priority_action": "collect iron"},
        action_history={"entries": [act]},
    )
    made(MemoryRecall(NoMemories()), state, 5.0)
    found = WorkingMemory.model_validate(held(state)["working_memory"])
    assert found.location is not None
    assert (found.location.x, found.location.biome, found.location.nearby_structures) == (1, "forest", ("furnace",))
    assert (found.inventory_summary, found.active_goals) == ("bread x3", ("smelt iron",))
    assert [agent.id for agent in found.nearby_agents] == ["bea"]
    assert found.current_action is not None
    assert (found.current_action.type, found.current_action.expected_result) == ("collect", "iron x1")
    assert found.cc_broadcast == "go on mining. collect iron"


def test_wounds_and_failures_lower_valence_and_raise_arousal() -> None:
    """Wounds and failures lower the valence and raise the arousal in working memory."""
    calm = state_of(0.0, percepts=HERE | {"health": 20, "hunger": 20})
    bad = state_of(0.0, percepts=HERE | {"health": 4, "hurt_at": 0.0})
    module = MemoryRecall(NoMemories())
    feelings = []
    for state in (calm, bad):
        made(module, state, 1.0)
        feelings.append(held(state)["working_memory"]["emotional_state"])
    assert feelings[0]["valence"] > 0 > feelings[1]["valence"]
    assert feelings[0]["arousal"] < feelings[1]["arousal"]


def test_memories_are_retrieved_for_a_new_situation() -> None:
    """A new situation causes a retrieval at once. An unchanged situation causes another one after half a minute."""
    knowing = Knowing()
    module, state = MemoryRecall(knowing), state_of(0.0, percepts=HERE | {"agents": [BEA]})
    made(module, state, 1.0)
    made(module, state, 2.0)
    assert knowing.asked == [("Bea", "cognitive_controller")]
    assert held(state)["memory_recall"]["found"][0]["content"] == "iron is in the caves"
    state.put({"conversations": {"entries": [{"speaker": "bea", "text": "Where is iron?", "second": 3.0}]}}, 3.0)
    made(module, state, 3.0)
    made(module, state, 20.0)
    made(module, state, 34.0)
    assert [query for query, _ in knowing.asked] == ["Bea", "Where is iron?. Bea", "Where is iron?. Bea"]


def test_the_first_words_after_a_silence_are_retrieved_for_at_once() -> None:
    """The first words after a silence cause a retrieval at once.

    Further words, and other agents that pass by, change the query often, so they cause one only after a short wait.
    """
    knowing, said = Knowing(), list[JsonValue]()
    module, state = MemoryRecall(knowing), state_of(0.0, percepts=HERE | {"agents": [BEA]})
    made(module, state, 1.0)
    other: JsonValue = {"id": "cy", "name": "Cy", "distance": 3.0}
    state.put({"percepts": {"agents": [other]}}, 2.0)
    made(module, state, 2.0)
    for second in (3.0, 4.0, 5.0):
        said = [*said, {"speaker": "cy", "text": f"word {second:.0f}", "second": second}]
        state.put({"conversations": {"entries": said}}, second)
        made(module, state, second)
    made(module, state, 8.5)
    assert [query for query, _ in knowing.asked] == ["Bea", "word 3. Cy", "word 4. word 5. Cy"]


def test_an_event_becomes_an_experience_with_cues() -> None:
    """An event becomes an experience with cues, in the form of the contract and with the importance that its rules
    give.
    """
    lost = {
        "id": "a1",
        "text": "collect iron",
        "act": {"action": "collect"},
        "outcome": {"done": False, "reason": "no"},
    }
    state = state_of(
        1.0,
        short_term_memory={"met": {"names": ["Cy"], "second": 0.5}},
        percepts=HERE | {"agents": [BEA], "hurt_at": 1.0},
        goals={"active": [{"id": "g", "description": "collect iron", "priority": 0.5}]},
        conversations={"entries": [{"speaker": "bea", "text": "Please help me!", "second": 1.0}]},
        action_history={"entries": [lost]},
    )
    made(MemoryRecall(NoMemories()), state, 1.5 + CONVERSATION_SECONDS)
    found = held(state)["experiences"]["memory_recall"]
    weights = {}
    for each in found:
        cues = Cues.model_validate(each.pop("cues"))
        told = Experience.model_validate(each)
        weights[told.content] = importance(told.type, cues)
    assert weights == {
        "bea said: Please help me!": 0.8,
        "collect iron: failed, no": 0.8,
        "I saw Cy and Bea for the first time": 0.5,
        "I was hurt": 0.6,
    }


def test_a_conversation_is_recorded_once_when_it_ends_or_is_long() -> None:
    """A conversation is recorded once when it ends. A long one is recorded earlier, up to that point (document 004
    §4.3).
    """
    said: list[JsonValue] = [
        {"speaker": ("bea", "ada")[nth % 2], "text": f"word {nth}", "second": float(nth)}
        for nth in range(CONVERSATION_PART + 2)
    ]
    module, state, told = MemoryRecall(NoMemories()), state_of(0.0, percepts=HERE), list[list[str]]()
    for second, heard in (
        (1.0, 2),
        (CONVERSATION_PART - 1.0, CONVERSATION_PART - 1),
        (CONVERSATION_PART + 1.0, CONVERSATION_PART + 2),
        (CONVERSATION_PART + 2.0 + CONVERSATION_SECONDS, CONVERSATION_PART + 2),
    ):
        state.put({"conversations": {"entries": said[:heard]}}, second)
        made(module, state, second)
        found = held(state).get("experiences", {}).get("memory_recall", [])
        told.append([each["content"] for each in found])
    assert [len(each) for each in told] == [0, 0, 1, 2]
    first, rest = (each.split("\n") for each in told[-1])
    assert (len(first), rest) == (
        CONVERSATION_PART,
        [f"bea said: word {CONVERSATION_PART}", f"I said: word {CONVERSATION_PART + 1}"],
    )


def test_walking_and_actions_ended_by_the_agent_are_not_recorded() -> None:
    """Walking, and actions that the agent itself ended, do not become experiences."""
    acts = [{"id": "a1", "text": "go", "act": {"action": "go"}, "outcome": {"done": True}}]
    acts += [{"id": each, "act": {"action": "eat"}, "outcome": {"done": False, "reason": each}} for each in HARMLESS]
    state = state_of(0.0, percepts=HERE, action_history={"entries": acts})
    made(MemoryRecall(NoMemories()), state, 1.0)
    assert "experiences" not in held(state)


def test_equal_acts_in_a_row_and_people_met_at_a_time_are_one_experience() -> None:
    """Equal acts in a row become one experience with their number, and so do agents that are met at a time."""
    acts: list[JsonValue] = [
        {"id": f"a{nth}", "text": text, "act": {"action": "collect"}, "outcome": {"done": True, "second": 1.0 + nth}}
        for nth, text in enumerate(["collect tree"] * 3 + ["collect sand"])
    ]
    state = state_of(0.0, percepts=HERE | {"agents": [BEA]}, action_history={"entries": acts})
    module = MemoryRecall(NoMemories())
    made(module, state, 5.0)
    cy: dict[str, Any] = {"id": "cy", "name": "Cy", "distance": 3.0}
    state.put({"percepts": {"agents": [dict[str, Any](BEA), cy]}}, 8.0)
    made(module, state, 8.0)
    made(module, state, 8.0 + GATHERING_SECONDS)
    found = [each["content"] for each in held(state)["experiences"]["memory_recall"]]
    assert found == ["collect tree: done (3 times)", "collect sand: done", "I saw Bea and Cy for the first time"]


def test_a_gift_becomes_an_experience_as_important_as_words() -> None:
    """A gift becomes an experience with the giver's name, once."""
    deed: JsonValue = {"deed": "gave", "by": "Bea", "stack": {"item": "wood", "count": 2}, "want": None, "second": 1.0}
    state = state_of(0.0, percepts=HERE, deeds={"entries": [deed]})
    module = MemoryRecall(NoMemories())
    made(module, state, 2.0)
    made(module, state, 3.0)
    (found,) = held(state)["experiences"]["memory_recall"]
    assert (found["content"], found["type"], found["participants"]) == (
        "Bea gave me 2 wood",
        "conversation",
        ["ada", "Bea"],
    )


happenings = st.lists(st.sampled_from(["hear", "speak", "end", "see", "run", "take"]), max_size=30)


@settings(max_examples=60)
@given(happenings)
def test_every_event_is_recorded_exactly_once(drawn: list[str]) -> None:
    """Every event is recorded exactly once, in whatever order modules run and hosts change."""
    engine = Engine([MemoryRecall(NoMemories())], 0.0, seed=1)
    engine.add(SharedState("ada"), 0.0)
    happened, remembered, heard = list[str](), list[str](), list[Any]()
    now = 0.0

    def take() -> None:
        for experience in engine.take("ada", now).experiences:
            met = experience["participants"][1:] if "for the first time" in experience["content"] else None
            remembered.extend(met or experience["content"].split("\n"))

    for number, step in enumerate([*drawn, "silence", "see", "silence", "move", "take"]):
        now += CONVERSATION_SECONDS if step == "silence" else CALM_PAUSE
        match step:
            case "hear" | "speak":
                speaker = "bea" if step == "hear" else "ada"
                heard = newest_entries(
                    "conversations", [*heard, {"speaker": speaker, "text": f"word {number}", "second": now}]
                )
                engine.put("ada", {"conversations": {"entries": heard}}, now)
                happened.append(f"{'I' if speaker == 'ada' else speaker} said: word {number}")
            case "end":
                entries = held(engine.states["ada"]).get("action_history", {}).get("entries", [])
                act: dict[str, Any] = {
                    "id": f"a{number}",
                    "text": f"eat {number}",
                    "outcome": {"done": True, "second": now},
                }
                engine.put(
                    "ada", {"action_history": {"entries": newest_entries("action_history", [*entries, act])}}, now
                )
                happened.append(f"eat {number}: done")
            case "see":
                seen = {"id": f"b{number}", "name": f"B{number}", "distance": 1.0}
                engine.put("ada", {"percepts": HERE | {"agents": [seen]}}, now)
                list(engine.run(now))
                happened.append(f"B{number}")
            case "move":
                engine.put("ada", {"percepts": HERE | {"agents": []}}, now)
                list(engine.run(now))
            case "run":
                list(engine.run(now))
            case "take":
                take()
    assert sorted(remembered) == sorted(happened)

"""A stand-in for a model that plays from the text of its prompts alone, and what the parts of the prompts are worth."""

import json
import re

import pytest
from bench.lived_society import LivedSociety
from bench.prompt_player import PARTS, PromptPlayer

from tests.integration.society.wire_model import WireModel

SECONDS = 120.0
NAMES = ("Akira", "Bea", "Cai", "Dana", "Emil")


def _items(without: tuple[str, ...]) -> float:
    """Return the mean number of different items that an agent has held after two minutes, over the wire format."""
    with WireModel.serving(PromptPlayer(without).answer) as model:
        society = LivedSociety(model, {name: {} for name in NAMES}, seed=1)
        society.simulation.run(SECONDS)
    return sum(len(society.world.unique_items(agent)) for agent in society.world.agents) / len(NAMES)


@pytest.mark.long
def test_a_player_does_worse_without_a_part_of_its_prompts() -> None:
    """With the whole prompt a player makes tools within two minutes. Without its recipes, its failures or its
    surroundings it reaches less than half as many different items.
    """
    whole = _items(())
    assert whole >= 6
    assert {part: less for part in PARTS if (less := _items((part,))) >= whole / 2} == {}


def _giving(system: str, user: str) -> str:
    """Answer as a player. Bea collects wood and gives it to Mina; Cai only greets her; Mina waits."""
    if "Decide what you do now" in system:
        action = "wait"
        if system.startswith("You are Bea,"):
            action = "give 1 wood to Mina" if re.search(r"carrying: .*wood x", user) else "collect 1 wood"
        words = "greet Mina" if system.startswith("You are Cai,") and "Hello, Mina" not in user else ""
        return json.dumps({"high_level_intent": action, "priority_action": action, "speech_directive": words})
    if "Judge how you feel" in system:
        judged = user.partition("You judge: ")[2].partition("\n")[0].split(", ")
        return json.dumps({name: {"sentiment": 10, "relationship": "friend", "seems": "kind"} for name in judged})
    return PromptPlayer().answer(system, user)


def test_a_gift_is_perceived_and_moves_feelings_more_than_words() -> None:
    """The receiver of a gift is told who gave what, remembers it, and likes the giver as much as its model says. Words
    alone move a feeling by a step, whatever the model says.
    """
    with WireModel.serving(_giving) as model:
        society = LivedSociety(model, {"Mina": {}, "Bea": {}, "Cai": {}}, latency=0.5)
        society.simulation.run(60.0)
    felt = society.simulation.engine.states["mina"].values()["social_model"]
    assert society.inventory("Mina")["wood"] >= 1
    assert felt["Bea"] == {**felt["Bea"], "sentiment": 10.0, "seems": "kind"}  # type: ignore[dict-item]
    assert "Bea gave you 1 wood" in "\n".join(
        prompt.user for prompt in society.prompts_of("decision") if prompt.about["agent"] == "Mina"
    )
    recalled = society.recorder.memory.recall("mina", "Bea wood", "social_awareness", 60.0)
    assert "Bea gave me 1 wood" in [memory.content for memory in recalled]
    greetings = sum(text == "Hello, Mina!" for _, _, text in society.recorder.words)
    assert greetings >= 1
    assert 5.0 < felt["Cai"]["sentiment"] <= 5.0 + 2.0 * greetings  # type: ignore[index,call-overload,operator]

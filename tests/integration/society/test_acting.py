"""What becomes of the decisions of a language model that repeats itself, over the wire format of a provider.

The figures of the same lives before intents lasted over decisions: 21 wood instead of 3, 176 decisions and 316 acts for
a diamond pickaxe that cannot be made, no word about a place that is not known.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from bench.lived_society import LivedSociety

from nemuri_society.cognition.module import Prompt
from tests.integration.society.wire_model import Answer, WireModel

SECONDS = 120.0


def _stubborn(action: str) -> Answer:
    """Return a model that makes Mina decide on the same action each time, while all others explore."""

    def answer(system: str, user: str) -> str:
        if "Decide what you do now" in system:
            chosen = action if system.startswith("You are Mina,") else "explore"
            return json.dumps({"high_level_intent": "as always", "priority_action": chosen})
        if "Say what you want" in system:
            return json.dumps({"goals": [{"description": "rest", "priority": 0.5}]})
        if "Plan the steps" in system:
            return json.dumps({"steps": ["rest"]})
        if "Judge how you feel" in system:
            judged = user.partition("You judge: ")[2].partition("\n")[0].split(", ")
            return json.dumps({name: {"sentiment": 5, "relationship": "neighbour"} for name in judged})
        return json.dumps({"insight": "so it is"})

    return answer


class Life:
    """The life of Mina, who decides on one action again and again."""

    def __init__(self, society: LivedSociety) -> None:
        """Look at the end of a society's run."""
        self.society = society
        self.decisions: list[Prompt] = [
            prompt for prompt in society.prompts_of("decision") if prompt.about["agent"] == "Mina"
        ]
        own = [act for _, agent, act in society.recorder.acts if agent == "mina"]
        self.acts = Counter(act.act.action for act in own)


@contextmanager
def _lived(action: str, *names: str) -> Iterator[Life]:
    with WireModel.serving(_stubborn(action)) as model:
        society = LivedSociety(model, {name: {} for name in ("Mina", *names)}, latency=0.5)
        society.simulation.run(SECONDS)
        assert model.calls == len(society.prompts) > 0
        yield Life(society)


def test_a_count_is_kept_over_decisions() -> None:
    """A model that decides to collect 3 wood again and again gets 3 wood, and is told that it has done it."""
    with _lived("collect 3 wood") as life:
        assert len(life.decisions) >= 5
        assert life.society.inventory("Mina") == {"wood": 3}
        assert life.acts["collect"] == 3
        assert "you have done what you decided: collect 3 wood" in life.decisions[-1].user


def test_what_cannot_be_made_is_told_and_not_tried_again() -> None:
    """A model that wants a diamond pickaxe from nothing hears at the next decision what it lacks. Nothing is tried, and
    decisions come at the pace of an idle agent.
    """
    with _lived("craft diamond_pickaxe") as life:
        assert life.acts["craft"] == 0
        assert SECONDS / 20 < len(life.decisions) < SECONDS / 8
        why = "you cannot craft 1 diamond_pickaxe now: lacking 1 wood and 1 diamond"
        assert why not in life.decisions[0].user
        assert all(why in decision.user for decision in life.decisions[1:])
        assert life.decisions[1].user.count("diamond_pickaxe now") == 1


def test_a_place_that_is_known_is_reached_and_another_is_told_to_be_unknown() -> None:
    """The own town is a place that can be walked to. Of another one the agent hears that it is unknown."""
    with _lived("go to town-1") as life:
        assert life.acts["go"] >= 1
        assert "you cannot go" not in life.decisions[-1].user
    with _lived("go to Avalon") as life:
        assert life.acts["go"] == 0
        assert "you cannot go to Avalon now: no place and nobody called Avalon is known; known are home, town-1" in (
            life.decisions[1].user
        )


def test_following_lasts() -> None:
    """An agent that follows another one stays near it for as long as it decides nothing else."""
    with _lived("follow Akira", "Akira") as life:
        society, apart = life.society, []
        for _ in range(40):
            society.simulation.run(society.simulation.now + 1.0)
            mina, akira = (society.world.percept(name).position for name in ("mina", "akira"))
            apart.append(max(abs(mina.x - akira.x), abs(mina.z - akira.z)))
        assert sorted(apart)[len(apart) // 2] <= 8
        assert life.acts["go"] > len(life.decisions) / 2

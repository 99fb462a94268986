"""A stand-in for a model that takes part in a forum by the text of its prompts alone, over the wire format."""

import json
import re
from itertools import count
from random import Random

from nemuri_society.cognition.engine import Engine
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.contracts.society import Society
from nemuri_society.contracts.world_protocol import Act, Do
from nemuri_society.operations.residents import generate_residents
from nemuri_society.phenomena.simulation import PromptAnswerer, Simulation, SimulationObserver, SimulationTiming
from nemuri_society.simulation.initial_state import initial_sections
from nemuri_society.world.forum import Forum
from tests.integration.society.wire_model import WireModel

SECONDS = 120.0
POSSIBLE = re.compile(r"^you can `.*$\n?", re.MULTILINE)


class ForumPlayer:
    """A player that finds what it can do in its prompt, and writes about what it reads there."""

    def __init__(self, *, blind: bool = False, stubborn: str = "") -> None:
        """Create the player. A blind one is not told what it can do. `stubborn` is what it always decides."""
        self._blind, self._stubborn, self._numbers = blind, stubborn, count()

    def answer(self, system: str, user: str) -> str:
        """Return the answer to a prompt."""
        text = POSSIBLE.sub("", user) if self._blind else user
        if "Decide what you do now" in system:
            action = self._stubborn or self._command(text)
            return json.dumps({"high_level_intent": "take part", "priority_action": action, "speech_directive": ""})
        if "Plan the steps" in system:
            return json.dumps({"steps": [self._command(text)]})
        if "Judge how you feel" in system:
            judged = user.partition("You judge: ")[2].partition("\n")[0].split(", ")
            return json.dumps({name: {"sentiment": 7, "relationship": "acquaintance"} for name in judged})
        if "Say what you want to reach" in system:
            wanted = {"description": "be heard", "priority": 0.5, "sort": "social", "needs": []}
            return json.dumps({"goals": [wanted]})
        return json.dumps({"observation": "they talk", "insight": "it is worth reading", "goal_adjustment": ""})

    def _command(self, text: str) -> str:
        """Return the next of the commands that the prompt names, with words about the last post that it shows."""
        lines = [line for line in text.splitlines() if line.startswith("you can `")]
        choices: list[str] = [re.findall(r"`([^`]+)`", line)[-1] for line in lines]
        if not choices:
            return "wait"
        seen = re.findall(r'^post \d+ by (\w+), .*: "', text, re.MULTILINE)
        words = f"I have read what {seen[0]} wrote." if seen else "Is anybody here?"
        return choices[next(self._numbers) % len(choices)].replace("TEXT", words)


class Witness(SimulationObserver):
    """An observer that keeps the commands that are sent."""

    def __init__(self) -> None:
        """Create it without commands."""
        self.commands: list[str] = []

    def acted(self, act: Act, second: float) -> None:  # noqa: ARG002
        """Keep a command."""
        if isinstance(act.act, Do):
            self.commands.append(act.act.command)


def _lived(
    answerer: PromptAnswerer, agents: int = 5, witness: SimulationObserver | None = None
) -> tuple[Forum, list[Prompt]]:
    """Let a society live on a forum, and return the forum and all prompts."""
    society = Society(name="f", seed=1, world="forum", agents=generate_residents("f", agents, 1, 0))
    forum, prompts = Forum.create(society), list[Prompt]()

    def answer(prompt: Prompt, rng: Random) -> str:
        prompts.append(prompt)
        return answerer(prompt, rng)

    engine = Engine(build_modules(NoMemories()), 0.0, 1)
    timing = SimulationTiming(tick=0.25, latency=1.5)
    simulation = Simulation(engine, forum, answer, Random(1), timing=timing, observer=witness)
    for resident in society.agents:
        forum.join(resident.id, resident.name)
        simulation.add(SharedState.of(resident.id, initial_sections(society, resident)))
    simulation.run(SECONDS)
    return forum, prompts


def test_a_player_takes_part_by_what_its_prompts_name() -> None:
    """With the whole prompt a player posts, replies, votes and follows, and reads what others wrote. Without the lines
    that name what is possible it does nothing.
    """
    with WireModel.serving(ForumPlayer().answer) as model:
        forum, prompts = _lived(model)
    with WireModel.serving(ForumPlayer(blind=True).answer) as model:
        silent, _ = _lived(model)
    assert all(figure > 0 for figure in forum.figures().values())
    assert any("I have read what" in line for line in forum.lines(50))
    assert set(silent.figures().values()) == {0.0}
    decided = [prompt for prompt in prompts if prompt.about["job"] == "decision"]
    assert any("voted for post" in prompt.user for prompt in decided)
    assert not any(
        word in prompt.system + prompt.user for prompt in decided for word in ("pickaxe", "craft", "carrying")
    )


def test_a_refused_command_is_told_with_its_reason_and_not_repeated() -> None:
    """A command that the forum refuses is told in later prompts with the forum's words, and tried a few times only."""
    with WireModel.serving(ForumPlayer(stubborn="vote up 99").answer) as model:
        forum, prompts = _lived(model, 2, witness := Witness())
    assert set(forum.figures().values()) == {0.0}
    told = [prompt for prompt in prompts if "vote up 99 now: there is no post 99" in prompt.user]
    assert told
    decided = [prompt for prompt in prompts if prompt.about["job"] == "decision"]
    assert 2 <= witness.commands.count("vote up 99") < len(decided) / 2

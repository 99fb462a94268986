"""What the prompts of a lived state say: what a player needs is there, nothing stands twice, and nobody's secrets."""

import re
from collections import Counter
from functools import cache
from random import Random
from typing import Any, Final

import pytest
from bench.lived_society import LivedSociety

from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_society.cognition.memory_interface import RetrievedMemory
from nemuri_society.cognition.module import Ask, Prompt
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.cognition.output_salience import OUTPUTS
from nemuri_society.cognition.prompt_budget import PROMPT_TOKENS
from nemuri_society.cognition.scripted_model import scripted_answer
from nemuri_society.cognition.shared_state import SharedState

pytestmark = pytest.mark.xdist_group("lived society")  # one process lives it

SECONDS: Final = 100.0
COMMON: Final[dict[str, Any]] = {
    "about": "A hamlet at the edge of the woods",
    "laws": ["Every tenth stone belongs to the hamlet.", "Nobody breaks a table"],
    "places": {"well": [50, 50], "mill": [20, 30]},
}
PROFILES: Final[dict[str, dict[str, Any]]] = {
    "Akira": {"age": 34, "role": "smith", "traits": ["bold", "curious"], "relations": {"Bea": "his sister"}},
    "Bea": {"age": 29, "role": "baker", "told": "You hid a purse of silver under the mill.", "home": "mill"},
    "Cai": {"age": 61, "goals": ["to be mourned"], "groups": ["council"]},
    "Dana": {"age": 17, "traits": ["shy"]},
    "Emil": {"age": 45, "told": "You have always envied Akira."},
}
JOBS: Final = ("decision", "speech", "goals", "plan", "social", "reflection")
SECRETS: Final = {"Bea": "purse of silver", "Emil": "envied", "Cai": "mourned"}
MOVES: Final = frozenset({"decision", "speech", "goals", "plan"})
"""Jobs whose prompts tell the surroundings."""


def _player(prompt: Prompt, rng: Random) -> str:
    """Answer by rules, but decide now and then on something that cannot be done."""
    if prompt.about["job"] == "decision" and prompt.about["agent"] == "Cai" and rng.random() < 0.3:
        return '{"high_level_intent": "shine", "priority_action": "craft diamond_sword", "speech_directive": "ask Bea"}'
    return scripted_answer(prompt, rng)


@cache
def lived() -> LivedSociety:
    """Return a society of five that has lived for a hundred seconds."""
    society = LivedSociety(_player, {name: {**COMMON, **own} for name, own in PROFILES.items()}, latency=1.0)
    society.simulation.run(SECONDS)
    return society


def _prompts(job: str, since: float = 40.0) -> list[Prompt]:
    found = [prompt for second, prompt in lived().prompts if prompt.about["job"] == job and second >= since]
    assert found, job
    return found


def _lines(prompt: Prompt, beginning: str) -> list[str]:
    return [line for line in prompt.user.splitlines() if line.startswith(beginning)]


@pytest.mark.parametrize("job", JOBS)
def test_each_prompt_says_who_the_agent_is_and_what_the_law_is(job: str) -> None:
    """Every prompt tells name, age, role, traits, relations, the society and the law."""
    for prompt in _prompts(job):
        own = PROFILES[str(prompt.about["agent"])]
        assert prompt.system.startswith(f"You are {prompt.about['agent']}, {own['age']} years old, ")
        assert "A hamlet at the edge of the woods." in prompt.system
        laws = [line for line in prompt.system.splitlines() if line.startswith("the law: ")]
        assert laws == ["the law: (1) Every tenth stone belongs to the hamlet.", "the law: (2) Nobody breaks a table."]
        assert all(str(trait) in prompt.system for trait in own.get("traits", []))
        assert all(f"{name}, {what}" in prompt.system for name, what in own.get("relations", {}).items())
        assert str(own.get("role", "")) in prompt.system


@pytest.mark.parametrize("job", JOBS)
def test_each_prompt_tells_the_hour(job: str) -> None:
    """Every prompt tells the hour of the world's day."""
    for prompt in _prompts(job):
        (time,) = _lines(prompt, "time: ")
        assert re.fullmatch(r"time: 0[67]:\d\d \(light\)|time: 08:00 \(light\)", time)


@pytest.mark.parametrize("job", sorted(MOVES))
def test_the_surroundings_and_the_inventory_are_told(job: str) -> None:
    """Whoever decides, plans or speaks is told what is in sight and how far, the known places, and what it carries."""
    prompts = _prompts(job)
    for prompt in prompts:
        assert re.search(r"^in sight: \w+ \d+ away", prompt.user, re.MULTILINE)
        assert re.search(r"^places you know: .*(mill|well) \d+ away", prompt.user, re.MULTILINE)
    carrying = sum(bool(_lines(prompt, "carrying: ")) for prompt in prompts)
    assert carrying > len(prompts) / 2


@pytest.mark.parametrize("job", ["decision", "goals", "plan"])
def test_what_can_be_made_next_and_from_what_is_told(job: str) -> None:
    """What can be made, collected or placed now is told, and what one thing is lacking for; not all recipes."""
    for prompt in _prompts(job):
        can = re.findall(r"^(you can (?:make now|collect)|one thing is lacking): ", prompt.user, re.MULTILINE)
        assert len(can) >= 2
        assert "What can be made: table" not in prompt.user + prompt.system
    if job == "decision":  # Plans and goals are made seldom: at those moments nothing could be made.
        assert any(re.search(r"you can make now: .*from \d \w+", prompt.user) for prompt in _prompts(job, 0.0))


def test_what_is_missing_for_the_goal_is_told_to_the_controller_and_the_planner() -> None:
    """What is missing for an item that the goal names is told with recipe, tool and source."""
    for job in ("decision", "plan"):
        told = [line for prompt in _prompts(job, 0.0) for line in _lines(prompt, "still missing for ")]
        assert len(told) > 3
        assert any(re.search(r"_pickaxe from 1 \w+.* near a table", line) for line in told)
        assert any("collect " in line for line in told)


def test_what_was_decided_in_vain_is_told_with_its_reason() -> None:
    """After an infeasible decision the next prompts tell once what is lacking for it."""
    told = [
        prompt
        for prompt in _prompts("decision", 0.0)
        if prompt.about["agent"] == "Cai" and "diamond_sword now" in prompt.user
    ]
    assert told
    for prompt in told:
        (line,) = _lines(prompt, "you cannot craft 1 diamond_sword now: ")
        assert "lacking" in line or "no table" in line


def test_the_own_advice_is_told_to_the_controller_and_to_the_goals() -> None:
    """A conclusion of the agent is in its decision and goal prompts as soon as there is one."""
    for job in ("decision", "goals"):
        prompts = _prompts(job, 70.0)
        told = [prompt for prompt in prompts if _lines(prompt, "you concluded: ")]
        assert len(told) > 0.7 * len(prompts)


def test_feelings_of_others_are_told_as_they_seem() -> None:
    """What others seem to feel is told beside the own feelings, and no sentiment of another agent."""
    seen = [line for prompt in _prompts("decision") for line in prompt.user.splitlines() if "they seem: " in line]
    assert seen
    assert all(re.match(r"\w+(?: is to you: [\w, ]+ \(| ?: )you like them [\d.]+ of 10", line) for line in seen)


def test_a_given_relation_stays_beside_the_opinion() -> None:
    """A relation of the beginning is told before the present opinion, and is not replaced by it."""
    told = [line for prompt in _prompts("decision", 0.0) for line in prompt.user.splitlines() if "his sister" in line]
    assert told
    assert all(re.match(r"Bea is to you: his sister, of late \w+ \(you like them", line) for line in told)


def test_what_can_be_done_is_not_called_impossible() -> None:
    """No prompt says that something has failed or cannot be made which it says can be made now."""
    for prompt in _prompts("decision", 0.0):
        (can,) = _lines(prompt, "you can make now: ") or [""]
        items = re.findall(r"(?:: |; )(?:\d+ )?(\w+) from", can)
        failed = re.findall(r"^(?:you cannot )?craft \d+ (\w+)(?: now: lacking|: failed)", prompt.user, re.MULTILINE)
        assert not {*items} & {*failed}
        assert not [item for item in items if _lines(prompt, f"still missing for {item}: ")]


def test_what_the_world_does_not_allow_is_not_offered() -> None:
    """In a world without making and collecting, no prompt has a verb, a recipe or an advice for it."""
    allowed: list[Any] = ["say", "go", "give", "trade", "rest"]
    society = LivedSociety(_player, {name: {"actions": allowed} for name in ("Ada", "Bea")}, latency=1.0)
    society.simulation.run(20.0)
    assert {prompt.about["job"] for _, prompt in society.prompts} >= {"decision", "goals", "plan"}
    for _, prompt in society.prompts:
        told = [line for line in prompt.user.splitlines() if re.match("you can|one thing|still missing", line)]
        assert not [line for line in told if not line.startswith("you cannot ")]
        assert not re.search("collect|craft|deposit|Things that can be made", prompt.system)


@pytest.mark.parametrize("job", JOBS)
def test_nothing_stands_twice(job: str) -> None:
    """No line stands twice in a prompt: what was said several times is counted. No memory repeats what the prompt says
    elsewhere.
    """
    for prompt in _prompts(job, 0.0):
        counts = Counter(prompt.user.splitlines())
        assert not [line for line, times in counts.items() if times > 1]
        concluded = {line.partition(": ")[2].removesuffix(" (2 times)") for line in _lines(prompt, "you concluded: ")}
        assert not [line for line in _lines(prompt, "you remember: ") if line[15:-1] in concluded]
        assert prompt.user.count("goals: ") + bool(_lines(prompt, "you want to: ")) <= 1


@pytest.mark.parametrize("job", JOBS)
def test_nobody_else_s_secrets_are_told(job: str) -> None:
    """What only one agent was told is in no prompt of another agent, and no prompt has an id."""
    for prompt in _prompts(job, 0.0):
        text = prompt.system + prompt.user
        assert not [name for name, words in SECRETS.items() if words in text and name != prompt.about["agent"]]
        assert not re.search(r"\b(akira|bea|cai|dana|emil)\b", text)


@pytest.mark.parametrize("job", JOBS)
def test_prompts_keep_their_budget(job: str) -> None:
    """No prompt exceeds its tokens, and none of these lives needs to leave anything out."""
    for prompt in _prompts(job, 0.0):
        assert estimate_tokens(prompt.system + "\n" + prompt.user) <= PROMPT_TOKENS
        assert "left out" not in prompt.user


def test_memories_say_something() -> None:
    """Few memory lines are first sightings: all agents met at a time are one memory, and so are equal acts in a row."""
    lines = [line for _, prompt in lived().prompts for line in _lines(prompt, "you remember: ")]
    sightings = [line for line in lines if "for the first time" in line]
    assert len(lines) > 200
    assert len(sightings) < 0.15 * len(lines)
    assert any(" times)" in line for line in lines)


DUE: Final[dict[str, dict[str, Any]]] = {
    "decision": {"id": "d900t1", "priority_action": "rest", "speech_directive": "greet them", "at": 0.0},
    "plans": {"status": "failed"},
    "goals": {"at": -1e9},
    "reflections": {"at": -1.0},
    "workspace": dict.fromkeys(OUTPUTS),
}
"""Changes that make all modules due."""


class Talkative:
    """Memories of an agent that remembers forty long sentences about everything."""

    def recall(self, agent_id: str, query: str, module: str, second: float) -> list[RetrievedMemory]:  # noqa: ARG002
        """Return forty long memories."""
        return [RetrievedMemory(f"Once {number} {'and then ' * 60}", 0.5, "long", "episodic") for number in range(40)]


@pytest.mark.parametrize("job", JOBS)
def test_what_does_not_fit_is_counted_and_the_task_is_whole(job: str) -> None:
    """In a society with sixty long laws and many long memories, a prompt keeps its budget and its whole task. The laws
    and memories that do not fit are counted.
    """
    laws: list[Any] = [f"Whoever breaks rule {number} {'pays one more stone ' * 12}" for number in range(60)]
    spoken: list[Any] = [
        {"speaker": "Bea", "text": f"Word {number} {'oh ' * 70}", "second": 99.5} for number in range(48)
    ]
    crowd: dict[str, dict[str, Any]] = {"profile": {"laws": laws}, "conversations": {"entries": spoken}, **DUE}
    state = SharedState("akira", dict(lived().simulation.engine.states["akira"].sections))
    state.put(crowd | {"percepts": {"agents": [{"id": "bea", "name": "Bea", "distance": 2.0}]}}, 100.0)
    asks = [
        ask.prompt
        for module in build_modules(Talkative())
        if isinstance(ask := module.process(state.snapshot(module.spec.reads | module.spec.writes, 100.5)), Ask)
    ]
    (prompt,) = [prompt for prompt in asks if prompt.about["job"] == job]
    assert estimate_tokens(f"{prompt.system}\n{prompt.user}") <= PROMPT_TOKENS
    assert prompt.system.splitlines()[-1] == lived().prompts_of(job)[-1].system.splitlines()[-1]
    assert re.search(r"^\(\d+ more, left out: \d+ × the law", prompt.system, re.MULTILINE)
    assert re.search(r"^\(\d+ more, left out: .*you remember|Bea said", prompt.user, re.MULTILINE)

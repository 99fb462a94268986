"""A stand-in for a language model that plays from the text of its prompts, and knows nothing else.

It is as hasty as small models are: it tries the goal itself first. If the prompt says that this cannot be done, it does
what the prompt says is missing. To measure what parts of the prompt are worth, it can be made blind to them:

    python -m bench.prompt_player            # different items after 120 simulated seconds
"""

import argparse
import json
import re
from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any, Final

from bench.lived_society import LivedSociety
from nemuri_society.cognition.module import Prompt

PARTS: Final[Mapping[str, str]] = {
    "recipes": r"(you can make now|you cannot collect yet|one thing is lacking|still missing for|What can be made)",
    "failures": r"(you cannot \w+ .* now: |the last plan failed|given up: |.*: failed, |.*\(it has failed)",
    "surroundings": r"(in sight|seen before|people seen before|places you know|you can (collect|place)|near|at): ",
}
"""Beginnings of the lines of each part of a prompt that can be removed, as patterns."""
JOBS: Final[Mapping[str, str]] = {
    "Decide what you do now": "decision",
    "Say what you are told": "speech",
    "Say what you want": "goals",
    "Plan the steps": "plan",
    "Judge how you feel": "social",
    "Look back": "reflection",
}
"""Job by words of its task."""
MAX_STEPS: Final = 16
_ITEM: Final = re.compile(r"[a-z]+(?:_[a-z]+)*")


class PromptPlayer:
    """The player. It reads a system and a user prompt, and answers in the form that the task asks for."""

    def __init__(self, without: Collection[str] = ()) -> None:
        """Create a player that does not see these `PARTS` of its prompts. Raises KeyError for an unknown part."""
        self._hidden = [re.compile(PARTS[part]) for part in without]

    def __call__(self, prompt: Prompt, rng: Random) -> str:  # noqa: ARG002 - the text alone decides
        """Answer a prompt of a module, as simulations ask."""
        return self.answer(prompt.system, prompt.user)

    def answer(self, system: str, user: str) -> str:
        """Return the answer to a prompt. Raises StopIteration if its task is unknown."""
        job = next(job for words, job in JOBS.items() if words in system)
        seen = [line for line in user.splitlines() if not any(hidden.match(line) for hidden in self._hidden)]
        match job:
            case "decision":
                return self._decision(seen)
            case "speech":
                return self._speech(seen)
            case "goals":
                return self._goals(system, seen)
            case "plan":
                return self._plan(seen)
            case "social":
                return self._social(seen)
            case _:
                return self._reflection(seen)

    def _decision(self, lines: Sequence[str]) -> str:
        action = self._offered(lines) or self._planned(lines) or self._under_way(lines) or self._by_hand(lines)
        near = re.findall(r"^near: ([\w ]+),", "\n".join(lines), re.MULTILINE)
        silent = not near or any(line.startswith(f"{near[0]} said") for line in lines)
        return json.dumps(
            {
                "high_level_intent": f"to {action}",
                "priority_action": action,
                "speech_directive": "" if silent else f"greet {near[0]}",
                "context_summary": "",
            }
        )

    def _offered(self, lines: Sequence[str]) -> str:
        """Return the acceptance of an open offer that the agent can pay, if there is one."""
        for line in lines:
            found = re.search(r"to agree at once: `(trade (\d+) (\w+) for .*)`", line)
            if found and _held(lines).get(found[3], 0) >= int(found[2]):
                return found[1]
        return ""

    def _planned(self, lines: Sequence[str]) -> str:
        plan = _line(lines, "your plan")
        return "follow the plan" if "steps left" in plan and "(it has failed" not in plan else ""

    def _under_way(self, lines: Sequence[str]) -> str:
        return _line(lines, "under way").partition(" (")[0]

    def _by_hand(self, lines: Sequence[str]) -> str:
        """Return an action without a plan: something new to make, or something to collect."""
        held, failed = _held(lines), _failed(lines)
        for item in _made(_line(lines, "you can make now")):
            if item not in held and item not in failed:
                return f"craft {item}"
        for item in map(str, _ITEM.findall(_line(lines, "you can collect").partition(" (")[0])):
            if held.get(item, 0) < 5 and item not in failed:
                return f"collect 2 {item}"
        return "explore"

    def _goals(self, system: str, lines: Sequence[str]) -> str:
        """Return the first things that can be made and that the agent neither has nor has had or given up."""
        over = {*_held(lines), *_ITEM.findall(" ".join([_line(lines, "reached"), _line(lines, "given up")]))}
        lacking = re.findall(r"\(for ([\w, ]+)\)", _line(lines, "one thing is lacking"))
        nearly = [item for items in lacking for item in items.split(", ")]
        things = _ITEM.findall(system.partition("Things that can be made: ")[2])
        wanted = dict.fromkeys([*_made(_line(lines, "you can make now")), *nearly, *things])
        left = [item for item in wanted if item not in over][:4] or ["wood"]
        return json.dumps(
            {
                "goals": [
                    {"description": f"make a {item}", "priority": round(0.9 - 0.1 * nth, 1), "sort": "personal"}
                    for nth, item in enumerate(left)
                ]
            }
        )

    def _plan(self, lines: Sequence[str]) -> str:
        goal = _line(lines, "goal").removeprefix("make a ").strip()
        tried = goal in _failed(lines) or _line(lines, "the last plan failed")
        steps = self._missing_steps(goal, lines) if tried else []
        return json.dumps({"steps": (steps or [f"craft {goal}"])[:MAX_STEPS]})

    def _missing_steps(self, goal: str, lines: Sequence[str]) -> list[str]:
        """Return steps for what is missing for a goal. Collecting is put before the recipe that uses the item, and each
        station is placed after it is made.
        """
        parts = _line(lines, f"still missing for {goal}").split("; ")
        collected = {found[2]: found for part in parts if (found := re.match(r"collect (\d+) (\w+)(.*)", part))}
        steps = [f"place {found[1]}" for part in parts if (found := re.match(r"place the (\w+)", part))]
        for part in reversed(parts):
            recipe = re.match(r"(?:\d+ )?(\w+) from (.*?)(?: near (.*))?$", part)
            if recipe is None or part.startswith("collect"):
                continue
            for item in re.findall(r"\d+ (\w+)", recipe[2]):
                if item in collected and (step := f"collect {collected[item][1]} {item}") not in steps:
                    steps.append(step)
            steps.append(f"craft {recipe[1]}")
            if recipe[1] in {"table", "furnace"} and recipe[1] != goal:
                steps.append(f"place {recipe[1]}")
        seen = _line(lines, "in sight") + _line(lines, "seen before") + _line(lines, "you can collect")
        known = _before_unknown(steps, collected, seen)
        return steps if known == steps else [*known, "explore"]

    def _speech(self, lines: Sequence[str]) -> str:
        greeted = re.search(r"greet ([\w ]+)", "\n".join(lines))
        return f"Hello, {greeted[1]}!" if greeted else "Hello!"

    def _social(self, lines: Sequence[str]) -> str:
        """Like everybody a little, and more those who gave something."""
        judged: dict[str, Any] = {}
        for name in _line(lines, "You judge").split(", "):
            gifts = sum(line.startswith(f"{name} gave you") for line in lines)
            before = re.search(rf"^{re.escape(name)}\b.*you like them ([\d.]+)", "\n".join(lines), re.MULTILINE)
            sentiment = min(10.0, (float(before[1]) if before else 5.0) + 2.0 * gifts)
            seems = {"seems": "generous"} if gifts else {}
            judged[name] = {"sentiment": sentiment, "relationship": "neighbour", **seems}
        return json.dumps(judged)

    def _reflection(self, lines: Sequence[str]) -> str:
        failed = [line for line in lines if line.startswith("you cannot ")]
        advice = "what can be made at once" if failed else ""
        return json.dumps({"insight": failed[0] if failed else "it goes well", "goal_adjustment": advice})


def _line(lines: Sequence[str], beginning: str) -> str:
    """Return the rest of the first line that begins with these words and a colon; "" if there is none."""
    return next((line[len(beginning) + 2 :] for line in lines if line.startswith(f"{beginning}: ")), "")


def _held(lines: Sequence[str]) -> dict[str, int]:
    """Return the inventory."""
    return {item: int(count) for item, count in re.findall(r"(\w+) x(\d+)", _line(lines, "carrying"))}


def _failed(lines: Sequence[str]) -> set[str]:
    """Return the items of what cannot be done now."""
    return {found[1] for line in lines if (found := re.match(r"you cannot \w+ (?:\d+ )?(\w+)", line))}


def _made(text: str) -> list[str]:
    """Return the items of recipes such as "2 fence from 1 wood near a table"."""
    return re.findall(r"(?:^|; )(?:\d+ )?(\w+) from", text)


def _sources(step: str, collected: Mapping[str, re.Match[str]], seen: str) -> bool:
    """Return True if the prompt tells where the item of a step is."""
    item = step.rpartition(" ")[2]
    source = re.search(r"from (\w+)", collected[item][3])
    return (source[1] if source else item) in seen


def _before_unknown(steps: Sequence[str], collected: Mapping[str, re.Match[str]], seen: str) -> list[str]:
    """Return the steps before the first one whose item is nowhere to be seen."""
    known = list[str]()
    for step in steps:
        if step.startswith("collect") and not _sources(step, collected, seen):
            return known
        known.append(step)
    return known


def items_reached(without: Collection[str], seed: int, seconds: float = 120.0, agents: int = 5) -> float:
    """Return the mean number of different items that each agent has held after `seconds` simulated seconds."""
    names = ("Akira", "Bea", "Cai", "Dana", "Emil", "Freya", "Goro", "Hana")[:agents]
    society = LivedSociety(PromptPlayer(without), {name: {} for name in names}, seed=seed)
    society.simulation.run(seconds)
    return sum(len(society.world.unique_items(agent)) for agent in society.world.agents) / agents


def main() -> None:
    """Measure what each part of the prompt is worth, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=8)
    chosen = parser.parse_args()
    arms = {"whole prompt": (), **{f"without {part}": (part,) for part in PARTS}}
    found = {
        arm: [items_reached(without, seed) for seed in range(1, chosen.seeds + 1)] for arm, without in arms.items()
    }
    for arm, items in found.items():
        print(f"{arm:24} {sum(items) / len(items):5.2f} different items  {' '.join(f'{one:.1f}' for one in items)}")


if __name__ == "__main__":
    main()

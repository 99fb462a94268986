"""A scripted model: rules that play the game and talk a little, without a language model.

It reads only `about` of a prompt and answers in the form that the prompt asks for. The same prompt and the same random
numbers give the same answer.
"""

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from nemuri_society.cognition.crafting_plan import crafting_steps
from nemuri_society.cognition.intents import Intent, read_intent
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.scripted_commands import chosen_command, command_goals, command_steps
from nemuri_society.cognition.situation_detection import number
from nemuri_society.cognition.smalltalk import judge_speakers, small_talk
from nemuri_society.cognition.surroundings import Surroundings

TOOL_ORDER: Final = ("wood_pickaxe", "stone_pickaxe", "furnace", "iron_pickaxe", "diamond_pickaxe")
"""Tools to make, in this order. Each one needs the tools before it."""
OPTIONAL_ITEMS: Final = (
    "wood_sword",
    "stone_sword",
    "chest",
    "fence",
    "torch",
    "iron_sword",
    "brick",
    "glass",
    "lantern",
)
"""Items to make besides the tools."""
STATIONS: Final = ("table", "furnace")
"""Stations that are needed for better tools."""
TALK_PROBABILITY: Final = 0.4
"""Probability of greeting an agent in sight, and of answering an utterance that does not name the agent."""
GIFT_SENTIMENT: Final = 6.5
"""Minimum sentiment, 0 to 10, towards an agent that gets gifts."""


class UnansweredPromptError(ValueError):
    """The scripted model has no rules for a prompt."""


def scripted_answer(prompt: Prompt, rng: Random) -> str:
    """Return the answer to a prompt of one of the nine modules or of an interview.

    Raises `UnansweredPromptError` for any other prompt.
    """
    job = str(prompt.about.get("job"))
    if job not in _JOBS:
        raise UnansweredPromptError(f"the scripted model cannot answer a prompt about {job!r}")
    return _JOBS[job](prompt.about, rng)


def _decision(about: Mapping[str, Any], rng: Random) -> str:
    action, why = _action(about, rng)
    return json.dumps(
        {
            "high_level_intent": why,
            "priority_action": action,
            "speech_directive": _directive(about, rng),
            "context_summary": str(about.get("context")),
        }
    )


def _action(about: Mapping[str, Any], rng: Random) -> tuple[str, str]:
    """Return an action and the reason for it: the plan if there is one, else a command of the world or exploration."""
    plan, progress = about.get("plan") or {}, about.get("progress") or {}
    over = bool(about.get("possible")) and progress.get("status") in {"done", "failed"}
    if plan.get("status") == "active" and plan.get("steps") and not over:
        return "follow the plan", f"go on with {plan.get('description') or 'my plan'}"
    if about.get("possible"):
        return chosen_command(about, rng) or "wait", "take part"
    return "explore", "see what there is"


def _directive(about: Mapping[str, Any], rng: Random) -> str:
    """Return a speech directive: an answer to the last speaker, a request for help, or a greeting; mostly "" for
    silence.
    """
    last, heard = about.get("last") or {}, about.get("heard") or []
    progress, near = about.get("progress") or {}, about.get("sighted") or []
    spoken = heard[-1] if heard and heard[-1].get("speaker") != about.get("agent") else None
    if spoken is not None and number(spoken.get("second")) > number(last.get("at"), -1.0):
        eager = 1.0 if about.get("addressed") else TALK_PROBABILITY
        return f"answer {spoken.get('speaker')}: {str(spoken.get('text'))[:120]}" if rng.random() < eager else ""
    if not near:
        return ""
    if progress.get("status") == "failed" and "ask" not in str(last.get("speech_directive")):
        return f"ask {near[0].get('name')} for help: {progress.get('why')}"
    known = any(utterance.get("speaker") == near[0].get("name") for utterance in heard)
    return f"greet {near[0].get('name')}" if not known and rng.random() < TALK_PROBABILITY else ""


def _goals(about: Mapping[str, Any], rng: Random) -> str:
    """Return goals: the next tools, a random optional item, and a gift for a friend in sight."""
    if about.get("possible"):
        return json.dumps({"goals": command_goals(about, rng)})
    if about.get("allowed") and not {"collect", "craft"} <= {*about["allowed"]}:
        return json.dumps({"goals": _visits(about, rng)})
    inventory = about.get("inventory") or {}
    over = {*map(str, about.get("reached") or ()), *map(str, about.get("given_up") or ())}
    left = [tool for tool in TOOL_ORDER if not inventory.get(tool) and f"make a {tool}" not in over]
    wanted: list[dict[str, Any]] = []
    for number_, item in enumerate(left[:2]):
        needs = [wanted[-1]["description"]] if wanted else []
        wanted.append(_goal(f"make a {item}", 0.9 - 0.1 * number_, needs))
    besides = [
        optional for optional in OPTIONAL_ITEMS if not inventory.get(optional) and f"make a {optional}" not in over
    ]
    if besides:
        wanted.append(_goal(f"make a {rng.choice(besides[:4])}", 0.5 + 0.2 * rng.random(), []))
    friends = [
        agent for agent, felt in (about.get("social") or {}).items() if number(felt.get("sentiment")) >= GIFT_SENTIMENT
    ]
    near = {str(agent.get("name")) for agent in about.get("sighted") or []}
    if gifts := [
        f"give 1 wood to {friend}" for friend in friends if friend in near and f"give 1 wood to {friend}" not in over
    ]:
        wanted.append(_goal(rng.choice(gifts), 0.6, [], "social"))
    return json.dumps({"goals": wanted or [_goal(f"collect {rng.randint(2, 9)} wood", 0.4, [])]})


def _visits(about: Mapping[str, Any], rng: Random) -> list[dict[str, Any]]:
    """Return goals for a world in which nothing is made: to go to some of the known places and people, or to rest."""
    known = list(map(str, about.get("names") or ())) if "go" in about["allowed"] else []
    since = f"from second {number(about.get('second')):.0f} on"  # So that a goal that is done can return.
    visits = rng.sample(known, min(2, len(known)))
    return [_goal(f"go to {name} ({since})", 0.5, [], "social") for name in visits] or [
        _goal(f"rest ({since})", 0.4, [])
    ]


def _goal(description: str, priority: float, needs: list[str], kind: str = "personal") -> dict[str, Any]:
    return {"description": description, "priority": round(priority, 2), "sort": kind, "needs": needs}


def _plan(about: Mapping[str, Any], rng: Random) -> str:
    """Return the steps to the goal; exploration if there are none."""
    if about.get("possible"):
        return json.dumps({"steps": command_steps(about, rng)})
    target = read_intent(str(about.get("goal"))) or Intent("explore", count=3)
    view = Surroundings({"position": about.get("position"), "blocks": about.get("blocks")})
    blocks = {str(block.get("block")) for block in about.get("blocks") or []}
    if blocks.issuperset(STATIONS) and not view.together(STATIONS):
        blocks -= {STATIONS[-1]}
    steps = crafting_steps(target, about.get("inventory") or {}, blocks) or [Intent("explore", count=3)]
    return json.dumps({"steps": [step.words() for step in steps]})


def _social(about: Mapping[str, Any], rng: Random) -> str:  # noqa: ARG001 - words alone count
    return json.dumps(judge_speakers(about))


def _reflection(about: Mapping[str, Any], rng: Random) -> str:  # noqa: ARG001 - what happened alone counts
    """Return a reflection on the failed acts and their main reason. It advises another goal if most acts failed."""
    acts = about.get("acts") or []
    reasons = [str(act.get("reason")) for act in acts if not act.get("done")]
    goal = (about.get("plan") or {}).get("description") or "what I am at"
    if not reasons:
        return json.dumps({"observation": f"all of {len(acts)} acts worked", "insight": f"I can go on with: {goal}"})
    most = max(sorted(set(reasons)), key=reasons.count)
    stuck = 2 * len(reasons) > len(acts)
    found = {
        "observation": f"{len(reasons)} of {len(acts)} acts failed, mostly because {most}",
        "insight": f"For {goal}, mind this: {most}",
        "goal_adjustment": f"something other than: {goal}" if stuck else "",
    }
    return json.dumps(found)


def _interview(about: Mapping[str, Any], rng: Random) -> str:  # noqa: ARG001 - the same form as the others
    return str(about.get("state"))


_JOBS: Final[Mapping[str, Callable[[Mapping[str, Any], Random], str]]] = {
    "interview": _interview,
    "decision": _decision,
    "speech": small_talk,
    "goals": _goals,
    "plan": _plan,
    "social": _social,
    "reflection": _reflection,
}

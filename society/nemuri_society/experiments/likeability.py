"""The experiment `likeability`: agents judge from words alone how likeable others are, with and without social
awareness.
"""

import json
from random import Random
from typing import Final

from nemuri.experiments.report import CheckedClaim, Sample
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.percept_updates import entries, mapped
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.experiments.experiment_society import FULL, Member, Setting, Stage, parts, staged
from nemuri_society.phenomena.likeability import (
    MIN_OBSERVERS,
    NEUTRAL,
    LinearFit,
    fit_likeability,
    mean_r_by_observers,
    random_utterance,
    updated_sentiment,
)
from nemuri_society.phenomena.simulation import Simulation

WITHOUT: Final = "without social_awareness"
R, SLOPE, JUDGED = "Pearson's r", "slope", "agents judged by enough"
OBSERVERS: Final = (1, 3, 5, 7, 9, 11)
TASTE: Final = 1.5
"""Standard deviation of the constant bias of one observer towards one speaker, in points (likeability is 0 to 10)."""
CLAIMS: Final = (
    CheckedClaim("Perceived likeability is closer to the truth with social awareness", (R, FULL), (R, WITHOUT)),
    CheckedClaim("Eleven observers judge better than one", ("r with 11 observers", FULL), ("r with 1 observers", FULL)),
)
MODULES: Final = ("conversing", "social_awareness", "wandering")
Sentiments = dict[tuple[str, str], float]


def sample(seed: int, repeat: int, setting: Setting) -> Sample:
    """Return the measurements of one run: a society with social awareness, and the same one without it."""
    name = f"likeability/{seed}/{repeat}"
    chance = Random(name)
    true = {f"agent-{number}": chance.uniform(0, 10) for number in range(setting.agents)}
    found: dict[tuple[str, str], float] = {}
    for arm, without in {FULL: frozenset[str](), WITHOUT: frozenset({"social_awareness"}), **setting.ablations}.items():
        simulation = society(name, true, without)
        simulation.run(setting.seconds)
        sentiments = judgements(simulation)
        fit = _fitted(sentiments, true)
        if fit is None:
            continue
        found |= {(R, arm): fit.r, (SLOPE, arm): fit.slope, (JUDGED, arm): fit.agents}
        for number in OBSERVERS:
            found |= _with(number, arm, sentiments, true, Random(f"{name}/{number}"))
    return found


def society(name: str, true: dict[str, float], without: frozenset[str]) -> Simulation:
    """Return a simulation of agents in one town. `true` has the true likeability of each agent, 0 to 10."""
    members = [Member(who, "town", {"likeable": likeable, "radius": 10}) for who, likeable in true.items()]
    return staged(Stage(members, parts(MODULES, without), answer), name)[0]


def answer(prompt: Prompt, rng: Random) -> str:
    """Answer a prompt as a language model would: speak by the speaker's likeability, and judge by the words heard."""
    about = prompt.about
    if about["job"] == "converse":
        return json.dumps({"say": random_utterance(float(mapped(about["profile"])["likeable"]), rng), "mind": {}})
    judged: dict[str, dict[str, float | str]] = {}
    observer = str(about["agent"])
    for entry in about["speakers"] if isinstance(about["speakers"], list) else []:
        speaker = str(entry)
        known = float(mapped(mapped(about["known"]).get(speaker)).get("sentiment", NEUTRAL))
        heard = about["heard"] if isinstance(about["heard"], list) else []
        for said in map(mapped, heard):
            if said["speaker"] == speaker:
                known = updated_sentiment(str(said["text"]), known, taste(observer, speaker))
        judged[speaker] = {"sentiment": known, "relationship": "acquaintance"}
    return json.dumps(judged)


def taste(observer: str, speaker: str) -> float:
    """Return the constant bias of one observer towards one speaker, which does not depend on words."""
    return Random(f"{observer}/{speaker}").gauss(0.0, TASTE)


def judgements(simulation: Simulation) -> Sentiments:
    """Return each agent's sentiment about each other agent at the end.

    With social awareness it comes from the agent's social model. Without it the agent has no stored opinion, so it
    judges at the end by the conversations that it still knows.
    """
    aware = any(module.spec.name == "social_awareness" for module in simulation.engine.schedule.modules)
    found: Sentiments = {}
    for observer, state in simulation.engine.states.items():
        found |= _kept(observer, state) if aware else _recollected(observer, state)
    return found


def _kept(observer: str, state: SharedState) -> Sentiments:
    known = state.values().get("social_model", {})
    return {(observer, who): float(mapped(opinion)["sentiment"]) for who, opinion in known.items()}


def _recollected(observer: str, state: SharedState) -> Sentiments:
    found: Sentiments = {}
    for entry in entries(state, "conversations"):
        if (speaker := str(entry["speaker"])) != observer:
            before = found.get((observer, speaker), NEUTRAL)
            found[observer, speaker] = updated_sentiment(entry["text"], before, taste(observer, speaker))
    return found


def _fitted(sentiments: Sentiments, true: dict[str, float], least: int = MIN_OBSERVERS) -> LinearFit | None:
    """Return the fit of perceived to true likeability; None if too few agents are judged by at least `least` others."""
    try:
        return fit_likeability(sentiments, true, least)
    except ValueError:
        return None


def _with(number: int, arm: str, sentiments: Sentiments, true: dict[str, float], rng: Random) -> Sentiments:
    if _fitted(sentiments, true, number) is None:
        return {}
    return {(f"r with {number} observers", arm): mean_r_by_observers(sentiments, true, number, rng)}

"""Likeability: do agents find out who is likeable, from words alone, and does social awareness help?"""

import json
from random import Random
from typing import Final

from nemuri.experiments.report import Claim, Sample
from nemuri.experiments.society.experiment_society import FULL, Member, Setting, Stage, parts, staged
from nemuri_domain.cognition.module import Prompt
from nemuri_domain.cognition.percept_updates import entries, mapped
from nemuri_domain.cognition.shared_state import SharedState
from nemuri_domain.society.likeability import LEAST, MIDDLE, Fit, by_observers, fitted, sentiment, uttered
from nemuri_domain.society.simulation import Simulation

WITHOUT: Final = "without social_awareness"
R, SLOPE, JUDGED = "Pearson's r", "slope", "agents judged by enough"
OBSERVERS: Final = (1, 3, 5, 7, 9, 11)
TASTE: Final = 1.5
"""Standard deviation of what the same words are worth to one observer of one speaker, in points of 10."""
CLAIMS: Final = (
    Claim("With social awareness likeability is perceived more truly", (R, FULL), (R, WITHOUT)),
    Claim("More observers see better: eleven against one", ("r with 11 observers", FULL), ("r with 1 observers", FULL)),
)
MODULES: Final = ("conversing", "social_awareness", "wandering")
Sentiments = dict[tuple[str, str], float]


def sample(seed: int, repeat: int, setting: Setting) -> Sample:
    """One society and the same without social awareness."""
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
    """Agents of these likeabilities in one town."""
    members = [Member(who, "town", {"likeable": likeable, "radius": 10}) for who, likeable in true.items()]
    return staged(Stage(members, parts(MODULES, without), answer), name)[0]


def answer(prompt: Prompt, rng: Random) -> str:
    """Words by how likeable one is; sentiments by the words that one heard."""
    about = prompt.about
    if about["job"] == "converse":
        return json.dumps({"say": uttered(float(mapped(about["profile"])["likeable"]), rng), "mind": {}})
    judged: dict[str, dict[str, float | str]] = {}
    observer = str(about["agent"])
    for each in about["speakers"] if isinstance(about["speakers"], list) else []:
        speaker = str(each)
        known = float(mapped(mapped(about["known"]).get(speaker)).get("sentiment", MIDDLE))
        heard = about["heard"] if isinstance(about["heard"], list) else []
        for said in map(mapped, heard):
            if said["speaker"] == speaker:
                known = sentiment(str(said["text"]), known, taste(observer, speaker))
        judged[speaker] = {"sentiment": known, "relationship": "acquaintance"}
    return json.dumps(judged)


def taste(observer: str, speaker: str) -> float:
    """What one observer makes of one speaker besides its words; lasting."""
    return Random(f"{observer}/{speaker}").gauss(0.0, TASTE)


def judgements(simulation: Simulation) -> Sentiments:
    """What each agent thinks of each other at the end: its social model, or else what it makes of words still in mind.

    Who has no social awareness has kept no opinion; asked at the end, it judges by the conversations it still knows.
    """
    aware = any(each.spec.name == "social_awareness" for each in simulation.engine.schedule.modules)
    found: Sentiments = {}
    for observer, state in simulation.engine.states.items():
        found |= _kept(observer, state) if aware else _recollected(observer, state)
    return found


def _kept(observer: str, state: SharedState) -> Sentiments:
    known = state.values().get("social_model", {})
    return {(observer, who): float(mapped(each)["sentiment"]) for who, each in known.items()}


def _recollected(observer: str, state: SharedState) -> Sentiments:
    found: Sentiments = {}
    for each in entries(state, "conversations"):
        if (speaker := str(each["speaker"])) != observer:
            before = found.get((observer, speaker), MIDDLE)
            found[observer, speaker] = sentiment(each["text"], before, taste(observer, speaker))
    return found


def _fitted(sentiments: Sentiments, true: dict[str, float], least: int = LEAST) -> Fit | None:
    """None where too few are known to enough others."""
    try:
        return fitted(sentiments, true, least)
    except ValueError:
        return None


def _with(number: int, arm: str, sentiments: Sentiments, true: dict[str, float], rng: Random) -> Sentiments:
    if _fitted(sentiments, true, number) is None:
        return {}
    return {(f"r with {number} observers", arm): by_observers(sentiments, true, number, rng)}

"""The experiment `memes`: memes and a religion spread through towns and the country by talk within earshot alone."""

import json
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, Final

from nemuri.experiments.report import CheckedClaim, Sample
from nemuri_society.cognition.module import Prompt
from nemuri_society.contracts.world_protocol import Percept
from nemuri_society.experiments.experiment_society import Member, Setting, Stage, course, parts, staged
from nemuri_society.phenomena.exposure_graph import ExposureGraph
from nemuri_society.phenomena.likeability import NEUTRAL_UTTERANCES
from nemuri_society.phenomena.memes import MEMES, RELIGION, SYMBOL, UTTERANCES, conversion_stage, topics, updated_memes
from nemuri_society.phenomena.simulation import Simulation, SimulationObserver

EVERYBODY, PRIESTS_TOWN, TOWNS, COUNTRY = "everybody", "the priests' town", "other towns", "the country"
DIRECT, INDIRECT, EXPOSED = "direct converts, share", "direct or indirect converts, share", "heard of the faith, share"
KINDS, LATE = "memes mentioned by one agent", "share of direct converts in the last quarter"
EDGES, UNEXPLAINED = "speaker-listener pairs of the faith", "mentioned the faith without hearing it"
SOURCES, SECOND_HAND = "speakers of the faith that were heard", "share who heard it from a non-priest"
TOWN_NAMES: Final = ("amber", "birch", "cedar", "dune", "elm", "fern")
TOWN_SHARE, PRIEST_SHARE = 33 / 500, 20 / 500
"""Share of all agents that live in one town, and share of all agents that are priests. Priests live in the first town.
"""
BUDDING: Final = 0.3
"""Share of agents who start with a meme."""
QUIET: Final = 0.5
"""Probability of an utterance without a meme."""
TRAVELS: Final = {True: 0.05, False: 0.15}
"""Probability that an agent walks to a town instead of around its home: for townspeople, and for people in the country.
"""
MODULES: Final = ("conversing", "wandering")
CLAIMS: Final = (
    CheckedClaim(
        "More agents convert in the priests' town than in the country", (INDIRECT, PRIESTS_TOWN), (INDIRECT, COUNTRY)
    ),
    CheckedClaim(
        "More agents convert in the priests' town than in others", (INDIRECT, PRIESTS_TOWN), (INDIRECT, TOWNS)
    ),
    CheckedClaim("Agents in towns mention more memes than in the country", (KINDS, TOWNS), (KINDS, COUNTRY)),
)


class Chronicle(SimulationObserver):
    """A witness that records every utterance: speakers, listeners and topics."""

    def __init__(self) -> None:
        """Start with an empty record."""
        self.exposures = ExposureGraph()

    def perceived(self, agent_id: str, percept: Percept) -> None:
        """Record the topics of the words that an agent heard."""
        for utterance in percept.heard:
            self.exposures.record_exposure(topics(utterance.text), utterance.speaker, agent_id, utterance.second)

    def said(self, agent_id: str, text: str, second: float) -> None:
        """Record the topics of the words that an agent spoke."""
        self.exposures.record_mention(topics(text), agent_id, second)


def sample(seed: int, repeat: int, setting: Setting) -> Sample:
    """Return the measurements of one run: a land with six towns, with all modules and without each of those to leave
    out.
    """
    name = f"memes/{seed}/{repeat}"
    found: dict[tuple[str, str], float] = {}
    for arm, without in {"": frozenset[str](), **setting.ablations}.items():
        members = people(setting.agents, Random(f"{name}/people"))
        simulation, chronicle = society(name, members, without)
        simulation.run(setting.seconds)
        found |= measured(chronicle.exposures, members, setting, f", {arm}" if arm else "")
    return found


def people(agents: int, rng: Random) -> list[Member]:
    """Return the members: of 500 agents 33 live in each of six towns and the rest in the country.

    20 of 500 agents are priests, and all priests live in the first town. Other numbers of agents are divided in
    proportion.
    """
    each_town, priests = max(2, round(agents * TOWN_SHARE)), max(1, round(agents * PRIEST_SHARE))
    homes: list[str | None] = [town for town in TOWN_NAMES for _ in range(each_town)]
    homes += [None] * (agents - len(homes))
    return [
        Member(
            f"agent-{number}",
            home,
            {
                "priest": number < min(priests, each_town),
                "meme": rng.choice(MEMES) if rng.random() < BUDDING else "",
                "radius": 8 if home else 16,
                "travels": TRAVELS[home is not None],
            },
        )
        for number, home in enumerate(homes)
    ]


def society(name: str, members: list[Member], without: frozenset[str]) -> tuple[Simulation, Chronicle]:
    """Return the society with all members at home, and the witness that records their talk."""
    chronicle = Chronicle()
    stage = Stage(members, parts(MODULES, without), answer, towns=TOWN_NAMES, size=256 if len(members) <= 200 else 512)
    return staged(stage, name, chronicle)[0], chronicle


def answer(prompt: Prompt, rng: Random) -> str:
    """Answer a prompt: let the agent speak of a topic that it has in mind, or of nothing in particular.

    Topics grow in the agent's mind when it hears them, and fade otherwise. A priest always speaks of the religion.
    """
    about: Mapping[str, Any] = prompt.about
    profile, mind = about["profile"], about["mind"]
    if profile["priest"]:
        return json.dumps({"say": UTTERANCES[RELIGION], "mind": {}})
    heard = [topic for utterance in about["heard"] for topic in topics(str(utterance["text"]))]
    begun = [profile["meme"]] if profile["meme"] else []
    memes = updated_memes(mind.get("memes", begun), heard, rng)
    stage = conversion_stage(int(mind.get("stage", 0)), heard, rng)
    to_say = [*memes, *(SYMBOL, RELIGION)[:stage]]
    quiet = not to_say or rng.random() < QUIET
    say = rng.choice(NEUTRAL_UTTERANCES) if quiet else UTTERANCES[rng.choice(to_say)]
    return json.dumps({"say": say, "mind": {"memes": [*memes], "stage": stage}})


def measured(seen: ExposureGraph, members: list[Member], setting: Setting, arm: str) -> Sample:
    """Return the conversions, exposures and memes by place of residence. Priests are not counted."""
    priests = {member.id for member in members if member.profile["priest"]}
    lay = [member for member in members if member.id not in priests]
    where = {
        EVERYBODY: {member.id for member in lay},
        PRIESTS_TOWN: {member.id for member in lay if member.town == TOWN_NAMES[0]},
        TOWNS: {member.id for member in lay if member.town not in (None, TOWN_NAMES[0])},
        COUNTRY: {member.id for member in lay if member.town is None},
    }
    found: dict[tuple[str, str], float] = {}
    for place, those in where.items():
        found |= {(measure, place + arm): value for measure, value in _shares(seen, those, setting.seconds).items()}
    graph = _graph(seen, priests, setting.seconds)
    found |= {(measure, EVERYBODY + arm): value for measure, value in graph.items()}
    moments = [second for _, second in setting.moments]
    heard = [when for who, when in seen.first_exposure.get(RELIGION, {}).items() if who not in priests]
    exposed = [sum(moment <= second for moment in heard) / len(lay) for second in moments]
    converts = [len(seen.speakers(RELIGION, second) - priests) / len(lay) for second in moments]
    found |= course(EXPOSED, EVERYBODY + arm, setting, exposed)
    return found | course(DIRECT, EVERYBODY + arm, setting, converts)


def _graph(seen: ExposureGraph, priests: set[str], end: float) -> dict[str, float]:
    """Return measures of the exposures to the faith (speaker and listener), and the share of late conversions."""
    found: dict[str, float] = {
        EDGES: len(seen.exposures.get(RELIGION, {})),
        UNEXPLAINED: len(seen.unexplained(RELIGION, priests)),
    }
    sources = {who: those for who, those in seen.sources(RELIGION).items() if who not in priests}
    if sources:
        found[SOURCES] = sum(map(len, sources.values())) / len(sources)
        found[SECOND_HAND] = sum(bool(those - priests) for those in sources.values()) / len(sources)
    early, converts = (seen.speakers(RELIGION, second) - priests for second in (0.75 * end, end))
    if converts:
        found[LATE] = 1 - len(early) / len(converts)
    return found


def _shares(seen: ExposureGraph, those: Iterable[str], second: float) -> dict[str, float]:
    """Return the shares measured at the end for a group of agents; empty for an empty group."""
    who = set(those)
    if not who:
        return {}
    direct, hinting = seen.speakers(RELIGION, second) & who, seen.speakers(SYMBOL, second) & who
    kinds = sum(len(seen.speakers(meme, second) & who) for meme in MEMES)
    return {
        DIRECT: len(direct) / len(who),
        INDIRECT: len(direct | hinting) / len(who),
        EXPOSED: len(seen.exposed(RELIGION) & who) / len(who),
        KINDS: kinds / len(who),
    }

"""Tests of the experiments on societies at a small size."""

import json
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.percept_updates import entries
from nemuri_society.experiments import item_progression, likeability, memes, specialisation, taxes
from nemuri_society.experiments.experiment_society import Setting
from nemuri_society.phenomena.constitution import Constitution, Timeline
from nemuri_society.phenomena.likeability import KIND_UTTERANCES
from nemuri_society.phenomena.memes import RELIGION, UTTERANCES
from nemuri_society.phenomena.roles import DEMAND, ROLES, role_of


def reply_to(answer: Any, rng: int = 1, **about: Any) -> dict[str, Any]:
    """Return the fake model's answer to a prompt, parsed from JSON."""
    found: dict[str, Any] = json.loads(answer(Prompt("", "", about), Random(rng)))
    return found


@pytest.mark.parametrize("frozen", [True, False])
def test_everybody_pays_the_tax_in_force_and_the_ledger_is_exact(frozen: bool) -> None:
    """Every agent pays the tax rate in force, and the ledger records it exactly.

    Only an accepted proposal changes the rate, and only if the constitution is not frozen.
    """
    setting = Setting(9, 60)
    simulation = taxes.society("t", setting, -1, frozenset())
    for state in simulation.engine.states.values():
        if "tax" in state.values()["profile"]:
            simulation.engine.put(state.agent_id, {"profile": {"tax": -0.5}}, 0.0)
    town = taxes.Town(simulation, Constitution(frozen=frozen), Timeline.scaled_to(setting.seconds), Random(1))
    town.live()
    assert Counter(payment.season for payment in town.ledger.payments) == dict.fromkeys(range(10), 5)
    assert town.ledger.is_balanced
    assert all(
        payment.rate == 20 for payment in town.ledger.payments if payment.season in town.timeline.seasons_before_law
    )
    after = {payment.rate for payment in town.ledger.payments if payment.season in town.timeline.seasons_after_law}
    assert after == ({20} if frozen else {town.law.rate})
    assert town.law.rate == 20 if frozen else town.law.rate <= 10


def test_opinions_move_towards_what_is_heard_and_strong_ones_are_voiced() -> None:
    """An opinion moves towards an opinion that the agent hears, and never beyond it. Other words do not move it. Agents
    voice strong opinions.
    """
    against, other = [taxes.SAYINGS[-1]] * 50, ["It rains."] * 50
    assert -1 < taxes.moved(0.2, 0.2, against) < -0.1
    assert taxes.moved(0.2, 0.2, other) == 0.2
    assert 0.2 < taxes.moved(0.0, 0.5, other) + 0.2 < 0.5
    about = {"job": "converse", "agent": "constituent-0", "profile": {"tax": -0.9}, "mind": {}, "heard": []}
    utterances = [reply_to(taxes.answer, rng, **about)["say"] for rng in range(9)]
    assert set(utterances) == {"", taxes.SAYINGS[-1]}
    assert utterances.count("") < 4


def test_the_papers_size_gives_six_towns_of_33_and_302_in_the_country() -> None:
    """The size of the paper gives six towns of 33 agents and 302 agents in the country. Twenty priests live in the
    first town.
    """
    members = memes.people(500, Random(1))
    homes = Counter(member.town for member in members)
    assert homes == {None: 302} | dict.fromkeys(memes.TOWN_NAMES, 33)
    priests = [member.town for member in members if member.profile["priest"]]
    assert priests == [memes.TOWN_NAMES[0]] * 20


def test_nobody_mentions_the_faith_without_hearing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent mentions the faith only after it has heard of it.

    Every convert has a path in the exposure graph, even if every exposure converts.
    """
    monkeypatch.setattr("nemuri_society.phenomena.memes.CONVERSION_PROBABILITY", 1.0)
    members = [replace(member, town="amber") for member in memes.people(24, Random(1))[:8]]
    simulation, chronicle = memes.society("m", members, frozenset())
    simulation.run(90)
    found = memes.measured(chronicle.exposures, members, Setting(8, 90), "")
    assert found[memes.UNEXPLAINED, memes.EVERYBODY] == 0
    assert found[memes.SOURCES, memes.EVERYBODY] >= 1
    assert 0 < found[memes.DIRECT, memes.PRIESTS_TOWN] <= found[memes.EXPOSED, memes.PRIESTS_TOWN]
    converts = chronicle.exposures.speakers(RELIGION, 90)
    assert all(convert in chronicle.exposures.exposed(RELIGION) for convert in converts - {"agent-0"})


def test_priests_speak_of_the_faith_and_others_of_their_topics() -> None:
    """A priest mentions the faith whatever it hears. Other agents mention a topic that they have in mind."""
    about: dict[str, Any] = {"job": "converse", "profile": {"priest": True, "meme": ""}, "mind": {}, "heard": []}
    assert reply_to(memes.answer, **about)["say"] == UTTERANCES[RELIGION]
    lay = about | {"profile": {"priest": False, "meme": "eco"}}
    utterances = {reply_to(memes.answer, rng, **lay)["say"] for rng in range(30)}
    assert UTTERANCES["eco"] in utterances
    assert UTTERANCES[RELIGION] not in utterances


def test_without_social_awareness_agents_judge_by_recent_utterances() -> None:
    """Agents without social awareness judge others by recent utterances. Agents with it judge by a model that they keep
    of each other.
    """
    true = {f"agent-{number}": 10.0 for number in range(4)}
    for without in (frozenset[str](), frozenset({"social_awareness"})):
        simulation = likeability.society("l", true, without)
        simulation.run(60)
        found = likeability.judgements(simulation)
        kept = any("social_model" in state.sections for state in simulation.engine.states.values())
        assert kept is not bool(without)
        assert found
        assert all(0 <= judgement <= 10 for judgement in found.values())


def test_kind_words_raise_the_listeners_opinion_of_the_speaker() -> None:
    """Kind words raise the listener's opinion of the speaker, and do not change its opinion of others."""
    heard = [{"speaker": "bea", "text": KIND_UTTERANCES[0]}] * 9
    found = reply_to(likeability.answer, job="social", agent="ada", speakers=["bea", "cai"], heard=heard, known={})
    taste = likeability.taste("ada", "bea")
    assert found["bea"]["sentiment"] == pytest.approx(min(10, 5 + (5 + taste) * (1 - 0.8**9)), abs=1.0)
    assert found["cai"]["sentiment"] == 5.0


def test_goal_generation_that_sees_others_takes_the_missing_role() -> None:
    """Goal generation that sees the other agents takes the role that is missing. If it sees nobody, it takes various
    roles.
    """
    town = [role for role, share in DEMAND.items() for _ in range(round(share * 40)) if role != "smith"]
    social = {f"agent-{number}": {"relationship": role} for number, role in enumerate(town)}
    roles: dict[str, set[str | None]] = {}
    for name, answer in (("sees", specialisation.seeing), ("blind", specialisation.blind)):
        answers = [reply_to(answer, rng, job="goals", agent="ada", social=social) for rng in range(30)]
        roles[name] = {role_of(each["description"] for each in one["goals"]) for one in answers}
    assert roles["sees"] == {"smith"}
    assert len(roles["blind"]) > 2


def test_roles_are_learned_from_utterances() -> None:
    """A listener knows the role that a speaker states."""
    for role, goals in ROLES.items():
        utterances = reply_to(specialisation.seeing, job="converse", goals=[{"description": goal} for goal in goals])[
            "say"
        ]
        heard = [{"speaker": "bea", "text": utterances}]
        found = reply_to(specialisation.seeing, job="social", speakers=["bea"], heard=heard, known={})
        assert found["bea"]["relationship"] == role


@pytest.mark.parametrize("without", [frozenset[str](), frozenset({"action_awareness"})])
def test_only_action_awareness_detects_hallucinated_success(without: frozenset[str]) -> None:
    """Without action awareness, no correction marks an action whose success the agent only imagined."""
    simulation, _ = item_progression.society("i", Setting(1, 60), without)
    simulation.run(40)
    [state] = simulation.engine.states.values()
    supposed = [entry for entry in entries(state, "action_corrections") if entry["supposed"]]
    assert bool(supposed) is not bool(without)

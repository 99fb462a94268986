"""The experiments on societies, small: what their figures rest on."""

import json
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from nemuri.experiments.society import item_progression, likeability, memes, specialisation, taxes
from nemuri.experiments.society.experiment_society import Setting
from nemuri_domain.cognition.module import Prompt
from nemuri_domain.cognition.percept_updates import entries
from nemuri_domain.society.constitution import Constitution, Timeline
from nemuri_domain.society.likeability import KIND_UTTERANCES
from nemuri_domain.society.memes import RELIGION, UTTERANCES
from nemuri_domain.society.roles import DEMAND, ROLES, role_of


def told(answer: Any, rng: int = 1, **about: Any) -> dict[str, Any]:
    """What is answered to a question."""
    found: dict[str, Any] = json.loads(answer(Prompt("", "", about), Random(rng)))
    return found


@pytest.mark.parametrize("frozen", [True, False])
def test_everybody_pays_in_every_season_what_the_law_says_and_the_ledger_is_exact(frozen: bool) -> None:
    """And only what was proposed and carried changes the law, unless it is frozen."""
    setting = Setting(9, 60)
    simulation = taxes.society("t", setting, -1, frozenset())
    for state in simulation.engine.states.values():
        if "tax" in state.values()["profile"]:
            simulation.engine.put(state.agent_id, {"profile": {"tax": -0.5}}, 0.0)
    town = taxes.Town(simulation, Constitution(frozen=frozen), Timeline.of(setting.seconds), Random(1))
    town.live()
    assert Counter(each.season for each in town.ledger.payments) == dict.fromkeys(range(10), 5)
    assert town.ledger.is_balanced
    assert all(each.rate == 20 for each in town.ledger.payments if each.season in town.timeline.seasons_before_law)
    after = {each.rate for each in town.ledger.payments if each.season in town.timeline.seasons_after_law}
    assert after == ({20} if frozen else {town.law.rate})
    assert town.law.rate == 20 if frozen else town.law.rate <= 10


def test_opinions_move_towards_what_is_heard_and_strong_ones_are_voiced() -> None:
    """Never beyond it, and not by other words."""
    against, other = [taxes.SAYINGS[-1]] * 50, ["It rains."] * 50
    assert -1 < taxes.moved(0.2, 0.2, against) < -0.1
    assert taxes.moved(0.2, 0.2, other) == 0.2
    assert 0.2 < taxes.moved(0.0, 0.5, other) + 0.2 < 0.5
    about = {"job": "converse", "agent": "constituent-0", "profile": {"tax": -0.9}, "mind": {}, "heard": []}
    said = [told(taxes.answer, rng, **about)["say"] for rng in range(9)]
    assert set(said) == {"", taxes.SAYINGS[-1]}
    assert said.count("") < 4


def test_the_papers_land_has_six_towns_of_33_and_302_in_the_country_and_twenty_priests() -> None:
    """The priests live in the first town."""
    members = memes.people(500, Random(1))
    homes = Counter(each.town for each in members)
    assert homes == {None: 302} | dict.fromkeys(memes.TOWN_NAMES, 33)
    priests = [each.town for each in members if each.profile["priest"]]
    assert priests == [memes.TOWN_NAMES[0]] * 20


def test_nobody_speaks_of_the_faith_who_did_not_hear_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every convert has a way through the graph, also where all are converted at once by what they hear."""
    monkeypatch.setattr("nemuri_domain.society.memes.CONVERSION_PROBABILITY", 1.0)
    members = [replace(each, town="amber") for each in memes.people(24, Random(1))[:8]]
    simulation, chronicle = memes.society("m", members, frozenset())
    simulation.run(90)
    found = memes.measured(chronicle.exposures, members, Setting(8, 90), "")
    assert found[memes.UNEXPLAINED, memes.EVERYBODY] == 0
    assert found[memes.SOURCES, memes.EVERYBODY] >= 1
    assert 0 < found[memes.DIRECT, memes.PRIESTS_TOWN] <= found[memes.EXPOSED, memes.PRIESTS_TOWN]
    converts = chronicle.exposures.speakers(RELIGION, 90)
    assert all(each in chronicle.exposures.exposed(RELIGION) for each in converts - {"agent-0"})


def test_a_priest_speaks_of_the_faith_and_others_of_what_is_on_their_mind() -> None:
    """Whatever they hear."""
    about: dict[str, Any] = {"job": "converse", "profile": {"priest": True, "meme": ""}, "mind": {}, "heard": []}
    assert told(memes.answer, **about)["say"] == UTTERANCES[RELIGION]
    lay = about | {"profile": {"priest": False, "meme": "eco"}}
    said = {told(memes.answer, rng, **lay)["say"] for rng in range(30)}
    assert UTTERANCES["eco"] in said
    assert UTTERANCES[RELIGION] not in said


def test_who_has_no_social_awareness_judges_by_what_is_still_in_mind() -> None:
    """With it, by a model of each other that was kept."""
    true = {f"agent-{number}": 10.0 for number in range(4)}
    for without in (frozenset[str](), frozenset({"social_awareness"})):
        simulation = likeability.society("l", true, without)
        simulation.run(60)
        found = likeability.judgements(simulation)
        kept = any("social_model" in each.sections for each in simulation.engine.states.values())
        assert kept is not bool(without)
        assert found
        assert all(0 <= each <= 10 for each in found.values())


def test_kind_words_are_felt_and_only_by_whoever_heard_them() -> None:
    """Each speaker for itself."""
    heard = [{"speaker": "bea", "text": KIND_UTTERANCES[0]}] * 9
    found = told(likeability.answer, job="social", agent="ada", speakers=["bea", "cai"], heard=heard, known={})
    taste = likeability.taste("ada", "bea")
    assert found["bea"]["sentiment"] == pytest.approx(min(10, 5 + (5 + taste) * (1 - 0.8**9)), abs=1.0)
    assert found["cai"]["sentiment"] == 5.0


def test_a_chooser_who_sees_others_goes_where_somebody_is_lacking_and_the_other_one_does_not_know() -> None:
    """The same question."""
    town = [role for role, share in DEMAND.items() for _ in range(round(share * 40)) if role != "smith"]
    social = {f"agent-{number}": {"relationship": role} for number, role in enumerate(town)}
    roles: dict[str, set[str | None]] = {}
    for name, answer in (("sees", specialisation.seeing), ("blind", specialisation.blind)):
        answers = [told(answer, rng, job="goals", agent="ada", social=social) for rng in range(30)]
        roles[name] = {role_of(each["description"] for each in one["goals"]) for one in answers}
    assert roles["sees"] == {"smith"}
    assert len(roles["blind"]) > 2


def test_roles_go_from_mouth_to_mouth() -> None:
    """What one says one is, another one knows then."""
    for role, goals in ROLES.items():
        said = told(specialisation.seeing, job="converse", goals=[{"description": each} for each in goals])["say"]
        heard = [{"speaker": "bea", "text": said}]
        found = told(specialisation.seeing, job="social", speakers=["bea"], heard=heard, known={})
        assert found["bea"]["relationship"] == role


@pytest.mark.parametrize("without", [frozenset[str](), frozenset({"action_awareness"})])
def test_only_who_is_aware_of_its_acts_finds_out_what_it_only_imagined(without: frozenset[str]) -> None:
    """Both imagine as often; what they do once they know is the same."""
    simulation, _ = item_progression.society("i", Setting(1, 60), without)
    simulation.run(40)
    [state] = simulation.engine.states.values()
    supposed = [each for each in entries(state, "action_corrections") if each["supposed"]]
    assert bool(supposed) is not bool(without)

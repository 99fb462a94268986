"""Experiments with a language model: their societies, the reading of answers, and measures of a record."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from nemuri_society.cli.society_experiments import HELP_TEXTS
from nemuri_society.cognition.self_description import describe_agent
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.contracts.society import Society
from nemuri_society.experiments.experiment_registry import EXPERIMENTS
from nemuri_society.experiments.experiment_society import FULL, Setting
from nemuri_society.experiments.item_progression import ITEMS, MOST
from nemuri_society.experiments.likeability import JUDGED, SLOPE, R
from nemuri_society.experiments.memes import DIRECT, EXPOSED, INDIRECT, PRIESTS_TOWN, TOWNS, UNEXPLAINED
from nemuri_society.experiments.specialisation import ENTROPY, PERSISTENCE
from nemuri_society.experiments.taxes import AFTER, AGAINST, BEFORE, EXACT, RATE
from nemuri_society.experiments.with_models import items, likeability, memes, specialisation, taxes
from nemuri_society.experiments.with_models.answers import choice_in, marks_in, number_in, options_of
from nemuri_society.experiments.with_models.life import MODULES, Measure, ModelExperiment
from nemuri_society.experiments.with_models.registry import MODEL_EXPERIMENTS
from nemuri_society.experiments.with_models.tax_vote import FEEDBACK, LAW, PAYMENT, constituents
from nemuri_society.experiments.with_models.trials import PLATFORM, Choices, build_trials
from nemuri_society.operations.society_file import SocietyFileError
from nemuri_society.simulation.initial_state import initial_sections
from nemuri_society.stores.society_record import StoredEvent

MODEL = "openai:some-model"


def events(*values: dict[str, Any]) -> Iterable[StoredEvent]:
    """Return events of a record with these values."""
    return [StoredEvent({"second": 0.0, **one}, datetime(2026, 1, 1, tzinfo=UTC), 0, current=True) for one in values]


def society(experiment: ModelExperiment, agents: int = 8) -> Society:
    """Return the society of the first condition of an experiment."""
    setting = Setting(agents, experiment.usual.seconds)
    return build_trials("x", experiment, Choices(MODEL, setting, seed=1, runs=1))[0].society


def figures(measure: Measure, *values: dict[str, Any]) -> dict[str, float]:
    """Return the figures of a measure after these events."""
    for event in events(*values):
        measure.add(event)
    return dict(measure.figures())


def test_both_forms_have_the_same_experiments() -> None:
    """Each experiment has a scripted form and one with a model, a society file, and text that states its limits."""
    assert list(MODEL_EXPERIMENTS) == list(EXPERIMENTS) == list(HELP_TEXTS)
    for experiment in MODEL_EXPERIMENTS.values():
        assert experiment.label
        assert experiment.claims
        assert experiment.usual.agents >= experiment.fewest


@pytest.mark.parametrize("name", MODEL_EXPERIMENTS)
@pytest.mark.parametrize("full", [False, True])
def test_every_condition_has_all_modules_but_those_left_out(name: str, full: bool) -> None:
    """In every condition the model thinks for all nine modules, except those that the condition leaves out. Repeats
    have the same people and other seeds.
    """
    experiment = MODEL_EXPERIMENTS[name]
    setting = experiment.paper if full else experiment.usual
    trials = build_trials(name, experiment, Choices(MODEL, setting, seed=4, runs=2))
    assert len(MODULES) == 9
    for trial in trials:
        assert set(trial.society.without) == trial.arm.without <= set(MODULES)
        assert trial.society.models == {"default": MODEL}
        assert len(trial.society.agents) == setting.agents
    assert len({trial.society.name for trial in trials}) == len(trials)
    first, again = trials[0].society, trials[len(trials) // 2].society
    assert (first.seed, again.seed) == (4, 5)
    assert [agent.name for agent in first.agents] == [agent.name for agent in again.agents]


def test_an_ablation_adds_a_condition_of_the_first_one() -> None:
    """`--without` adds the first condition without a module. A condition that is there already is not added twice."""
    setting = Setting(29, 1_200, ("memory_recall",))
    added = taxes.EXPERIMENT.conditions(setting)
    assert list(added)[-1] == f"{AGAINST}, without memory_recall"
    assert added[f"{AGAINST}, without memory_recall"].intervene is taxes.EXPERIMENT.arms[AGAINST].intervene
    same = items.EXPERIMENT.conditions(Setting(5, 600, ("action_awareness",)))
    assert same == items.EXPERIMENT.arms


def test_a_shorter_life_has_its_questions_earlier() -> None:
    """Times of a society file are scaled to the duration of a life."""
    short = Choices(PLATFORM, Setting(6, 120), seed=1, runs=1)
    [trial, _] = build_trials("x", specialisation.EXPERIMENT, short)
    assert trial.society.models == {}
    assert [probe.at for probe in trial.society.probes] == [20, 40, 60, 80, 100, 117]


@pytest.mark.parametrize(
    ("experiment", "content", "line"),
    [
        (specialisation.EXPERIMENT, "generate: 3", "probes: the experiment needs a question with the words 'trade'"),
        (taxes.EXPERIMENT, "laws: [be kind]", "laws: the first law must name the tax"),
        (memes.EXPERIMENT, "size: 64", "people: the experiment needs somebody whose role is 'priest'"),
        (likeability.EXPERIMENT, "probes: [{at: 1, question: how much do you like}]", "needs profile.likeability"),
        (items.EXPERIMENT, "size: 1", "size: "),
        (items.EXPERIMENT, "nonsense: 1", "nonsense: there is no such key"),
    ],
)
def test_a_file_that_does_not_suit_is_refused(
    experiment: ModelExperiment, content: str, line: str, tmp_path: Path
) -> None:
    """A society file that lacks what an experiment measures is refused with the path of what is wrong."""
    file = tmp_path / "own.yaml"
    file.write_text(content)
    with pytest.raises(SocietyFileError, match=r"own\.yaml: ") as raised:
        build_trials("x", experiment, Choices(MODEL, Setting(8, 600), seed=1, runs=1, file=file))
    assert line in str(raised.value)


def test_only_unambiguous_answers_are_read() -> None:
    """A number or an option is read if an answer has exactly one. Marks are read by name, from 0 to 10."""
    assert [number_in(text) for text in ("24", "I pay 24 units.", "12.5 %", "20 of 120", "none", "24, yes 24")] == [
        24, 24, 12.5, None, None, 24,
    ]  # fmt: skip
    options = options_of("Which? Answer with one word: miner, smith or trader")
    assert options == ("miner", "smith", "trader")
    assert [choice_in(text, options) for text in ("Miner.", "a miner, or a smith", "baker")] == ["miner", None, None]
    assert marks_in("Ann: 7\nBo - 3.5, Cy: 11. Deb I like", ("Ann", "Bo", "Cy", "Deb")) == {"Ann": 7, "Bo": 3.5}


def test_items_are_counted_over_time() -> None:
    """The mean counts each kind of item of an agent once, from the beginning of its life on."""
    measure = items.ItemMeasure(society(items.EXPERIMENT, 2), 100)
    found = figures(
        measure,
        {"kind": "figures", "second": 50.0},
        {"kind": "item", "agent": "a", "item": "wood", "second": 55.0},
        {"kind": "item", "agent": "a", "item": "wood", "second": 80.0},
        {"kind": "item", "agent": "a", "item": "stone", "second": 95.0},
        {"kind": "inventory", "agent": "b", "items": {"wood": 2}, "second": 99.0},
        {"kind": "act", "agent": "a", "done": True},
        {"kind": "act", "agent": "a", "done": False},
    )
    assert (found[ITEMS], found[MOST], found[items.DONE]) == (1.5, 2, 0.5)
    assert (found[f"{ITEMS} 1-10"], found[f"{ITEMS} 41-50"]) == (0.5, 1.5)


def test_trades_are_taken_from_answers_and_acts() -> None:
    """The entropy is that of the last trades, the persistence that of consecutive ones. Answers without one trade are
    left out and counted.
    """
    there = society(specialisation.EXPERIMENT, 3)
    question = there.probes[0].question
    told = [("a", "miner"), ("b", "smith"), ("c", "miner or smith"), ("a", "Miner."), ("b", "trader")]
    acts = [("a", "collect stone"), ("a", "collect stone"), ("b", "craft table"), ("a", "go to x")]
    found = figures(
        specialisation.TradeMeasure(there, 100),
        *({"kind": "answer", "agent": who, "question": question, "answer": answer} for who, answer in told),
        *(
            {"kind": "act", "agent": who, "text": text, "done": True, "action": {"action": text.split()[0]}}
            for who, text in acts
        ),
        {"kind": "answer", "agent": "c", "question": "another", "answer": "miner"},
    )
    assert found[specialisation.NAMED] == 0.8
    assert found[ENTROPY] == pytest.approx(0.387, abs=0.001)
    assert found[PERSISTENCE] == 0.5
    assert found[specialisation.WORK] == pytest.approx(0.631, abs=0.001)


def test_the_ledger_has_what_agents_said_that_they_pay() -> None:
    """Payments are told by season, before and under the new law. An impossible payment is counted, not entered."""
    there = society(taxes.EXPERIMENT)
    assert len(constituents(there)) == 4

    def told(agent: str, question: str, answer: str) -> dict[str, Any]:
        return {"kind": "answer", "agent": agent, "question": question, "answer": answer}

    found = figures(
        taxes.TaxMeasure(there, 1_200),
        told("a", PAYMENT.format(season=1, income=100), "20"),
        told("b", PAYMENT.format(season=1, income=100), "10"),
        told("c", PAYMENT.format(season=1, income=100), "101"),
        told("a", FEEDBACK.format(rate=20), "5 %"),
        {"kind": "vote", "agent": "a", "choice": "5"},
        {"kind": "vote", "agent": "b", "choice": None},
        {"kind": "influence", "agent": "a", "sort": "law", "text": LAW.format(new=5, rate=20)},
        told("a", PAYMENT.format(season=10, income=100), "5"),
    )
    assert (found[BEFORE], found[AFTER], found[RATE], found[EXACT]) == (0.15, 0.05, 5, 1)
    assert (found[taxes.UNREAD], found[taxes.VOTED], found[taxes.WANTED]) == (0.25, 0.25, 5)


def test_a_topic_reaches_those_in_earshot() -> None:
    """Who stands within 32 blocks of a speaker has heard it; who mentions a faith without that is counted."""
    there = society(memes.EXPERIMENT)
    priest, near = there.agents[0], next(agent for agent in there.agents[2:] if agent.town == there.agents[0].town)
    far, silent = (agent for agent in there.agents[3:5])

    def said(agent: str, text: str) -> dict[str, Any]:
        return {"kind": "speech", "agent": agent, "text": text, "second": 1.0}

    found = figures(
        memes.TalkMeasure(there, 100),
        {"kind": "places", "places": {priest.id: [0, 0], near.id: [32, 0], far.id: [0, 33]}},
        said(priest.id, "Pastafarianism for all!"),
        said(near.id, "I had noodles."),
        said(far.id, "What is a Pastafarian?"),
        said(silent.id, "Good day."),
    )
    assert found[f"{INDIRECT}, {PRIESTS_TOWN}"] == found[f"{EXPOSED}, {PRIESTS_TOWN}"] == 1
    assert found[f"{DIRECT}, {PRIESTS_TOWN}"] == 0
    assert found[f"{DIRECT}, {TOWNS}"] == pytest.approx(1 / 5)
    assert found[UNEXPLAINED] == 1


def test_likeability_is_known_to_nobody_and_fitted_from_marks() -> None:
    """No agent's description contains the true value. Marks that equal it give r = 1."""
    there = society(likeability.EXPERIMENT, 9)
    question = there.probes[0].question
    for agent in there.agents:
        state = SharedState.of(agent.id, initial_sections(there, agent))
        assert "likeab" not in describe_agent(state.snapshot(("profile",), 0.0))
    true = {agent.name: agent.profile["likeability"] for agent in there.agents}
    told = ", ".join(f"{name}: {value}" for name, value in true.items())
    found = figures(
        likeability.LikeabilityMeasure(there, 100),
        *({"kind": "answer", "agent": agent.id, "question": question, "answer": told} for agent in there.agents),
        {"kind": "feeling", "agent": there.agents[0].id, "towards": there.agents[1].name, "sentiment": 3.0},
    )
    assert found[R] == pytest.approx(1)
    assert found[SLOPE] == pytest.approx(1)
    assert found[JUDGED] == 9
    assert likeability.KEPT not in found


def test_every_experiment_says_what_its_first_condition_is() -> None:
    """The first condition is the one whose ablations `--without` adds."""
    assert [next(iter(one.arms)) for one in MODEL_EXPERIMENTS.values()] == [FULL, FULL, FULL, AGAINST, FULL]

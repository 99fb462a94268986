"""Experiments with a language model: a stand-in that knows only its prompts lives in real hosts over the wire format.

With parts of its prompts removed it does worse. All figures are computed from the record.
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import replace

import pytest
from bench.prompt_citizen import PromptCitizen

from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_society.contracts.record import RunEnded
from nemuri_society.contracts.residents import Budget
from nemuri_society.experiments.experiment_society import FULL, Setting
from nemuri_society.experiments.item_progression import ITEMS
from nemuri_society.experiments.likeability import R
from nemuri_society.experiments.memes import EXPOSED, INDIRECT, PRIESTS_TOWN, UNEXPLAINED
from nemuri_society.experiments.specialisation import ENTROPY
from nemuri_society.experiments.taxes import AFTER, AGAINST, BEFORE, EXACT, FROZEN, RATE
from nemuri_society.experiments.with_models import items, likeability, memes, specialisation, taxes
from nemuri_society.experiments.with_models.life import BY_RULES, FAILED, ModelExperiment
from nemuri_society.experiments.with_models.lives import lived_already, measured
from nemuri_society.experiments.with_models.trials import Choices, Trial, build_trials
from nemuri_society.operations.budgets import store_budget
from nemuri_society.operations.lifecycle import create_society, watch_figures
from nemuri_society.operations.report import run_report
from nemuri_society.stores.society_record import SocietyRecord
from nemuri_society.stores.society_states import SocietyError
from tests.integration.society.living_society import living
from tests.integration.society.wire_model import TextModel

pytestmark = [pytest.mark.connected, pytest.mark.slow]
SPEED = 10.0
Figures = Mapping[str, float]


async def life(
    log: Log, experiment: ModelExperiment, setting: Setting, condition: str, without: Collection[str] = ()
) -> Figures:
    """Return the figures of the life of one society, whose model does not see the parts `without` of its prompts."""
    name = "-".join([experiment.file, *without, *(word for word in condition.split() if word.isalpha())])[:40]
    choices = Choices("openai:citizen", setting, seed=1, runs=1, conditions={"speed": SPEED, "size": 64})
    trial = next(trial for trial in build_trials(name, experiment, choices) if trial.condition == condition)
    async with TextModel(PromptCitizen(without).answer) as model:
        settings = ModelSettings.model_validate({"openai_api_key": "k", "openai_base_url": f"{model.url}/v1"})
        await _lives(log, trial, settings)
    figures = await measured(SocietyRecord(log, trial.society.name).events(), experiment, trial)
    assert figures[BY_RULES] == 0
    assert figures[FAILED] < 0.1
    return figures


async def _lives(log: Log, trial: Trial, settings: ModelSettings) -> None:
    """Let a society live to its end, with the steps that people take meanwhile."""
    name = trial.society.name
    await create_society(log, trial.society)
    async with watch_figures(log, name) as figures, living(log, name, settings):
        steps = trial.arm.intervene(log, trial.society, trial.seconds) if trial.arm.intervene else asyncio.sleep(0)
        stepping = asyncio.ensure_future(steps)
        while figures.second < trial.seconds:
            await figures.updated.wait()
            figures.updated.clear()
        if stepping.done():
            stepping.result()
        await cancel_and_wait(stepping)


async def test_a_life_that_was_broken_off_is_not_measured(log: Log) -> None:
    """A society that is missing is to be run. One that exists without having lived to its end is refused by name, with
    what to do.
    """
    [trial, _] = build_trials("cut", items.EXPERIMENT, Choices("main", Setting(2, 60), seed=1, runs=1))
    assert not await lived_already(log, trial)
    await create_society(log, trial.society)
    with pytest.raises(SocietyError, match="'cut-1-1-1' exists, but its life was broken off; delete it with"):
        await lived_already(log, trial)


async def test_a_life_that_stopped_thinking_is_not_measured(log: Log) -> None:
    """A society whose budget was used up before its end is refused. With a budget that was raised in time it counts."""
    [trial, _] = build_trials("poor", items.EXPERIMENT, Choices("main", Setting(2, 60), seed=1, runs=1))
    states = await create_society(log, trial.society)
    await store_budget(states, Budget(tokens=9))
    record = SocietyRecord(log, trial.society.name)
    report = run_report(trial.society.name, {}, {}, 0.0, None, None).model_dump(mode="json")
    await record.tell("paused", RunEnded(second=60.0, report=report | {"paused": "9 of 9 tokens are used"}))
    with pytest.raises(SocietyError, match=r"it stopped thinking \(9 of 9 tokens are used\); delete it with"):
        await lived_already(log, trial)
    await record.tell("raised", RunEnded(second=61.0, report=report))
    assert await lived_already(log, trial)


@pytest.mark.long
async def test_agents_obtain_fewer_items_without_recipes_in_their_prompts(log: Log) -> None:
    """With the whole prompt agents make tools within two minutes; how many depends on how fast the machine lets them
    think. Without recipes they make less than half as many.
    """
    setting = Setting(4, 120)
    whole, less = await asyncio.gather(
        life(log, items.EXPERIMENT, setting, FULL), life(log, items.EXPERIMENT, setting, FULL, ("recipes",))
    )
    assert whole[ITEMS] >= 2
    assert less[ITEMS] < whole[ITEMS] / 2
    assert whole[f"{ITEMS} 1-12"] <= whole[f"{ITEMS} 109-120"] <= whole[ITEMS]


@pytest.mark.long
async def test_trades_are_diverse_only_if_prompts_tell_what_others_do(log: Log) -> None:
    """Agents that hear of the others' trades take different ones. Without words and opinions all take the same."""
    setting = Setting(6, 240)
    whole, less = await asyncio.gather(
        life(log, specialisation.EXPERIMENT, setting, FULL),
        life(log, specialisation.EXPERIMENT, setting, FULL, ("words", "opinions")),
    )
    assert whole[specialisation.NAMED] >= 0.9
    assert whole[ENTROPY] > 0.2  # Two trades at least; how many depends on who hears whom in time.
    assert less[ENTROPY] == 0


@pytest.mark.long
async def test_a_vote_follows_what_was_heard_and_payments_follow_the_law(log: Log) -> None:
    """Those who heard influencers vote as these wish, and pay what the new law says. Without the words of others in
    their prompts they vote for the tax as it is; without the law they pay nothing; a frozen law stays.
    """
    setting = Setting(7, 240)
    against, frozen = await asyncio.gather(
        life(log, taxes.EXPERIMENT, setting, AGAINST), life(log, taxes.EXPERIMENT, setting, FROZEN)
    )
    deaf, lawless = await asyncio.gather(  # Four lives at once are slower than their votes on a loaded machine.
        *(life(log, taxes.EXPERIMENT, setting, AGAINST, (part,)) for part in ("words", "law"))
    )
    for figures in (against, frozen, deaf):
        assert figures[BEFORE] == pytest.approx(0.2, abs=0.01)
        assert figures[EXACT] == 1
        assert figures[taxes.UNREAD] == 0
        assert figures[taxes.VOTED] == 1
    assert (against[RATE], frozen[RATE], deaf[RATE]) == (5, 20, 20)
    assert against[AFTER] == pytest.approx(0.05, abs=0.01)
    assert frozen[AFTER] == pytest.approx(0.2, abs=0.01)
    assert deaf[AFTER] == pytest.approx(0.2, abs=0.01)
    assert lawless[BEFORE] == 0


@pytest.mark.long
async def test_a_faith_spreads_only_to_those_who_hear_of_it(log: Log) -> None:
    """People in the priests' town take up the faith after they have heard of it, and nobody before. Without the words
    of others in their prompts nobody takes it up.
    """
    experiment = replace(memes.EXPERIMENT, usual=Setting(8, 180))
    whole, deaf = await asyncio.gather(
        life(log, experiment, experiment.usual, FULL), life(log, experiment, experiment.usual, FULL, ("words",))
    )
    for figures in (whole, deaf):
        assert figures[f"{EXPOSED}, {PRIESTS_TOWN}"] > 0
        assert figures[UNEXPLAINED] == 0
    assert whole[f"{INDIRECT}, {PRIESTS_TOWN}"] > 0
    assert deaf[f"{INDIRECT}, {PRIESTS_TOWN}"] == 0


@pytest.mark.long
async def test_perceived_likeability_follows_how_people_speak(log: Log) -> None:
    """Those who are kind are liked, and those who are rude are not. Without words and opinions in their prompts agents
    know nobody, and no fit can be made.
    """
    setting = Setting(10, 240)
    whole, less = await asyncio.gather(
        life(log, likeability.EXPERIMENT, setting, FULL),
        life(log, likeability.EXPERIMENT, setting, FULL, ("words", "opinions")),
    )
    assert whole[R] > 0.7
    assert whole[likeability.KEPT] > 0.7
    assert R not in less

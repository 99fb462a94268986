"""A society lives an experiment on a real, small, careless language model: `make careless` installs it."""

from collections import Counter

import pytest
from pydantic import TypeAdapter

from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.settings import ModelSettings
from nemuri_society.contracts.record import Record
from nemuri_society.contracts.world_protocol import SPEECH_LIMIT, Action, action_of
from nemuri_society.experiments.experiment_society import FULL, Setting
from nemuri_society.experiments.with_models import items
from nemuri_society.experiments.with_models.life import ANSWERS, BY_RULES, ModelUse
from nemuri_society.experiments.with_models.lives import measured
from nemuri_society.experiments.with_models.trials import Choices, build_trials
from nemuri_society.operations.lifecycle import SocietyFigures, create_society, watch_figures
from nemuri_society.operations.past_society import society_moment
from nemuri_society.stores.society_record import SocietyRecord
from tests.integration.providers.careless_model import CarelessServer, SmallModel, missing_modules
from tests.integration.society.living_society import living

pytestmark = [
    pytest.mark.connected,
    pytest.mark.long,
    pytest.mark.timeout(1_800),
    pytest.mark.skipif(bool(missing_modules()), reason=f"needs {', '.join(missing_modules())}: `make careless`"),
    pytest.mark.filterwarnings("ignore:::transformers", "ignore:::torch"),
]
LONGEST = 48
"""Maximum number of tokens of a reply. Most replies end within an object that is not closed, and the server does not
say so.
"""
FEWEST_REQUESTS = 8
"""Number of requests that have ended, well or badly, until which the society lives at least."""


def _ended(seen: SocietyFigures) -> int:
    """Return the number of requests that have ended."""
    return sum(host.asked.answered + host.asked.failed for host in seen.vitals.values())


async def test_a_society_lives_on_a_careless_model(log: Log) -> None:
    """Three agents live on a model whose replies mostly cannot be read. Every failure is counted, nobody stops, rules
    answer for nobody, and whatever is on record and in the agents' states is valid.
    """
    choices = Choices("openai:smollm2", Setting(3, 120), seed=1, runs=1, conditions={"slots": 2, "size": 64})
    trial = build_trials("careless", items.EXPERIMENT, choices)[0]
    society = trial.society
    assert trial.condition == FULL
    async with CarelessServer(SmallModel(), LONGEST, honest=False) as server:
        settings = ModelSettings.model_validate(
            {"openai_api_key": "k", "openai_base_url": server.url, "timeout": 600.0, "budget": 900.0}
        )
        await create_society(log, society)
        async with watch_figures(log, society.name) as seen, living(log, society.name, settings):
            while seen.second < trial.seconds or _ended(seen) < FEWEST_REQUESTS:
                await seen.updated.wait()
                seen.updated.clear()
    record = SocietyRecord(log, society.name)
    figures = await measured(record.events(), items.EXPERIMENT, trial)
    use = ModelUse(society, trial.seconds)
    kinds = Counter[str]()
    async for event in record.events():
        use.add(event)
        kinds[event.kind] += 1
        if event.kind == "act":
            action: TypeAdapter[Action] = action_of
            action.validate_python(event.values["action"])
        elif event.kind == "speech":
            assert 0 < len(event.values["text"]) <= SPEECH_LIMIT
        elif event.kind == "feeling":
            assert 0 <= event.values["sentiment"] <= 10
    for message in [message async for message in record.stored()]:
        Record.model_validate_json(message.data)
    [host] = use.hosts.values()
    assert host.agents == len(society.agents)
    assert kinds["places"]
    assert figures[ANSWERS] > 0
    assert sum(host.failures.values()) > 0
    assert figures[BY_RULES] == 0
    assert host.asked.answered + host.asked.failed >= FEWEST_REQUESTS
    for sections in (await society_moment(log, society.name)).minds.values():
        known = sections.get("social_model", {}).values()
        assert all(0 <= opinion["sentiment"] <= 10 for opinion in known)

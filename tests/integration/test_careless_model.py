"""Every job of the platform, answered by a real, small, careless language model: `make careless` installs it."""

import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from contextlib import aclosing
from typing import Any

import pytest
import pytest_asyncio

from nemuri.admin.tiered import consolidate
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.event import derive
from nemuri_infra.models.factory import Models, build_models
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable
from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.observability.metrics import Metrics
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.cassettes.cassette import cassette, cassette_names
from tests.integration.classroom import TEXTBOOK, until_finished_and_idle
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    dead_letters,
    effective_events,
    running_services,
)
from tests.integration.providers.careless_model import CarelessServer, SmallModel, missing_modules

pytestmark = [
    pytest.mark.connected,
    pytest.mark.long,
    pytest.mark.timeout(1_800),
    pytest.mark.skipif(bool(missing_modules()), reason=f"needs {', '.join(missing_modules())}: `make careless`"),
    pytest.mark.filterwarnings("ignore:::transformers", "ignore:::torch"),
]
SAID = [
    {"role": "user", "name": "Ann", "content": "I moved from Oslo to Bergen last week.", "at": "2026-05-04T09:00:00Z"},
    {"role": "assistant", "content": "Nice! Do you like it there?"},
    {"role": "user", "name": "Ann", "content": "Very much. I cannot eat nuts, so never suggest any."},
]
LONGEST = 24
"""Maximum number of tokens of a reply. The model seldom ends by itself."""


@pytest.fixture(scope="module")
def small_model() -> SmallModel:
    """The model, which takes some seconds to load."""
    return SmallModel()


@pytest_asyncio.fixture(loop_scope="session")
async def server(small_model: SmallModel) -> AsyncIterator[CarelessServer]:
    """A server of the model."""
    async with CarelessServer(small_model, LONGEST) as running:
        yield running


def models_of(settings: Settings, server: CarelessServer, metrics: Metrics) -> Models:
    """Return the platform's two models as its settings build them, with the provider `openai` at the server."""
    given = {"providers": "openai", "openai_base_url": server.url, "model_timeout": 600.0, "model_budget": 900.0}
    return build_models(settings.model_copy(update=given).model_settings(), metrics)


def counted(metrics: Metrics, name: str) -> Counter[str]:
    """Return the values of a counter by the last of its labels."""
    found = Counter[str]()
    for family in metrics.registry.collect():
        for sample in family.samples:
            if sample.name == f"{name}_total":
                found[[*sample.labels.values()][-1]] += int(sample.value)
    return found


@pytest.mark.parametrize("name", cassette_names())
async def test_a_job_ends_with_a_value_or_an_error_that_is_counted(server: CarelessServer, name: str) -> None:
    """Each job ends with a value of its kind, or is refused. Every call is counted, and so is every reply that cannot
    be read, with the name of its prompt.
    """
    tape, metrics = cassette(name), Metrics()
    models = models_of(Settings(), server, metrics)
    replaced, refused = 0, 0
    for _ in range(2):
        try:
            reply = await models.main.do(tape.job)
        except (ModelRefused, ModelUnavailable):
            refused += 1
            continue
        rules = tape.job.without_model()
        assert isinstance(reply.value, type(tape.value) | type(rules) | type(tape.otherwise))
        replaced += tape.job.stand_in in reply.usage.model
        assert reply.usage.input_tokens > 0
    await models.aclose()
    calls, unread = counted(metrics, "nemuri_model_calls"), counted(metrics, "nemuri_model_unreadable_replies")
    assert calls["answered"] + calls["refused"] == 2
    assert calls["unavailable"] == 0
    assert unread.total() >= replaced
    assert set(unread) <= {tape.job.chat_request().prompts[0].partition("@")[0]}
    assert replaced + refused <= unread.total() + calls["refused"]
    assert not isinstance(tape.job, AnswerJob) or not unread


async def patiently(call: Awaitable[object]) -> None:
    """Await a call that may give up waiting for the slow model: what it sent is in the log then."""
    with contextlib.suppress(ClientError):
        await call


async def live(client: Client, resources: Resources) -> None:
    """Let agents with all three kinds of memory do what asks a model: learn, answer, sleep, read, grade."""
    last = 0
    for agent, fields in (
        ("python", {}),
        ("cook", {"description": "food cooking kitchen"}),
        ("diary", {"memory": "affective", "perspectives": ()}),
        ("noah", {"memory": "tiered", "perspectives": ()}),
    ):
        last = await resources.log.append(agent_defined(agent, **fields))
    judged = {"use_detection": "judge", "max_steps": 1}
    last = await resources.log.append(
        PolicyAdopted(event_id=derive("careless", "policy"), agent_id="python", parameters=judged)
    )
    await resources.views.progress.wait(last)
    await client.converse("cook", SAID, conversation="chat")
    await client.remember("python", "An empty list is false.")
    await client.remember("python", "An empty list has the truth value false.")
    task = await client.ask("What is the truth value of an empty list?", agent="python", settled=True, timeout=900)
    assert task.status in {"done", "failed"}
    panel = await client.ask("May Ann eat nuts, and is an empty list true?", panel=2, settled=True, timeout=900)
    assert panel.status in {"done", "failed"}
    await patiently(client.affect_remember("diary", "I am glad that the parser works again!"))
    for place in ("morning", "evening"):
        await patiently(client.experience("noah", f"Noah mined iron with Lila in the cave in the {place}."))
    await patiently(consolidate(client, "noah"))


async def test_the_platform_lives_with_a_careless_model(settings: Settings, small_model: SmallModel) -> None:
    """Nothing hangs and no event is given up: each task ends. What is stored fits its schema, and the tables equal
    those that are rebuilt from the log. Every call is counted.
    """
    metrics = Metrics()
    async with (
        CarelessServer(small_model, LONGEST, honest=False) as server,
        aclosing(models_of(settings, server, metrics)) as models,
        running_services(settings, models=models) as resources,
        connected_client(settings) as client,
    ):
        await live(client, resources)
        course = await client.teach("python", TEXTBOOK)
        await until_finished_and_idle(resources, client, course, seconds=1_200)
        assert await dead_letters(resources.log) == []
        events: list[Any] = await effective_events(resources.log)
        for event in events:
            stored = event.model_dump()
            assert type(event).model_validate(stored).model_dump() == stored
        calls = counted(metrics, "nemuri_model_calls")
        assert calls["answered"] + calls["refused"] > 0
        assert calls["unavailable"] == 0
        assert len(server.asked) >= calls["answered"]
        named = set(counted(metrics, "nemuri_model_unreadable_replies"))
        print(f"{dict(calls)}, unreadable: {dict(counted(metrics, 'nemuri_model_unreadable_replies'))}")
        assert named  # A model as careless as this one breaks JSON somewhere.
    await assert_verified(settings)

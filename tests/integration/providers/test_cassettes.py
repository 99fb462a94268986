"""Every job of a model on the wires of both providers: requests equal the recorded ones, and every reply is read."""

import json
from importlib import import_module
from pkgutil import iter_modules

import pytest

from nemuri_infra.models import jobs
from nemuri_infra.models.protocol import Job
from tests.cassettes.cassette import cassette, cassette_names, recorded_path
from tests.cassettes.record import play, recording
from tests.cassettes.wire import PROVIDERS, ProviderName

pytestmark = pytest.mark.connected


@pytest.mark.parametrize("name", cassette_names())
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_job_is_played_as_recorded(provider: ProviderName, name: str) -> None:
    """Good replies give the value of the job, and bad ones its fallback or its error. The usage counts every reply and
    names the prompts. Requests and replies equal the recorded ones.

    If a prompt or a schema was changed on purpose: `make generate`.
    """
    every = await play(provider, cassette(name))
    assert {played.title: played.value for played in every} == {played.title: played.case.value for played in every}
    for played in every:
        assert played.usage.cached_tokens == 20 * len(played.case.replies), played.title
        assert played.usage.prompts, played.title
    recorded = json.loads(recorded_path(provider, name).read_text(encoding="utf-8"))
    assert recording(provider, every) == recorded


def test_every_job_has_a_cassette() -> None:
    """Each class of a job has a cassette. CONTRIBUTING.md says how to add one."""
    modules = [import_module(f"{jobs.__name__}.{each.name}") for each in iter_modules(jobs.__path__)]
    classes = {value for module in modules for value in vars(module).values() if isinstance(value, type)}
    every = {value for value in classes if issubclass(value, Job) and value is not Job}
    assert {type(cassette(name).job) for name in cassette_names()} == every
    assert len(every) == len(cassette_names())

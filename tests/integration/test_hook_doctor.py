"""The doctor of the hooks says which model reads the turns, and that it does not answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from nemuri_infra.runtime.settings import Settings
from tests.integration.test_affective_memory import affective_platform, remember_turns, turn
from tests.integration.test_hooks import Hook, answering_queries
from tests.unit.client.test_affect_lines import view

pytestmark = pytest.mark.connected


async def readings(hook: Hook, agent: str = "assistant") -> dict[str, Any]:
    """Return the doctor's check of the readings of an agent's turns."""
    _, printed, _ = await hook.run("doctor", "--json", "--agent", agent)
    [check] = [each for each in json.loads(printed) if each["name"] == "readings"]
    return dict(check)


@pytest.mark.parametrize(
    ("providers", "read_by", "well", "said"),
    [
        (("assistant", "extractive"), "claude-haiku", True, "read by claude-haiku"),
        (("extractive",), "lexicon", True, "read by lexicon"),
        (("assistant", "extractive"), None, True, "no turn yet"),
        (("assistant", "extractive"), "lexicon", False, "by the lexicon, not by assistant, extractive"),
        (("openai",), "gpt-5.4-mini, lexicon", False, "by the lexicon, not by openai"),
    ],
)
async def test_a_model_that_does_not_read_is_a_fault(
    settings: Settings, tmp_path: Path, providers: tuple[str, ...], read_by: str | None, well: bool, said: str
) -> None:
    """The readings are not in order if the lexicon read the newest turn in the place of a model."""
    told = view(providers=providers, read_by=read_by)
    async with answering_queries(settings, affect=lambda _: told):
        check = await readings(Hook(settings, tmp_path))
    assert (check["well"], said in check["found"]) == (well, True)


async def test_the_state_of_a_memory_names_its_reader(settings: Settings, tmp_path: Path) -> None:
    """Without a model the lexicon reads the turns, and this is in order."""
    async with affective_platform(settings) as resources:
        hook, found = Hook(settings, tmp_path), {"name": "readings", "well": True}
        assert await readings(hook, "diary") == found | {"found": "no turn yet"}
        await remember_turns(resources, [turn("The oven is cold.")])
        assert await readings(hook, "diary") == found | {"found": "the newest turn was read by lexicon"}
        assert not (await readings(hook, "nobody"))["well"]

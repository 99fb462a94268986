"""The doctor of the hooks says which model reads the turns, and that it does not answer."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from nemuri.hook.assistants import CLAUDE
from nemuri.hook.doctor import check_installation
from nemuri_contracts.dead_letters import DeadLetter
from nemuri_infra.process.hook_settings import HookSettings
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.dead_letters import DeadLetters
from tests.integration.harness import opened_log
from tests.integration.test_affective_memory import affective_platform, remember_turns, turn
from tests.integration.test_hooks import Hook, answering_queries
from tests.unit.client.test_affect_lines import view

pytestmark = pytest.mark.connected


@pytest.fixture
def where(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory whose hooks find the platform of the test."""
    monkeypatch.setenv("NATS_URL", str(settings.nats_url))
    monkeypatch.setenv("NEMURI_NAMESPACE", settings.namespace)
    return tmp_path


async def checked(where: Path, name: str, agent: str = "assistant") -> tuple[bool, str]:
    """Return the result of a check of the doctor."""
    hooks = HookSettings(str(where), agent)
    checks = await asyncio.to_thread(check_installation, hooks, CLAUDE, where / "settings.json")
    [check] = [each for each in checks if each.name == name]
    return check.well, check.found


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
    settings: Settings, where: Path, providers: tuple[str, ...], read_by: str | None, well: bool, said: str
) -> None:
    """The readings are not in order if the lexicon read the newest turn in the place of a model."""
    told = view(providers=providers, read_by=read_by)
    async with answering_queries(settings, affect=lambda _: told):
        told_well, found = await checked(where, "readings")
    assert (told_well, said in found) == (well, True)


async def test_the_state_of_a_memory_names_its_reader(settings: Settings, where: Path) -> None:
    """Without a model the lexicon reads the turns, and this is in order."""
    async with affective_platform(settings) as resources:
        assert await checked(where, "readings", "diary") == (True, "no turn yet")
        await remember_turns(resources, [turn("The oven is cold.")])
        assert await checked(where, "readings", "diary") == (True, "the newest turn was read by lexicon")
        assert not (await checked(where, "readings", "nobody"))[0]
        well, found = await checked(where, "recall", "diary")
        assert well
        assert found.startswith("meaning in English and Japanese")


async def test_turns_that_no_model_could_read_are_a_fault(settings: Settings, where: Path) -> None:
    """The doctor counts the events that the reading service gave up, and says what to do."""
    fields: dict[str, Any] = {"subject": "s", "size": 2, "reason": "not signed in", "error": "E"}
    fields |= {"recorded_at": datetime(2026, 1, 2, tzinfo=UTC), "deliveries": 5, "faults": 5}
    async with opened_log(settings) as log:
        assert await checked(where, "given up") == (True, "no turns")
        for service, sequence in (("affective-memory", 7), ("affective-memory", 8), ("intake", 9)):
            await DeadLetters(log).store(DeadLetter(service=service, sequence=sequence, **fields), b"{}")
        well, found = await checked(where, "given up")
    assert (well, found[:9]) == (False, "2 events;")


@pytest.mark.long
async def test_a_data_directory_that_cannot_be_used_is_named(settings: Settings, tmp_path: Path) -> None:
    """The commands of the hooks say in one line that the data directory is a file."""
    (tmp_path / "file").touch()
    hook = Hook(settings, tmp_path / "file")
    for command in ("doctor", "pause", "flush"):
        assert await hook.run(command) == (1, "", f"nemuri: {tmp_path / 'file'} is not a directory\n")

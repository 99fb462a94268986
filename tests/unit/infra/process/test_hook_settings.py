"""Hooks find the platform in the same way as the command line, but import less."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from nemuri_infra.embedded.data_directory import Addresses, Home, HomeUnusable
from nemuri_infra.process.hook_settings import HookSettings, PlatformNotFound
from nemuri_infra.runtime.settings import Settings

HEAVY = {"asyncio", "pydantic", "pydantic_settings", "typer", "nats", "numpy", "platformdirs", "ssl", "uuid"}
LOADED = "import sys; from nemuri.hook.entry import is_hook, run; run(['hook', 'prompt']); print(*sys.modules)"
WORDS = st.sampled_from(
    ["", "a", "nemuri-2", "~/x", "/srv/data", "data", "nats://ann:pw@h:1,nats://i", "1.5", "0", "é"]
)
SETTINGS = [
    "NEMURI_DATA", "nemuri_data", "NEMURI_NAMESPACE", "Nemuri_Client", "NATS_URL", "nats_url", "NEMURI_NATS_URL",
    "NEMURI_NATS_CA", "NEMURI_NATS_CERTIFICATE", "NEMURI_NATS_KEY", "NEMURI_HOOK_AGENT", "NEMURI_HOOK_PATIENCE",
    "XDG_DATA_HOME",
]  # fmt: skip


def set_environment(environment: pytest.MonkeyPatch, told: dict[str, str]) -> None:
    """Set these environment variables and remove all others."""
    for name in SETTINGS:
        environment.delenv(name, raising=False)
    for name, value in told.items():
        environment.setenv(name, value)


@given(st.dictionaries(st.sampled_from(SETTINGS), WORDS))
def test_hooks_and_the_command_line_read_the_same_settings(told: dict[str, str]) -> None:
    """In any environment each setting of a hook equals the command line's, and both refuse the same values."""
    with pytest.MonkeyPatch.context() as environment:
        set_environment(environment, told)
        try:
            settings = Settings()
        except ValidationError:
            with pytest.raises(PlatformNotFound):
                HookSettings()
            return
        where = HookSettings()
        assert Path(where.data) == settings.data.expanduser().absolute()
        assert (where.namespace, where.client) == (settings.namespace, settings.client)
        assert where.nats_url == settings.nats_url
        files = (settings.nats_ca, settings.nats_certificate, settings.nats_key)
        mine = (where.nats_ca, where.nats_certificate, where.nats_key)
        assert tuple(each and Path(each) for each in mine) == files
        assert (where.agent, where.patience) == (settings.hook_agent, settings.hook_patience)


def test_hooks_and_the_command_line_find_the_same_platform(tmp_path: Path) -> None:
    """Both hooks and the command line find a platform only while it is ready, and refuse damaged addresses."""
    home, where = Home(tmp_path), HookSettings(str(tmp_path))
    addresses = Addresses(nats_url="nats://127.0.0.1:4", database_url="postgresql://", pid=1)

    def found() -> str | None:
        try:
            return where.nats_address
        except PlatformNotFound:
            return None

    assert (found(), home.read_addresses()) == (None, None)
    with home.lock():
        assert (found(), home.read_addresses()) == (None, None)
        home.write_addresses(addresses)
        assert found() == addresses.nats_url
        (tmp_path / "addresses.json").write_text('{"nats')
        assert found() is None
        with pytest.raises(HomeUnusable):
            home.read_addresses()
    assert (found(), home.read_addresses()) == (None, None)


def test_arguments_take_precedence_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The arguments for directory and agent take precedence over the environment."""
    set_environment(monkeypatch, {"NEMURI_DATA": "/elsewhere", "NEMURI_HOOK_AGENT": "bob"})
    where = HookSettings("/here", "ann")
    assert (where.data, where.agent) == ("/here", "ann")
    with pytest.raises(PlatformNotFound, match="agent"):
        HookSettings("/here", "ann.*")


def test_a_hook_imports_no_slow_module(tmp_path: Path) -> None:
    """A hook that runs until it finds no platform imports none of the slow modules."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED],
        input=b'{"prompt": "hello"}',
        env={
            "NEMURI_DATA": str(tmp_path),
            "NEMURI_HOOK_START": "off",
            "HOME": str(tmp_path),
            "PYTHONPATH": ":".join(sys.path),
        },
        capture_output=True,
        check=True,
    )
    assert not HEAVY & set(done.stdout.decode().split())
    assert "no platform runs" in (tmp_path / "hooks" / "journal").read_text()

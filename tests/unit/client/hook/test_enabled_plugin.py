"""Tests of an assistant whose plugin and settings both have the hooks."""

import json
from pathlib import Path
from typing import Any

import pytest

from nemuri.cli.failures import Failure
from nemuri.cli.hook_install import install as install_command
from nemuri.cli.session import Session
from nemuri.hook.assistants import ASSISTANTS, CLAUDE
from nemuri.hook.doctor import check_installation
from nemuri.hook.enabled_plugin import EnabledPlugin, enabled_plugin
from nemuri.hook.settings_file import hooks, install
from nemuri_infra.process.hook_settings import HookSettings

ENABLED = {"enabledPlugins": {"nemuri@nemuri": True}}


class Context:
    """The context of a command without options of the program."""

    def find_object(self, _: type[Session]) -> Session:
        """Return the session of the command."""
        return Session(None, json=False, verbose=False)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's settings file, in a home directory without any. The working directory is an empty project."""
    for name in ("CLAUDE_CONFIG_DIR", "NATS_URL", "NEMURI_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "project" / ".claude").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    path = tmp_path / "home" / ".claude" / "settings.json"
    path.parent.mkdir(parents=True)
    return path


def write(path: Path, content: Any) -> Path:
    """Write a settings file and return its path."""
    path.write_text(json.dumps(content))
    return path


def found(settings: Path) -> EnabledPlugin | None:
    """Return the enabled plugin, seen from the working directory."""
    return enabled_plugin(CLAUDE, settings, Path.cwd())


def test_a_plugin_is_found_in_every_scope(user: Path) -> None:
    """A plugin counts if the settings of the user or of the project enable it. The project's settings come later."""
    assert found(user) is None
    write(user, ENABLED)
    assert found(user) == ("nemuri@nemuri", user)
    local = write(Path.cwd() / ".claude" / "settings.local.json", {"enabledPlugins": {"nemuri@nemuri": False}})
    assert found(user) is None
    write(local, {"enabledPlugins": {"nemuri@fork": True}})
    assert found(user) == ("nemuri@nemuri", user)
    user.unlink()
    assert found(user) == ("nemuri@fork", local)
    assert enabled_plugin(ASSISTANTS["codex"], user, Path.cwd()) is None


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"enabledPlugins": []}',
        '{"enabledPlugins": {"nemuri@x": "yes"}}',
        '{"enabledPlugins": {"nemuri2@x": true}}',
    ],
)
def test_other_settings_enable_nothing(user: Path, content: str) -> None:
    """Broken settings, other plugins, and values that are not true enable nothing."""
    user.write_text(content)
    assert found(user) is None


def checked(settings: Path) -> tuple[bool, str]:
    """Return the doctor's check of the settings."""
    [check] = [each for each in check_installation(HookSettings(), CLAUDE, settings) if each.name == "settings"]
    return check.well, check.found


def test_the_doctor_warns_of_hooks_installed_twice(user: Path) -> None:
    """The doctor accepts hooks of the settings or of the plugin, and finds fault with both and with none."""
    assert not checked(user)[0]
    write(user, ENABLED)
    assert checked(user) == (True, f"the plugin nemuri@nemuri, enabled in {user}")
    install(user, hooks(None, None))
    well, line = checked(user)
    assert not well
    assert "handle each turn twice" in line
    assert "`nemuri hook uninstall`" in line
    install(user, {})
    assert checked(user)[0]
    write(user, {})
    install(user, hooks(None, None))
    assert checked(user)[0]


def test_hooks_are_not_installed_beside_the_plugin(user: Path) -> None:
    """`hook install` stops if the plugin is enabled, and changes nothing. `--force` goes on."""
    context: Any = Context()
    before = write(user, ENABLED).read_text()
    for write_too in (False, True):
        with pytest.raises(Failure, match=r"the plugin nemuri@nemuri, enabled in .* already has the hooks"):
            install_command(context, profile="none", write=write_too)
    assert user.read_text() == before
    install_command(context, profile="none", write=True, force=True)
    assert json.loads(user.read_text()) == ENABLED | {"hooks": hooks(None, None)}

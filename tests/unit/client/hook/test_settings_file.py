"""Tests of adding the hooks to an assistant's settings file."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri.hook.assistants import CLAUDE
from nemuri.hook.entry import is_hook
from nemuri.hook.settings_file import SettingsBroken, check_writable, hooks, install, merged

THEIRS = {"type": "command", "command": "echo 'a hook prompt"}
OTHERS = st.recursive(
    st.none() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def commands(settings: dict[str, Any]) -> list[list[str]]:
    """Return the commands of our hooks in the settings, split as a shell splits them."""
    return [
        shlex.split(each["command"])
        for event in (each.event for each in CLAUDE.events)
        for group in settings["hooks"][event]
        for each in group["hooks"]
    ]


def test_every_hook_is_called_by_an_absolute_command() -> None:
    """Every hook is called by a command with an absolute path. The hook's entry point accepts its agent and directory
    unchanged.
    """
    found = commands({"hooks": hooks("ann", Path("/a b"))})
    assert [words[-6:] for words in found] == [
        ["--data", "/a b", "hook", event.hook, "--agent", "ann"] for event in CLAUDE.events
    ]
    assert all(Path(words[0]).is_absolute() and is_hook(words[-6:]) for words in found)


@given(st.dictionaries(st.text(max_size=4), OTHERS, max_size=3), st.lists(OTHERS, max_size=3))
def test_other_settings_stay_and_each_hook_is_added_once(settings: dict[str, Any], groups: list[Any]) -> None:
    """Other settings stay when the hooks are added. Adding them again changes nothing, and another agent replaces the
    earlier one.
    """
    given_ = settings | {"hooks": {"Notification": groups, "SessionEnd": [*groups, {"hooks": [THEIRS]}]}}
    before = json.dumps(given_)
    once = merged(given_, hooks("ann", None))
    assert merged(once, hooks("ann", None)) == once
    other = merged(once, hooks("bob", None))
    assert json.dumps(other).count("session-end") == json.dumps(given_).count("session-end") + 1
    assert other["hooks"]["SessionEnd"] == [*groups, {"hooks": [THEIRS]}, *hooks("bob", None)["SessionEnd"]]
    assert {name: value for name, value in other.items() if name != "hooks"} == {
        name: value for name, value in settings.items() if name != "hooks"
    }
    assert other["hooks"]["Notification"] == groups
    assert json.dumps(given_) == before


def test_only_our_hook_is_removed_from_its_group() -> None:
    """If our hook is in a group with other hooks, only ours is removed from the group. The new hook gets a group of its
    own.
    """
    [old] = hooks("ann", None)["SessionEnd"]
    mixed = {"hooks": {"SessionEnd": [{"matcher": "clear", "hooks": [THEIRS, *old["hooks"]]}]}}
    found = merged(mixed, hooks("bob", None))["hooks"]["SessionEnd"]
    assert found == [{"matcher": "clear", "hooks": [THEIRS]}, *hooks("bob", None)["SessionEnd"]]


def test_a_file_is_created_once_and_then_unchanged(tmp_path: Path) -> None:
    """The settings file is created with its directory, and adding the hooks again does not change it.

    If the file is a symbolic link, its target is written and keeps its permissions.
    """
    kept, link = tmp_path / "dotfiles.json", tmp_path / "home" / "settings.json"
    link.parent.mkdir()
    kept.write_text('{"model": "眠り"}')
    kept.chmod(0o640)
    link.symlink_to(kept)
    assert install(link, hooks(None, None))
    assert not install(link, hooks(None, None))
    assert link.is_symlink()
    assert kept.stat().st_mode & 0o777 == 0o640
    assert json.loads(kept.read_text()) == {"model": "眠り", "hooks": hooks(None, None)}
    assert install(tmp_path / "new" / "settings.json", hooks(None, None))
    assert sorted(path.name for path in tmp_path.rglob("*.new")) == []


@pytest.mark.parametrize("content", ['{"hooks": ', "[]", '{"hooks": []}', '{"hooks": {"SessionEnd": {}}}', "\ud800"])
def test_a_broken_file_is_unchanged(tmp_path: Path, content: str) -> None:
    """A broken settings file is not changed, and the error is one line that names the file."""
    path = tmp_path / "settings.json"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(SettingsBroken, match=r"settings.json is left as it is"):
        install(path, hooks(None, None))
    assert path.read_bytes() == content.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("place", ["/proc/settings.json", "."])
def test_a_file_that_cannot_be_written_is_named(place: str) -> None:
    """A settings file that cannot be written is refused in one line that names it, before anything is changed."""
    with pytest.raises(SettingsBroken, match=re.escape(place)) as raised:
        check_writable(Path(place))
    assert "\n" not in str(raised.value)
    assert ".new" not in str(raised.value)


def test_a_check_leaves_nothing(tmp_path: Path) -> None:
    """The check of a file that can be written leaves neither the file nor another one."""
    check_writable(tmp_path / "settings.json")
    assert [*tmp_path.iterdir()] == []

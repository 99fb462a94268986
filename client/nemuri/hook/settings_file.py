"""The hook entries in the settings of a coding assistant."""

import json
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nemuri.hook.assistants import ASSISTANTS, CLAUDE, Assistant, HookEvent
from nemuri.hook.opencode_plugin import plugin_source
from nemuri.platform.program_path import program_words

OURS = frozenset(event.hook for program in ASSISTANTS.values() for event in program.events)


class SettingsBroken(Exception):  # noqa: N818 - the name states a fact
    """A settings file that cannot be changed, because its content is not as expected. The message is one line."""


def hooks(agent: str | None, data: Path | None, assistant: Assistant = CLAUDE) -> dict[str, Any]:
    """Return the hook entries of Nemuri for the settings of an assistant."""
    return {
        event.event: [_entry(event, _command(event.hook, agent, data, assistant), assistant)]
        for event in assistant.events
    }


def merged(settings: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with the hook entries `ours`, which replace all earlier entries of Nemuri. Other hooks stay.

    Raises `SettingsBroken`.
    """
    before = settings.get("hooks", {})
    if not isinstance(before, dict):
        raise SettingsBroken("its `hooks` are not an object")
    after = dict[str, Any]()
    for event in (*before, *(our for our in ours if our not in before)):
        groups = before.get(event, [])
        if event in ours and not isinstance(groups, list):
            raise SettingsBroken(f"its hooks of {event} are not a list")
        left = [*_others(groups)] if isinstance(groups, list) else groups
        if event in ours:
            after[event] = [*left, *ours[event]]
        elif left or not groups:
            after[event] = left
    return settings | {"hooks": after}


def planned_content(path: Path, ours: dict[str, Any], assistant: Assistant = CLAUDE) -> tuple[str, str]:
    """Return the content of a settings file, and the content with the hook entries `ours`. Nothing is written.

    Raises `SettingsBroken` and `OSError`.
    """
    target = path.expanduser().resolve()
    if assistant.shape == "plugin":
        return _text(target), str(ours.get("source", ""))
    try:
        settings = read_settings(target)
        after = merged(assistant.known | settings, ours)
    except SettingsBroken as error:
        raise SettingsBroken(f"{path} is left as it is: {error}") from error
    if not ours and not after["hooks"]:
        after = {name: value for name, value in after.items() if name != "hooks"}
    unchanged = after == settings or (not ours and not settings)
    return _text(target), _text(target) if unchanged else json.dumps(after, ensure_ascii=False, indent=2) + "\n"


def install(path: Path, ours: dict[str, Any], assistant: Assistant = CLAUDE) -> bool:
    """Add the hook entries `ours` to a settings file atomically, and return true if the file changed.

    Without entries, those of Nemuri are removed. Raises `SettingsBroken` or `OSError`, with nothing changed.
    """
    target = path.expanduser().resolve()
    before, after = planned_content(path, ours, assistant)
    if after == before:
        return False
    check_writable(path)
    if not after:
        target.unlink(missing_ok=True)
        return True
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    with _fresh(target) as fresh:
        fresh.write_text(after, encoding="utf-8")
        fresh.chmod(mode)
        fresh.replace(target)
    return True


def check_writable(path: Path) -> None:
    """Raise `SettingsBroken` if a settings file cannot be written. What it contains stays."""
    target = path.expanduser().resolve()
    if target.is_dir():
        raise SettingsBroken(f"{path} is a directory, not a settings file")
    if target.exists() and not os.access(target, os.W_OK):
        raise SettingsBroken(f"{path} is read-only")
    try:
        with _fresh(target):
            pass
    except OSError as error:
        raise SettingsBroken(f"{path} cannot be written: {error.strerror}") from error


@contextmanager
def _fresh(target: Path) -> Iterator[Path]:
    """Yield a new empty file beside a settings file. It is removed afterwards if it is still there."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.{os.getpid()}.new")
    try:
        fresh.touch(mode=0o600)
        yield fresh
    finally:
        fresh.unlink(missing_ok=True)


def plugin(agent: str | None, data: Path | None, assistant: Assistant) -> dict[str, Any]:
    """Return the source of the plugin for an assistant whose hooks are programs."""
    return {"source": plugin_source(_words("", agent, data, assistant))}


def missing_events(path: Path, assistant: Assistant) -> list[str]:
    """Return the events of an assistant that do not call Nemuri by its settings file.

    Raises `SettingsBroken` and `OSError`.
    """
    target = path.expanduser().resolve()
    if assistant.shape == "plugin":
        return [] if "nemuri" in _text(target) else ["the plugin"]
    found = read_settings(target).get("hooks", {})
    groups = {hooked.event: found.get(hooked.event) if isinstance(found, dict) else None for hooked in assistant.events}
    return [event for event, some in groups.items() if not isinstance(some, list) or [*_others(some)] == some]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def read_settings(path: Path) -> dict[str, Any]:
    """Return the content of a settings file; nothing if it is missing. Raises `SettingsBroken` and `OSError`."""
    try:
        settings = json.loads(path.read_bytes() or b"{}")
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:
        raise SettingsBroken("it is not JSON") from error
    if not isinstance(settings, dict):
        raise SettingsBroken("it is not a JSON object")
    return settings


def _entry(event: HookEvent, command: str, assistant: Assistant) -> dict[str, Any]:
    limit = {"timeout": int(event.seconds * assistant.unit)}
    if assistant.shape == "flat":
        return {"command": command} | limit
    matcher = {} if event.matcher is None else {"matcher": event.matcher}
    return matcher | {"hooks": [{"type": "command", "command": command} | limit]}


def _command(hook: str, agent: str | None, data: Path | None, assistant: Assistant) -> str:
    return shlex.join(_words(hook, agent, data, assistant))


def _words(hook: str, agent: str | None, data: Path | None, assistant: Assistant) -> list[str]:
    root = ["--data", str(data.expanduser().absolute())] if data else []
    whose = ["--agent", agent] if agent else []
    named = [] if assistant is CLAUDE else ["--assistant", assistant.name]
    return [*program_words(), *root, "hook", *([hook] if hook else []), *whose, *named]


def _others(groups: list[Any]) -> Iterator[Any]:
    """Yield the groups of hooks without the hooks of Nemuri. Groups with only hooks of Nemuri are left out."""
    for group in groups:
        inside = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(inside, list):
            if not _is_ours(group):
                yield group
            continue
        left = [hook for hook in inside if not _is_ours(hook)]
        if left == inside:
            yield group
        elif left:
            yield group | {"hooks": left}


def _is_ours(hook: object) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    called = any(words[at] == "hook" and words[at + 1] in OURS for at in range(len(words) - 1))
    return called and any(Path(word).stem == "nemuri" for word in words)

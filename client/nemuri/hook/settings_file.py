"""The hook entries in the settings of a coding assistant."""

import json
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

EVENTS = {"UserPromptSubmit": ("prompt", 5), "SessionEnd": ("session-end", 10)}
"""The hook and its time limit in seconds for each event of the assistant."""


class SettingsBroken(Exception):  # noqa: N818 - the name states a fact
    """A settings file that cannot be changed, because its content is not as expected. The message is one line."""


def settings_path() -> Path:
    """Return the path of the assistant's user settings file."""
    return Path.home() / ".claude" / "settings.json"


def hooks(agent: str | None, data: Path | None) -> dict[str, Any]:
    """Return the hook entries of Nemuri for the settings of an assistant."""
    return {event: [{"hooks": [_hook(*of, agent, data)]}] for event, of in EVENTS.items()}


def merged(settings: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with the hook entries `ours`, which replace earlier entries of Nemuri. Other hooks stay.

    Raises `SettingsBroken`.
    """
    before = settings.get("hooks", {})
    if not isinstance(before, dict):
        raise SettingsBroken("its `hooks` are not an object")
    after = dict(before)
    for event, groups in ours.items():
        if not isinstance(before.get(event, []), list):
            raise SettingsBroken(f"its hooks of {event} are not a list")
        after[event] = [*_others(before.get(event, [])), *groups]
    return settings | {"hooks": after}


def planned_content(path: Path, ours: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the content of a settings file, and the content with the hook entries `ours`. Nothing is written.

    Raises `SettingsBroken` and `OSError`.
    """
    try:
        settings = _settings(path.expanduser().resolve())
        return settings, merged(settings, ours)
    except SettingsBroken as error:
        raise SettingsBroken(f"{path} is left as it is: {error}") from error


def install(path: Path, ours: dict[str, Any]) -> bool:
    """Add the hook entries `ours` to a settings file atomically, and return true if the file changed.

    Raises `SettingsBroken` or `OSError`, with nothing changed.
    """
    target = path.expanduser().resolve()
    settings, after = planned_content(path, ours)
    if after == settings:
        return False
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = target.with_name(f"{target.name}.{os.getpid()}.new")
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    try:
        fresh.touch(mode=0o600)
        fresh.write_text(json.dumps(after, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        fresh.chmod(mode)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
    return True


def _settings(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_bytes() or b"{}")
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:
        raise SettingsBroken("it is not JSON") from error
    if not isinstance(settings, dict):
        raise SettingsBroken("it is not a JSON object")
    return settings


def _hook(name: str, seconds: int, agent: str | None, data: Path | None) -> dict[str, Any]:
    root = ["--data", str(data.expanduser().absolute())] if data else []
    whose = ["--agent", agent] if agent else []
    return {"type": "command", "command": shlex.join([*_program(), *root, "hook", name, *whose]), "timeout": seconds}


def _program() -> list[str]:
    """Return the command that starts this program from any directory."""
    called = Path(sys.argv[0]).absolute()
    return [str(called)] if called.stem == "nemuri" and os.access(called, os.X_OK) else [sys.executable, "-m", "nemuri"]


def _others(groups: list[Any]) -> Iterator[Any]:
    """Yield the groups of hooks without the hooks of Nemuri. Groups with only hooks of Nemuri are left out."""
    for group in groups:
        inside = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(inside, list):
            yield group
            continue
        left = [each for each in inside if not _is_ours(each)]
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
    called = any(words[at : at + 2] == ["hook", name] for name, _ in EVENTS.values() for at in range(len(words)))
    return called and any(Path(word).stem == "nemuri" for word in words)

"""Search for an enabled plugin of Nemuri, which brings the same hooks as the settings of an assistant can have."""

from pathlib import Path
from typing import NamedTuple

from nemuri.hook.assistants import Assistant
from nemuri.hook.settings_file import SettingsBroken, read_settings

PLUGIN = "nemuri"
PROJECT_FILES = ("settings.json", "settings.local.json")
"""Settings of a project, in the order in which they replace those of the user."""


class EnabledPlugin(NamedTuple):
    """A plugin that an assistant loads."""

    name: str
    """Name and marketplace, such as `nemuri@nemuri`."""
    path: Path
    """Settings file that enables it."""


def enabled_plugin(assistant: Assistant, settings: Path, directory: Path) -> EnabledPlugin | None:
    """Return the plugin of Nemuri that an assistant loads in a directory; None if it loads none.

    The files of the user, of `settings` and of the directory's project count, the later replacing the earlier. A file
    that is missing, or not as expected, enables nothing.
    """
    if assistant.plugins is None:
        return None
    project = [directory / assistant.folder / name for name in PROJECT_FILES]
    chosen = dict[str, tuple[object, Path]]()
    for path in (assistant.settings, settings, *project):
        chosen |= {name: (enabled, path) for name, enabled in _told(path, assistant.plugins).items()}
    found = (
        EnabledPlugin(name, path)
        for name, (enabled, path) in chosen.items()
        if enabled is True and name.partition("@")[0] == PLUGIN
    )
    return next(found, None)


def _told(path: Path, key: str) -> dict[str, object]:
    try:
        told = read_settings(path).get(key)
    except (SettingsBroken, OSError):
        return {}
    return told if isinstance(told, dict) else {}

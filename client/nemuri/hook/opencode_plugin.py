"""The plugin for OpenCode, whose hooks are functions of a JavaScript module."""

import json
from collections.abc import Sequence
from pathlib import Path
from string import Template

SOURCE = Path(__file__).with_name("opencode_plugin.js")
"""The module. `$command` and `$options` stand for the command that calls a hook."""


def plugin_source(command: Sequence[str]) -> str:
    """Return the source of the plugin. `command` calls a hook if the name of a hook is put after the word `hook`."""
    index = list(command).index("hook") + 1
    values = {"command": json.dumps(command[:index]), "options": json.dumps(command[index:])}
    return Template(SOURCE.read_text(encoding="utf-8")).substitute(values)

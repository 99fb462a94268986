"""Tests of the plugin for Claude Code: its files belong together, and name commands that exist."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from nemuri.cli.app import program
from nemuri.cli.command_tree import build_program
from nemuri.hook.assistants import CLAUDE
from nemuri.mcp_server.tool_forms import is_offered

ROOT = Path(__file__).parents[4]
PLUGIN = ROOT / "plugins" / "claude-code"
SKILLS = sorted(PLUGIN.glob("skills/*/SKILL.md"))
COMMANDS: Any = build_program(program()).commands


def read(path: str) -> Any:
    """Return the content of a JSON file of the repository."""
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def test_the_marketplace_leads_to_the_plugin() -> None:
    """The marketplace file of the repository names the plugin's folder, and the plugin has the package's version."""
    [entry] = read(".claude-plugin/marketplace.json")["plugins"]
    assert (ROOT / entry["source"]).resolve() == PLUGIN
    manifest = read("plugins/claude-code/.claude-plugin/plugin.json")
    assert (manifest["name"], entry["name"]) == ("nemuri", "nemuri")
    assert manifest["version"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def test_the_plugin_has_the_hooks_of_the_settings() -> None:
    """The plugin calls the same hooks as the settings that `hook install` writes, with the same limits."""
    found = read("plugins/claude-code/hooks/hooks.json")["hooks"]
    assert [*found] == [event.event for event in CLAUDE.events]
    for event in CLAUDE.events:
        [group] = found[event.event]
        [hook] = group["hooks"]
        assert hook["command"] == f'"${{CLAUDE_PLUGIN_ROOT}}/scripts/nemuri" hook {event.hook}'
        assert (hook["timeout"], hook.get("async")) == (event.seconds, None)
        assert group.get("matcher") == event.matcher


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_names_itself_and_commands_that_exist(path: Path) -> None:
    """A skill has its folder's name and a description, and each command in it exists with its options."""
    _, head, text = path.read_text(encoding="utf-8").split("---\n", 2)
    about = yaml.safe_load(head)
    assert about["name"] == path.parent.name
    assert about["description"]
    called = re.findall(r"`nemuri ([^`]+)`", text)
    assert called
    for each in called:
        words = [word for word in each.split() if word != "assistant"]
        group = COMMANDS[words[0]]
        command = group.commands[words[1]] if len(words) > 1 else group
        options = {name for parameter in command.params for name in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options, each


def run(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the plugin's script in an environment without Nemuri, unless `variables` name it."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home)} | variables
    script = PLUGIN / "scripts" / "nemuri"
    return subprocess.run([script, *arguments], env=environment, input="", capture_output=True, text=True, check=False)


def test_the_script_finds_nemuri_and_never_disturbs_without_it(tmp_path: Path) -> None:
    """The script runs the program that a variable names, or that is in the home directory. Without it, the first hook
    says how to install it, other hooks print nothing, and all exit with 0.
    """
    for hook in CLAUDE.events:
        done = run(tmp_path, "hook", hook.hook)
        assert (done.returncode, done.stderr) == (0, "")
        assert ("pipx install nemuri" in done.stdout) == (hook.hook == "session-start")
    assert run(tmp_path, "mcp").returncode == 1
    program = tmp_path / ".local" / "bin" / "nemuri"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    assert run(tmp_path, "hook", "prompt").stdout == "hook prompt\n"
    other = tmp_path / "other"
    os.link(program, other)
    assert run(tmp_path / "nowhere", "mcp", NEMURI_COMMAND=str(other)).stdout == "mcp\n"


def test_hooks_of_the_plugin_may_name_the_tool_that_it_brings(tmp_path: Path) -> None:
    """The script tells hooks the name of a tool that the plugin's MCP server has."""
    program = tmp_path / "nemuri"
    program.write_text('#!/bin/sh\necho "$NEMURI_HOOK_TOOL"\n')
    program.chmod(0o755)
    assert run(tmp_path, "hook", "prompt", NEMURI_COMMAND=str(program)).stdout == "memories\n"
    [server] = read("plugins/claude-code/.mcp.json")["mcpServers"].values()
    assert server["args"] == ["mcp", "--agent", "assistant"]
    assert is_offered("memories", "affective")

"""Tests of the command `nemuri prompts`."""

import json

from tests.unit.client.test_command_tree import nowhere, run

__all__ = ["nowhere"]


def test_all_prompts_are_listed_with_their_versions() -> None:
    """Without a name, all prompts are listed with versions and placeholders."""
    listed = run("prompts")
    assert listed.code == 0
    [line] = [each for each in listed.out.splitlines() if each.startswith("answer_share ")]
    assert line.split(maxsplit=2)[1:] == ["2", "chunks, of, percent"]
    assert {"answer", "turn_reading"} <= {load["name"] for load in json.loads(run("prompts", "--json").out)}


def test_one_prompt_is_shown_with_its_texts() -> None:
    """With a name, both messages of the prompt are shown with their placeholders."""
    shown = run("prompts", "key_point").out
    assert shown.startswith("key_point@")
    assert "# User\n\n{{text}}\n\n{{question}}" in shown
    assert json.loads(run("prompts", "key_point", "--json").out)["user"] == "{{text}}\n\n{{question}}"


def test_an_unknown_prompt_is_refused_in_one_line() -> None:
    """An unknown name is refused with the names that exist."""
    refused = run("prompts", "anser")
    assert refused.code == 1
    assert refused.err.count("\n") == 1
    assert "no prompt has the name 'anser'; there are agent_choice, answer" in refused.err

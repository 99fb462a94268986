"""Tests of reading agent definitions from YAML."""

from pathlib import Path

import pytest

from nemuri.admin.agent_definitions import DefinitionError, read_definition
from nemuri_contracts.agents import GENERAL, Definition
from nemuri_contracts.client_events import Scope

GOOD = """\
id: python
role: a teacher
perspectives: [semantics, {name: pitfalls, keywords: [error]}]
principles: [Quote.]
policy: {expected_tasks_per_day: 1, archive_threshold: 0.1}
"""
AFFECTIVE = """\
id: diary
role: a diary
memory: affective
policy: {archive: {auto_delete_enabled: true, retention_days: 365}}
"""


TIERED = """\
id: noah
role: a villager
memory: tiered
policy: {short_term: {base_capacity: 50}, long_term: {capacity: 10000}}
"""


def written(path: Path, text: str) -> Path:
    """Write a file with this text and return its path."""
    file = path / "agent.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_perspectives_are_names_or_mappings(tmp_path: Path) -> None:
    """A perspective without keywords may be given as its name alone. A definition keeps only differences from the
    default policy.
    """
    agent = read_definition(written(tmp_path, GOOD))
    assert agent.agent_id == "python"
    assert agent.definition.perspective_names == ("semantics", "pitfalls")
    assert agent.definition.perspectives[1].keywords == ("error",)
    assert agent.policy == {"expected_tasks_per_day": 1.0}


def test_a_definition_needs_no_perspectives(tmp_path: Path) -> None:
    """An agent with strength memory whose file names no perspectives has the general one."""
    agent = read_definition(written(tmp_path, "id: ann\nrole: a cook\n"))
    assert agent.definition.perspective_names == (GENERAL,)
    assert Definition(role="a cook", perspectives=()) == agent.definition


def test_a_principle_may_hold_in_one_project_only(tmp_path: Path) -> None:
    """A principle given as text is valid everywhere. A principle given as a mapping names its scope."""
    scoped = "[Quote., {text: Pay., scope: {level: project, name: bank}}]"
    agent = read_definition(written(tmp_path, GOOD.replace("[Quote.]", scoped)))
    assert agent.definition.held == (("Quote.", Scope()), ("Pay.", Scope(level="project", name="bank")))


def test_an_affective_memory_is_defined_with_its_policy(tmp_path: Path) -> None:
    """A definition with affective memory has a policy of that kind and no perspectives. The example's definition is
    such.
    """
    example = read_definition(Path(__file__).parents[4] / "examples" / "assistants" / "assistant.yaml")
    assert (example.agent_id, example.definition.memory) == ("assistant", "affective")
    agent = read_definition(written(tmp_path, AFFECTIVE))
    assert agent.definition.perspective_names == ()
    assert agent.policy == {"archive": {"auto_delete_enabled": True}}


def test_a_tiered_memory_is_defined_with_its_policy(tmp_path: Path) -> None:
    """A definition with tiered memory keeps only the differences from the default policy."""
    agent = read_definition(written(tmp_path, TIERED))
    assert (agent.definition.memory, agent.definition.perspective_names) == ("tiered", ())
    assert agent.policy == {"short_term": {"base_capacity": 50}}


@pytest.mark.parametrize(
    ("text", "expected_message"),
    [
        ("id: [", ":1:6: malformed YAML"),
        ("- a", "write a mapping"),
        ("id: a", "missing role"),
        (AFFECTIVE + "perspectives: [a]", "an affective memory has neither perspectives nor principles"),
        (AFFECTIVE.replace("affective", "strength"), "policy.archive: there is no such key"),
        (AFFECTIVE.replace("archive:", "speed:"), "policy.speed: there is no such key"),
        (TIERED + "perspectives: [a]", "a tiered memory has neither perspectives nor principles"),
        (TIERED.replace("10000", "0"), "policy.long_term.capacity: it must be at least 1"),
        (TIERED.replace("50", "500"), "policy.short_term: base_capacity must be at most max_capacity"),
        (GOOD.replace("python", "a.b"), "id: 'a.b' is not an agent id"),
        (GOOD.replace("python", "'>'"), "is not an agent id"),
        (GOOD.replace("python", "orchestrator"), "id: 'orchestrator' is reserved for the platform"),
        (GOOD.replace("python", "12"), "id: 12 is not an agent id"),
        (GOOD.replace("archive_threshold", "speed"), "policy.speed: there is no such key"),
        (GOOD.replace("role:", "rule: x\nrole:"), "rule: there is no such key"),
        (GOOD.replace("0.1", "-1"), "policy.archive_threshold: it must be above 0"),
        (GOOD + "role: again\n", ":6:1: malformed YAML: the key 'role' occurs twice"),
        (GOOD.replace("1, arch", "1, expected_tasks_per_day: 2, arch"), "'expected_tasks_per_day' occurs twice"),
        (GOOD.replace("[semantics, ", "[' Pitfalls', "), "' Pitfalls' and 'pitfalls' are the same"),
        (GOOD.replace("Quote.", "{text: Pay.}"), "principles.0.scoped.scope: it is missing"),
        (GOOD.replace("Quote.", "{text: Pay., scope: {}}"), "write a principle with universal scope as a plain text"),
        (GOOD.replace("Quote.", "{text: Pay., scope: {level: project}}"), "a scope needs the name of its domain"),
        (GOOD.replace("Quote.", "''"), "principles.0.text: at least 1, not 0"),
        ("made: 2024-13-45", "malformed YAML"),
        ("   \n", "the file is empty"),
        ("a: " + "x" * 1_100_000, "larger than 1 MB"),
    ],
)
def test_an_invalid_definition_is_refused_in_one_line(tmp_path: Path, text: str, expected_message: str) -> None:
    """An invalid definition is refused with one line that names the file, the place and the error."""
    file = written(tmp_path, text)
    with pytest.raises(DefinitionError) as raised:
        read_definition(file)
    assert str(raised.value).startswith(str(file))
    assert expected_message in str(raised.value)
    assert "\n" not in str(raised.value)

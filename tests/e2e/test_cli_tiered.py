"""`nemuri tiers`: a tiered memory is filled, searched, consolidated and shared on the command line."""

import pytest

from tests.e2e.conftest import SHARED_PLATFORM, CommandLine

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]
VILLAGER = """\
id: {name}
role: a villager
memory: tiered
policy:
  short_term: {{base_capacity: 50}}
"""
EXPERIENCES = (
    ("conversation", "Lila asked Noah to mine iron together"),
    ("observation", "A zombie is near the gate"),
    ("action", "Noah planted wheat by the river"),
)


@pytest.fixture(scope="module")
def villagers(nemuri: CommandLine) -> CommandLine:
    """The command line of the running platform, which has two agents with tiered memory."""
    line = nemuri
    for name in ("noah", "lila"):
        definition = line.data / f"{name}.yaml"
        definition.write_text(VILLAGER.format(name=name))
        assert line("agent", "add", definition).code == 0
    return line


def test_a_tiered_memory_is_filled_searched_consolidated_and_shared(villagers: CommandLine) -> None:
    """Experiences are recorded, recalled, shared and consolidated. Every command prints its outcome as text and as
    JSON.
    """
    ids = [
        villagers("tiers", "noah", "record", text, "--type", kind, "--with", "Lila", "--json").json["memory_id"]
        for kind, text in EXPERIENCES
    ]
    shown = villagers("tiers", "noah")
    assert (shown.code, shown.err) == (0, "")
    assert "50" in shown.out
    assert EXPERIENCES[1][1] in shown.out
    found = villagers("tiers", "noah", "recall", "mining iron", "--module", "talking", "--json").json["recalled"]
    assert [each["memory"]["memory_id"] for each in found] == ids[:1]
    explained = villagers("tiers", "noah", "recall", "mining iron")
    assert "0.5 · relevance + 0.3 · recency + 0.2 · importance" in explained.out

    shared = villagers("tiers", "noah", "share", ids[1][:8], "--with", "lila")
    assert (shared.code, shared.out) == (0, f"{ids[1]} is shared with lila\n")
    done = villagers("tiers", "noah", "consolidate", "--json").json
    assert done == {"consolidated": 2, "short": 0, "long": 3}
    assert villagers("tiers", "noah", "consolidate").out == "short-term memory is empty\n"
    seen = villagers("tiers", "lila", "recall", "what is at the gate?", "--shared", "--json").json["recalled"]
    assert [each["memory"]["content"] for each in seen] == [EXPERIENCES[1][1]]
    assert "0 in short-term memory, 3 in long-term memory" in villagers("state", "noah").out
    assert villagers("tiers", "noah", "--json").json["parameters"] == {"short_term": {"base_capacity": 50}}


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (("nobody",), 1, "there is no agent 'nobody' with tiered memory"),
        (("noah", "record", " "), 2, "TEXT is empty"),
        (("noah", "record", "x", "--type", "dream"), 2, "--type: 'dream' is not one of"),
        (("noah", "record", "x", "--importance", "2"), 1, "importance"),
        (("noah", "recall", "x", "--module", "cc"), 2, "--module: 'cc' is not one of"),
        (("noah", "share", "abcdef"), 2, "give one of --with AGENT"),
        (("noah", "share", "abcdef", "--global"), 1, "has no memory 'abcdef'"),
        (("noah", "share", "abc", "--global"), 1, "first 6 digits"),
    ],
)
def test_wrong_use_is_refused_in_one_line(
    villagers: CommandLine, arguments: tuple[str, ...], code: int, line: str
) -> None:
    """Invalid arguments are refused with one line."""
    done = villagers("tiers", *arguments)

    assert done.code == code
    assert line in done.err
    assert len(done.err.splitlines()) == 1


def test_an_agent_with_tiered_memory_takes_no_tasks(villagers: CommandLine) -> None:
    """A task for an agent with tiered memory is refused with a line that names the command that shows its memory."""
    done = villagers("ask", "what is at the gate?", "--agent", "noah")

    assert done.code == 1
    assert "noah has tiered memory; see `nemuri tiers noah`" in done.err

"""`nemuri agent keywords`: proposals from an agent's memories, and their adoption."""

import pytest

from tests.e2e.conftest import SHARED_PLATFORM, CommandLine

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]
NOTES = (
    "The general delivery came by ferry, and the harbour was closed.",
    "The general rule: a ferry needs a harbour with a crane.",
    "The general plan has a ferry on Sundays.",
)


def test_keywords_are_proposed_and_adopted(nemuri: CommandLine) -> None:
    """The command proposes keywords and changes nothing. With `--adopt` the definition has them, and they are not
    proposed again. A word can be left out.
    """
    agent = nemuri.add_agent("skipper")
    [view] = [each for each in nemuri("agents", "--json").json if each["agent_id"] == agent]
    [perspective] = [each["name"] for each in view["definition"]["perspectives"]]
    for note in NOTES:
        assert nemuri("remember", agent, note.replace("general", perspective)).code == 0

    found = nemuri("agent", "keywords", agent, "--json").json
    assert found["adopted"] is False
    assert {each["keyword"] for each in found["proposed"][perspective]} >= {"ferry", "harbour"}
    assert _keywords(nemuri, agent) == []

    done = nemuri("agent", "keywords", agent, "--adopt", "--without", "harbour")
    assert (done.code, done.out.splitlines()[-1]) == (0, f"{agent}: keywords adopted")
    assert "ferry" in _keywords(nemuri, agent)
    assert "harbour" not in _keywords(nemuri, agent)
    again = nemuri("agent", "keywords", agent, "--json").json["proposed"]
    assert "ferry" not in {word["keyword"] for words in again.values() for word in words}


def test_wrong_uses_say_so_in_one_line(nemuri: CommandLine) -> None:
    """An unknown agent, and a word to leave out that is not proposed, fail with one line and change nothing."""
    agent = nemuri.add_agent("purser")

    for arguments in (("nobody",), (agent, "--adopt", "--without", "zzz")):
        done = nemuri("agent", "keywords", *arguments)
        assert done.code != 0
        assert done.err.count("\n") == 1
    assert _keywords(nemuri, agent) == []


def _keywords(nemuri: CommandLine, agent: str) -> list[str]:
    """Return the keywords of all perspectives of an agent."""
    [view] = [each for each in nemuri("agents", "--json").json if each["agent_id"] == agent]
    return [word for each in view["definition"]["perspectives"] for word in each["keywords"]]

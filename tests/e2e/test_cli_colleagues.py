"""The commands by which one agent's memories reach another: `agent clone` and `agent handover`."""

import pytest

from tests.e2e.conftest import SHARED_PLATFORM, CommandLine

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]


def test_an_agent_is_cloned_and_hands_over(nemuri: CommandLine) -> None:
    """A clone has every memory. A handover names what it passes on and what it leaves out; a dry run changes nothing.

    Its history says from whom a memory came.
    """
    mason = nemuri.add_agent("mason")
    assert nemuri("remember", mason, "Marble is washed before it is polished.", "--tag", "marble").code == 0
    cloned = nemuri("agent", "clone", mason, "mason-2", "--json").json
    whole = nemuri("memories", mason, "--json").json
    assert (cloned["memories"], cloned["original"]) == (len(whole), mason)
    assert {each["content"] for each in nemuri("memories", "mason-2", "--json").json} == {
        each["content"] for each in whole
    }
    assert "mason-2: " in nemuri("agent", "clone", mason, "mason-2").out

    tiler = nemuri.add_agent("tiler")
    planned = nemuri("agent", "handover", mason, tiler, "--topic", "marble", "--dry-run")
    assert "would pass on 1 memory to tiler" in planned.out
    done = nemuri("agent", "handover", mason, tiler, "--topic", "marble", "--json").json
    [passed] = done["memories"]
    [first, *_] = nemuri("memory", "history", passed["memory_id"], "--json").json["steps"]
    assert first["note"] == f"told by {mason}, memory {passed['original']}"
    again = nemuri("agent", "handover", mason, tiler, "--topic", "marble").out
    assert "passed on 0 memories" in again
    assert f"tiler knows it already, memory {passed['memory_id']}" in again


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("clone", "nobody", "somebody"), "there is no agent 'nobody'"),
        (("clone", "nobody", "a b"), "not 'a b'"),
        (("handover", "nobody", "someone"), "there is no agent 'nobody'"),
        (("handover", "a", "b", "--top", "0"), "0"),
    ],
)
def test_wrong_use_is_one_line(nemuri: CommandLine, words: tuple[str, ...], said: str) -> None:
    """A wrong agent or number ends with one line and an exit code, and changes nothing."""
    failed = nemuri("agent", *words)
    assert failed.code != 0
    assert said in failed.err
    assert len(failed.err.strip().splitlines()) == 1

"""The tool that erases: a dry run, the confirmation of a person or by a code, and what is left afterwards."""

import pytest
from mcp.client.session import ClientRequestContext
from mcp_types import ElicitRequestParams, ElicitResult

from tests.integration.mcp_server.conftest import Platform
from tests.integration.mcp_server.sessions import session

pytestmark = pytest.mark.connected

MODES = ("legacy", "auto")


class Person:
    """A person who answers the questions of a server."""

    def __init__(self, action: str, *, erase: bool = False) -> None:
        self._answer = ElicitResult.model_validate(
            {"action": action} | ({"content": {"erase": erase}} if action == "accept" else {})
        )
        self.asked = list[str]()

    async def __call__(self, _: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        """Answer a question."""
        self.asked.append(params.message)
        return self._answer


@pytest.mark.parametrize("mode", MODES)
async def test_a_person_confirms_an_erasure(platform: Platform, mode: str) -> None:
    """Ask the person after the dry run, erase, and find the memory neither by recall nor by an answer."""
    person = Person("accept", erase=True)
    async with session(platform.settings, "python", mode=mode, elicitation_callback=person) as of:
        stored = await of.done("remember", content=f"The {mode} vault opens with the word xylograph.")
        memory = stored.structured["memory_id"]
        shown = await of.done("forget", id=memory)
        assert "Nothing is erased yet" in shown.text
        assert "confirmation" not in shown.structured
        assert person.asked == []
        gone = await of.done("forget", id=memory[:8], dry_run=False)
        assert gone.structured["erased"] is True
        assert gone.text.startswith(f"Erased memory {memory}: ")
        [question] = person.asked
        assert f"memory {memory}" in question
        assert (await of.done("recall", query="vault word xylograph")).structured["memories"] == []
        answer = await of.done("ask", request="Which word opens the xylograph vault?")
        assert memory not in answer.structured["cited"]
        assert "erased" in await of.refused("memories", ids=[memory])
        assert (await of.done("status", id=memory)).structured["state"] == "erased"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("action", "erase"), [("decline", False), ("cancel", False), ("accept", False)])
async def test_nothing_is_erased_without_consent(platform: Platform, mode: str, action: str, erase: bool) -> None:
    """Erase nothing if the person declines, cancels, or leaves the box empty."""
    person = Person(action, erase=erase)
    async with session(platform.settings, "python", mode=mode, elicitation_callback=person) as of:
        stored = await of.done("remember", content="The lease ends in March.", key="lease")
        memory = stored.structured["memory_id"]
        line = await of.refused("forget", id=memory, dry_run=False)
        assert line == "nothing was erased: the person did not confirm it"
        assert len(person.asked) == 1
        assert (await of.done("memories", ids=[memory])).structured["memories"][0]["memory_id"] == memory


@pytest.mark.parametrize("mode", MODES)
async def test_a_code_confirms_where_nobody_can_be_asked(platform: Platform, mode: str) -> None:
    """Erase only with the code of the dry run, and only what the dry run showed."""
    async with session(platform.settings, "python", mode=mode) as of:
        one = (await of.done("remember", content=f"Gate one is green in {mode} mode.")).structured["memory_id"]
        other = (await of.done("remember", content=f"Gate two is blue in {mode} mode.")).structured["memory_id"]
        code = (await of.done("forget", id=one)).structured["confirmation"]
        assert "call with dry_run first" in await of.refused("forget", id=one, dry_run=False)
        assert "the code does not fit" in await of.refused("forget", id=other, dry_run=False, confirmation=code)
        gone = await of.done("forget", id=one, dry_run=False, confirmation=code)
        assert gone.structured["erased"] is True
        ended = await of.done("status", id=gone.structured["operation"])
        assert ended.structured["state"] == "done"
        assert (await of.done("status", id=other)).structured["what"] == "memory"


async def test_a_bound_server_erases_only_its_agents_memories(platform: Platform) -> None:
    """Refuse to erase a memory of another agent."""
    async with session(platform.settings, "python") as of:
        memory = (await of.done("remember", content="The ferry leaves at noon.")).structured["memory_id"]
    async with session(platform.settings, "noah") as other:
        line = await other.refused("forget", id=memory)
    assert "belongs to agent 'python', and this server is bound to agent 'noah'" in line

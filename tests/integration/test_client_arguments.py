"""Arguments and keys that the client refuses before it publishes anything."""

import asyncio
import inspect
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

import nemuri
from nemuri.client import exchange
from nemuri.client.client import Client
from nemuri.operations.erasure import forget
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.runtime.settings import Settings
from tests.integration.client_methods import arguments, public
from tests.integration.harness import agent_defined, connected_client, running_services, until_idle

pytestmark = pytest.mark.connected


async def test_a_memory_repeated_under_its_key_is_stored_once(settings: Settings) -> None:
    """A memory stored twice under one key is stored once for each agent and client. Other content under that key is
    refused.
    """
    async with (
        running_services(settings) as resources,
        connected_client(settings) as client,
        connected_client(settings, "bob") as bob,
    ):
        await resources.log.append(agent_defined())
        await resources.log.append(agent_defined("cook"))
        await client.settle()
        told = "Ann prefers short answers."
        first = await client.remember("python", told, tags=["style"], key="style-1")
        assert await client.remember("python", told, tags=["style"], key="style-1") == first
        assert len({first, await client.remember("python", told), await client.remember("python", told)}) == 3
        others = {await client.remember("cook", told, key="style-1"), await bob.remember("python", told, key="style-1")}
        assert len(others | {first}) == 3
        mine = uuid4()
        assert len({await client.remember("python", told, key=mine) for _ in range(2)}) == 1
        for wrong in ("Ann prefers long answers.", told):
            with pytest.raises(nemuri.ClientError, match="the key 'style-1' was used for something else"):
                await client.remember("python", wrong, tags=["tone"], key="style-1")
        assert (await client.memory(first)).memory.content == told
        assert len(await client.memories("python", status="all")) == 5
        assert [memory.memory_id for memory in await client.memories("python")] == [first]
        tasks = {await client.submit("Is steel hard?", key="q-1") for _ in range(2)}
        assert len(tasks) == 1
        assert tasks != {await bob.submit("Is steel hard?", key="q-1")}
        with pytest.raises(nemuri.ClientError, match="version than 5"):
            await client.remember("python", told, key=first)


async def test_a_reused_key_with_another_text_is_refused(settings: Settings) -> None:
    """A task, an experience or a memory under a key with other content is refused, and nothing is published."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        for each in (agent_defined(), agent_defined("pia", memory="tiered", perspectives=())):
            await resources.log.append(each)
        await client.settle()
        key, text = uuid4(), "What is a truth value?"
        documents = [("a.txt", "A truth value is true or false.")]
        task = await client.submit(text, documents=documents, key="q-1")
        await client.submit(text, key=key)
        lived = await client.experience("pia", "Ann gave me bread.", importance=0.9, key="e-1")
        assert (await client.ask(text, documents=documents, key="q-1")).task_id == task
        assert await client.submit(text, documents=documents, key="q-1") == task
        assert await client.experience("pia", "Ann gave me bread.", importance=0.9, key="e-1") == lived
        await until_idle(resources)
        end, inputs = await resources.log.last_sequence(), await resources.blobs.refs()
        others = (
            client.submit("What is falsehood?", documents=documents, key="q-1"),
            client.submit(text, documents=[("a.txt", "Truth is a value.")], key="q-1"),
            client.submit(text, documents=documents, agent="python", key="q-1"),
            client.ask("What is falsehood?", key="q-1"),
            client.experience("pia", "Ann took my bread.", importance=0.9, key="e-1"),
            client.experience("pia", "Ann gave me bread.", importance=0.1, key="e-1"),
            client.remember("python", "Ann prefers short answers.", key=key),
        )
        for other in others:
            with pytest.raises(nemuri.ClientError, match="was used for something else"):
                await other
        assert (await resources.log.last_sequence(), await resources.blobs.refs()) == (end, inputs)


async def test_one_of_two_concurrent_submissions_under_a_key_is_refused(settings: Settings) -> None:
    """Of two different submissions made under one key at the same time, one is refused."""
    async with running_services(settings), connected_client(settings) as client, connected_client(settings) as other:
        said = [each.submit(f"What is {each.log is client.log}?", key="q-1") for each in (client, other)]
        outcomes = await asyncio.gather(*said, return_exceptions=True)
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["ClientError", "UUID"]


async def test_the_key_of_an_erased_task_is_refused(settings: Settings) -> None:
    """A submission under the key of an erased task is refused with that reason."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        task = await client.submit("What is a truth value?", key="q-1")
        await until_idle(resources)
        await forget(settings, [Thing("task", task)])
        with pytest.raises(nemuri.ClientError, match=f"{task} was erased"):
            await client.submit("What is a truth value?", key="q-1")


WRONG_VALUES: dict[str, list[Any]] = {
    "text": [b"x", None, 5, float("nan"), "", "  \n", "a\0b", "\ud800", ["x"]],
    "agent": [b"python", 5, "", "a b", "a\0b", "x" * 65, ["python"], "*", "a.b"],
    "list": ["style", b"style", 5, {"style": 1}, [None], [b"style"], [5], [""], ["a\0b"], ["\ud800"], ["x" * 201]],
    "number": ["3", b"3", float("nan"), float("inf"), True, [3], 10**30, -1, 0],
    "flag": ["yes", 1, b"1", []],
    "id": ["x", b"0" * 16, 5, [], float("nan")],
    "time": ["2026-01-01", 5, float("nan"), b"x", datetime.now(UTC).date()],
    "label": [b"x", 5, "", "  ", "a\0b", "x" * 201, "\ud800", ["x"]],
    "remark": [b"x", 5, "", "a\0b", "x" * 4_001, "\ud800", ["x"]],
    "model": ["x", 5, [], b"x"],
    "choice": ["other", b"all", 5, ["all"], ""],
    "function": ["x", 5, b"x"],
    "mapping": ["x", [("a", "b")], {"a": 5}, {5: "a"}, {"a": b"b"}, {"": "x"}, {"a": "\0"}],
    "messages": [
        None, 5, "x", b"x", {"role": "user", "content": "x"}, [5], [None], [b"x"], ["a\0b"], ["\ud800"],
        [{"content": "x"}], [{"role": "narrator", "content": "x"}], [{"role": "user", "content": 5}],
        [{"role": "user", "content": [5]}], [{"role": "user", "content": "x", "at": "soon"}],
        [{"role": "user", "content": "x", "name": "a\0b"}],
    ],
    "documents": [
        "a.txt", [("a.txt", "")], [("a.txt", " \n")], [("a.txt", None)], [("a.txt", b"x")], [("a.txt",)], ["ab"],
        [("", "x")], [("a.txt", "a\0b")], [("a.txt", "\ud800")], [(5, "x")], 5, [("x" * 201, "x")],
        [("a.txt", float("nan"))], [("a.txt", "x")] * 65,
    ],
}  # fmt: skip
KINDS = {
    "documents": ["documents"], "messages": ["messages"], "tags domains participants layers": ["list"],
    "timeout second importance budget_tokens budget_money question_minutes certainty max_calls tokens": ["number"],
    "settled deep shared quietly orchestrator again streamed dry_run pinned rebuttal past_questions create": ["flag"],
    "archived protected wait": ["flag"],
    "oldest_first": ["flag"], "event_ids kinds context": ["list"], "before beyond": ["number"], "client": ["agent"],
    "caused_by": ["id"], "tag containing": ["label"], "following": ["model"],
    "task_id memory_id older course_id prevented_error principle_id offer_id older_than": ["id"],
    "said_at until advance at since valid_from expires_at": ["time"],
    "perspective project conversation said_by session key person subject timezone": ["label"],
    "words correction": ["remark"],
    "scope turn location cues textbook memories metadata definition": ["model"],
    "kind option verdict result status type category module repeating of order": ["choice"],
    "learnings contents": ["mapping"], "on_progress on_draft on_question": ["function"],
    "panel top sequence limit": ["number"], "agent service source receiver": ["agent"],
    "text content query prompt topic": ["text"], "summary": ["text"], "beginning memory": ["text"],
    "items": ["list"], "causes": ["list"],
}  # fmt: skip
ALLOWED_VALUES: dict[str, list[Any]] = {
    # Values that other parameters of the same kind refuse, but these parameters allow.
    "second": [0], "importance": [0], "question_minutes": [0],
    "certainty": [0], "beyond": [0], "limit": [10**30], "timeout": [10**30],
    "agent": [None], "summary": [None], "topic": [None], "query": [None], "location": [], "memories": [[]],
}  # fmt: skip


async def test_wrong_arguments_are_refused_before_anything_is_published(settings: Settings) -> None:
    """Each wrong value of each parameter of each public method is refused in one line, and nothing is published."""
    kinds = {name: kind for names, [kind] in KINDS.items() for name in names.split()}
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        end, passed = await resources.log.last_sequence(), []
        for name in public(Client):
            method = getattr(Client, name)
            for parameter in [*inspect.signature(method).parameters][1:]:
                for wrong in WRONG_VALUES[kinds[parameter]]:
                    if wrong in ALLOWED_VALUES.get(parameter, []) and not isinstance(wrong, bool):
                        continue
                    said = await _refusal(getattr(client, name), arguments(method) | {parameter: wrong})
                    if said is None or not said.isprintable() or "should " in said:
                        passed.append((name, parameter, wrong, said))
        assert passed == []
        assert await resources.log.last_sequence() == end
        for beyond in (timedelta(0), timedelta(days=-1), timedelta.max):
            with pytest.raises(nemuri.ClientError):
                await client.clock(beyond)
        for limit in (0, -1, float("nan"), float("inf")):
            with pytest.raises(nemuri.ClientError):
                client.within(limit)


async def _refusal(method: Any, given: dict[str, Any]) -> str | None:
    """Call the method and return the reason why the arguments were refused.

    Returns None if they were accepted or the platform did not answer.
    """
    try:
        await method(**given)
    except exchange.PassingError:
        return None
    except nemuri.ClientError as error:
        return str(error)
    return None


async def test_every_public_method_checks_its_arguments() -> None:
    """Every public coroutine method has the wrapper that checks arguments, applies the timeout and converts errors."""
    for name in public(Client):
        assert hasattr(getattr(Client, name), "__wrapped__"), name

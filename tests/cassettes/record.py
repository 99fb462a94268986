"""Recording of cassettes: `python -m tests.cassettes.record` writes what is sent and answered on both wires.

Look at the difference before you commit it: it is what a changed prompt or schema does to the requests.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nemuri_contracts.event import Usage
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.prompted import PromptedModel
from nemuri_infra.models.protocol import Job
from tests.cassettes.cassette import Case, Cassette, cassette, cassette_names, recorded_path
from tests.cassettes.wire import PROVIDERS, ProviderName, chat_of
from tests.integration.providers.provider import Provider, ScriptedReply


@dataclass(frozen=True)
class Played:
    """What a case did: the bodies of the requests, the value or the type of the error, and the usage."""

    title: str
    case: Case
    sent: Sequence[dict[str, Any]]
    value: Any
    usage: Usage


async def play(provider: ProviderName, tape: Cassette) -> list[Played]:
    """Play all cases of a cassette against a server with the wire format of a provider."""
    replies = [ScriptedReply(said.body(provider)) for case in tape.cases.values() for said in case.replies]
    async with Provider(replies) as server:
        model = PromptedModel(chat_of(provider, server.url))
        try:
            return [await _play(model, server, tape.job, *each) for each in tape.cases.items()]
        finally:
            await model.aclose()


def recording(provider: ProviderName, every: Sequence[Played]) -> dict[str, Any]:
    """Return the first request of a job, and for each case the replies, with what differs in its requests."""
    first = every[0].sent[0]
    cases = {
        played.title: [
            {"changed": _changed(first, body), "reply": said.body(provider)}
            for body, said in zip(played.sent, played.case.replies, strict=True)
        ]
        for played in every
    }
    return {"request": first, "cases": cases}


async def record() -> None:
    """Write the recordings of all cassettes, and remove those without a cassette."""
    for provider in PROVIDERS:
        folder = recorded_path(provider, "x").parent
        folder.mkdir(exist_ok=True)
        for path in folder.glob("*.json"):
            if path.stem not in cassette_names():
                path.unlink()
        for name in cassette_names():
            found = recording(provider, await play(provider, cassette(name)))
            recorded_path(provider, name).write_text(_written(found), encoding="utf-8")


async def _play(model: PromptedModel, server: Provider, job: Job[Any], title: str, case: Case) -> Played:
    before = len(server.received)
    try:
        reply = await model.do(job)
        value, usage = reply.value, reply.usage
    except ModelRefused as error:
        value, usage = type(error), error.usage or Usage(model="unknown")
    return Played(title, case, [each.body for each in server.received[before:]], value, usage)


def _written(found: dict[str, Any]) -> str:
    """Return a recording as JSON with the request over several lines, and one line for each case."""
    request = json.dumps(found["request"], ensure_ascii=False, indent=1, sort_keys=True)
    cases = [f"{json.dumps(title)}: {json.dumps(each, ensure_ascii=False)}" for title, each in found["cases"].items()]
    return '{"request": ' + request + ',\n"cases": {\n' + ",\n".join(cases) + "\n}}\n"


def _changed(first: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    return {key: body.get(key) for key in sorted(first.keys() | body.keys()) if body.get(key) != first.get(key)}


if __name__ == "__main__":
    asyncio.run(record())

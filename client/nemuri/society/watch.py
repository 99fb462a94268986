"""Watching a society: utterances of its agents and figures of its hosts."""

import asyncio

from nats.aio.msg import Msg
from pydantic import ValidationError

from nemuri.society.lines import tokens
from nemuri.society.run import watch_figures
from nemuri.terminal.screen import say
from nemuri_contracts.society import Vitals, total
from nemuri_contracts.world_protocol import Acts, Say
from nemuri_infra.bus.event_log import Log
from nemuri_infra.stores.society_states import States
from nemuri_services.simulation.processes import read_society


async def watch_society(log: Log, name: str, seconds: float | None, *, json: bool) -> None:
    """Print utterances and figures for some seconds, or without end if None. With `json` each line is a JSON object.

    Raises `SocietyError` if the society does not exist.
    """
    society = await read_society(await States.open(log, name))
    names = {each.id: each.name for each in society.agents}

    async def hear(message: Msg) -> None:
        for speaker, text in _said(message.data):
            called = names.get(speaker, speaker)
            say(_line(speaker=speaker, name=called, text=text) if json else f"{called}: {text}")

    subscription = await log.connection.subscribe(log.subjects.acts(name), cb=hear)
    try:
        async with asyncio.timeout(seconds), watch_figures(log, name) as seen:
            shown: dict[str, Vitals] = {}
            while True:
                await seen.news.wait()
                seen.news.clear()
                for host in [each for each in seen.told if seen.told[each] is not shown.get(each)]:
                    shown[host] = seen.told[host]
                    say(shown[host].model_dump_json() if json else _standing(shown[host]))
    except TimeoutError:
        return
    finally:
        if not log.connection.is_closed:
            await subscription.unsubscribe()


def _standing(host: Vitals) -> str:
    asked = sum(each.answered for each in host.waits.values())
    return (
        f"-- {host.host}: second {host.second:.0f}, {host.agents} agents, {asked} answers, "
        f"{host.waiting} wait for their turn, models {host.standing}{tokens(total(host.token_use))}"
    )


def _said(data: bytes) -> list[tuple[str, str]]:
    try:
        told = Acts.model_validate_json(data)
    except ValidationError:
        return []  # The world process logs invalid messages.
    return [(each.agent_id, each.act.text) for each in told.acts if isinstance(each.act, Say)]


def _line(**fields: str) -> str:
    from orjson import dumps

    return dumps(fields).decode()

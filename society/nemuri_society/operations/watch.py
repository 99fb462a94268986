"""Watching a society: utterances of its agents and figures of its hosts."""

import asyncio

from nats.aio.msg import Msg
from pydantic import ValidationError

from nemuri.terminal.output import say
from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.society import HostHealthReport, total
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.contracts.world_protocol import Acts, Say
from nemuri_society.operations.console_output import token_suffix
from nemuri_society.operations.lifecycle import watch_figures
from nemuri_society.simulation.bootstrap import read_society
from nemuri_society.stores.society_states import States


async def watch_society(log: Log, name: str, seconds: float | None, *, json: bool) -> None:
    """Print what the agents say and the figures of the hosts, for `seconds` seconds, or without end if None.

    With `json` each line is a JSON object. Raises `SocietyError` if the society does not exist.
    """
    society = await read_society(await States.open(log, name))
    names = {agent.id: agent.name for agent in society.agents}

    async def print_utterances(message: Msg) -> None:
        for speaker, text in _utterances(message.data):
            called = names.get(speaker, speaker)
            say(_json_line(speaker=speaker, name=called, text=text) if json else f"{called}: {text}")

    subscription = await log.connection.subscribe(
        SocietySubjects(log.subjects.namespace).acts(name), cb=print_utterances
    )
    try:
        async with asyncio.timeout(seconds), watch_figures(log, name) as figures:
            shown: dict[str, HostHealthReport] = {}
            while True:
                await figures.updated.wait()
                figures.updated.clear()
                for host in [vital for vital in figures.vitals if figures.vitals[vital] is not shown.get(vital)]:
                    shown[host] = figures.vitals[host]
                    say(shown[host].model_dump_json() if json else _host_line(shown[host]))
    except TimeoutError:
        return
    finally:
        if not log.connection.is_closed:
            await subscription.unsubscribe()


def _host_line(host: HostHealthReport) -> str:
    answers = sum(wait.answered for wait in host.waits.values())
    return (
        f"-- {host.host}: second {host.second:.0f}, {host.agents} agents, {answers} answers, "
        f"{host.waiting} modules wait for a model, models {host.standing}{token_suffix(total(host.token_use))}"
    )


def _utterances(data: bytes) -> list[tuple[str, str]]:
    try:
        message_acts = Acts.model_validate_json(data)
    except ValidationError:
        return []  # The world process logs invalid messages.
    return [(act.agent_id, act.act.text) for act in message_acts.acts if isinstance(act.act, Say)]


def _json_line(**fields: str) -> str:
    from orjson import dumps

    return dumps(fields).decode()

"""A Minecraft server as a world for twenty agents. Needs Node and the Minecraft modules."""

import asyncio
import json
import math
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from nemuri_contracts.event import Value
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.world_protocol import (
    ACTIONS,
    CHAT_RADIUS,
    MESSAGES,
    Collect,
    Craft,
    Deposit,
    Give,
    Go,
    Place,
    Position,
    Rest,
    Say,
    Stack,
    Trade,
    Withdraw,
)
from nemuri_society.minecraft.bridge_process import MinecraftBridge
from nemuri_society.minecraft.bridge_rules import bridge_radii, bridge_rules, message_schemas
from nemuri_society.minecraft.node_modules import BRIDGE_SOURCES, MinecraftUnavailable, find_node, installed_modules
from nemuri_society.minecraft.settings import MinecraftSettings
from nemuri_society.world.game_rules import COLLECTING_RULES, PLACING_RULES, RECIPES
from tests.integration.minecraft_host import Host

pytestmark = [pytest.mark.connected, pytest.mark.long]
NAMESPACE = "test"
MAKER = "agent-0"
TWENTY_AGENTS = {f"agent-{number}": f"Agent {number}" for number in range(20)}


@pytest.fixture(scope="module")
def data() -> Path:
    """Directory of the installed Minecraft modules. Without them the tests are skipped."""
    try:
        find_node()
        installed_modules(Settings().data)
    except MinecraftUnavailable as error:
        pytest.skip(str(error))
    return Settings().data


@asynccontextmanager
async def running_world(data: Path, **settings: int) -> AsyncIterator[tuple[MinecraftBridge, Host]]:
    """Yield a running bridge to a Minecraft server and a host. They have a NATS server of their own."""
    with tempfile.TemporaryDirectory(prefix="nemuri-test-") as folder:
        bus = EmbeddedNats(Path(folder) / "nats")
        await bus.start()
        bridge = MinecraftBridge(
            Path(folder) / "bridge", data, bus.url, NAMESPACE, MinecraftSettings.model_validate(settings)
        )
        try:
            await bridge.start()
            async with Host.connected(bus.url, NAMESPACE) as host:
                yield bridge, host
            print(bridge._child.log_tail())
        finally:
            await bridge.stop()
            await bus.stop()


def _tree(host: Host, agent: str) -> Position:
    return next(block.position for block in host.percepts[agent].blocks if block.block == "tree")


async def _bring_wood(host: Host, agent: str) -> None:
    """Let an agent collect wood from a tree and give it to the agent that crafts."""
    tree = _tree(host, agent)
    await host.perform_successfully(agent, Go(to=tree))
    await host.perform_successfully(agent, Collect(block="tree", at=tree))
    if agent != MAKER:
        await host.perform_successfully(agent, Go(to=host.percepts[MAKER].here))
        await host.perform_successfully(agent, Give(to=MAKER, stack=Stack(item="wood")))


async def _place(host: Host, agent: str, block: str) -> Position:
    """Place a block at the first position near an agent that allows it, and return the position."""
    here = host.percepts[agent].here
    for x, z in (
        (1, 0),
        (-1, 0),
        (0, 1),
        (0, -1),
        (2, 0),
        (0, 2),
        (-2, 0),
        (0, -2),
        (2, 2),
        (-2, -2),
        (2, -2),
        (-2, 2),
    ):
        at = Position(x=here.x + x, y=here.y, z=here.z + z)
        if (await host.perform(agent, Place(block=block, at=at))).done:
            return at
    raise AssertionError(f"{agent} cannot place a {block}")


def _distance(host: Host, one: str, other: str) -> float:
    here, there = host.percepts[one].here, host.percepts[other].here
    return math.dist((here.x, here.y, here.z), (there.x, there.y, there.z))


async def test_twenty_agents_make_a_table_together(data: Path) -> None:
    """Twenty agents collect wood for one of them, which crafts a table and a pickaxe. Every act has exactly one
    outcome.
    """
    async with running_world(data) as (bridge, host):
        began = time.monotonic()
        joined = await host.join(TWENTY_AGENTS)
        inside = time.monotonic() - began
        assert set(joined.agents) == set(TWENTY_AGENTS)
        await host.perform_successfully(MAKER, Go(to=_tree(host, MAKER)))
        await asyncio.gather(*(_bring_wood(host, agent) for agent in TWENTY_AGENTS))
        await host.until(lambda: host.percepts[MAKER].inventory == {"wood": len(TWENTY_AGENTS)})
        assert all(host.percepts[agent].inventory == {} for agent in TWENTY_AGENTS if agent != MAKER)
        await host.perform_successfully(MAKER, Craft(item="table"))
        refused = await host.perform(MAKER, Craft(item="wood_pickaxe"))
        assert refused.reason == "there is no table within reach"
        table = await _place(host, MAKER, "table")
        await host.perform_successfully(MAKER, Craft(item="wood_pickaxe"))
        await host.until(lambda: any(block.position == table for block in host.percepts["agent-1"].blocks))
        spent = RECIPES["table"].ingredients["wood"] + RECIPES["wood_pickaxe"].ingredients["wood"]
        assert host.percepts[MAKER].inventory == {"wood": len(TWENTY_AGENTS) - spent, "wood_pickaxe": 1}
        assert [outcome for outcome in host.outcomes.values() if len(outcome) != 1] == []
        assert sum(map(len, host.outcomes.values())) == host.sent_acts
        health = await bridge.health()
        assert health is not None
        assert [server.agents for server in health.servers] == [len(TWENTY_AGENTS)]
        print(f"20 in after {inside:.1f} s, task done after {time.monotonic() - began:.1f} s; {host.sent_acts} acts,")
        print(f"{host.messages} messages of percepts, the largest of {host.largest} bytes")


async def test_speech_is_heard_within_the_radius(data: Path) -> None:
    """Every agent within the radius hears an utterance once and unchanged, and nobody else does. It never acts as a
    command.
    """
    async with running_world(data) as (_, host):
        await host.join(TWENTY_AGENTS)
        far = [f"agent-{number}" for number in range(1, 10)]
        goals = {agent: Position(x=12 * number, y=4, z=0) for number, agent in enumerate(far)}
        await asyncio.gather(*(host.perform_successfully(agent, Go(to=goal)) for agent, goal in goals.items()))
        pairs = heard = 0
        for speaker in TWENTY_AGENTS:
            text = f"/stop & <b>'{speaker}'\n木 &c \\ \""
            await host.perform_successfully(speaker, Say(text=text))
            near = {
                each for each in TWENTY_AGENTS if each != speaker and _distance(host, each, speaker) < CHAT_RADIUS - 1
            }
            beyond = {each for each in TWENTY_AGENTS if _distance(host, each, speaker) > CHAT_RADIUS + 1}
            await host.until(lambda: all(_heard_from(host, each, speaker) == [text] for each in near))  # noqa: B023
            await host.perform_successfully(speaker, Rest(seconds=0.3))
            assert all(_heard_from(host, each, speaker) == [text] for each in near)
            assert all(_heard_from(host, each, speaker) == [] for each in (*beyond, speaker))
            assert beyond or speaker not in far[-2:]
            pairs, heard = pairs + len(TWENTY_AGENTS) - 1, heard + len(near)
        print(f"{heard} of {pairs} pairs within the radius, each heard once")


def _heard_from(host: Host, hearer: str, speaker: str) -> list[str]:
    """Return the texts of a speaker that an agent heard."""
    return [each.text for each in host.heard[hearer] if (each.speaker, each.name) == (speaker, TWENTY_AGENTS[speaker])]


async def test_a_killed_bridge_restores_its_agents(data: Path) -> None:
    """After a kill of the bridge its agents have their position, inventory and health again, and placed blocks are
    there.
    """
    async with running_world(data) as (bridge, host):
        await host.join({MAKER: "Maker", "agent-1": "Helper"})
        tree = _tree(host, MAKER)
        await host.perform_successfully(MAKER, Go(to=tree))
        for _ in range(6):
            await host.perform_successfully(MAKER, Collect(block="tree", at=tree))
        await host.perform_successfully(MAKER, Craft(item="table"))
        table = await _place(host, MAKER, "table")
        await host.perform_successfully(MAKER, Craft(item="chest"))
        chest = await _place(host, MAKER, "chest")
        await host.perform_successfully(MAKER, Deposit(at=chest, stack=Stack(item="wood")))
        before = host.percepts[MAKER]
        state = await bridge.state()
        for kept in (None, state):
            await bridge.kill()
            if kept is not None:
                bridge.restore(kept)
            host.percepts.clear()
            await bridge.start()
            await host.until(lambda: {MAKER, "agent-1"} <= set(host.percepts))
            after = host.percepts[MAKER]
            assert (after.position, after.inventory, after.health) == (before.position, before.inventory, before.health)
            assert {"table": table, "chest": chest}.items() <= {
                block.block: block.position for block in after.blocks
            }.items()
            assert after.second >= before.second
        await host.perform_successfully(MAKER, Withdraw(at=chest, stack=Stack(item="wood")))
        assert (
            await host.perform(MAKER, Withdraw(at=chest, stack=Stack(item="wood")))
        ).reason == "the chest holds nothing"


async def test_one_agent_makes_an_iron_pickaxe(data: Path) -> None:
    """One agent, guided by its percepts alone, makes an iron pickaxe."""
    async with running_world(data) as (_, host):
        await host.join({MAKER: "Maker", "agent-1": "Helper"})
        began = time.monotonic()
        await _collect(host, MAKER, "tree", 9)
        await _craft(host, MAKER, "table", "wood_pickaxe")
        await _collect(host, MAKER, "stone", 5)
        await _craft(host, MAKER, "table", "stone_pickaxe")
        await _collect(host, MAKER, "coal", 1)
        await _collect(host, MAKER, "iron", 1)
        await _craft(host, MAKER, "furnace")
        await _craft(host, MAKER, "table", "iron_pickaxe")
        assert host.percepts[MAKER].inventory == {"wood_pickaxe": 1, "stone_pickaxe": 1, "iron_pickaxe": 1}
        print(f"an iron pickaxe after {time.monotonic() - began:.0f} s")


async def test_a_trade_needs_both_offers(data: Path) -> None:
    """A trade happens once both offers are open. It ends if one agent acts otherwise."""
    async with running_world(data) as (_, host):
        await host.join({"a": "Anna", "b": "Ben"})
        await _collect(host, "a", "tree", 2)
        await _collect(host, "b", "tree", 1)
        await host.perform_successfully("a", Craft(item="table"))
        await host.perform_successfully("b", Go(to=host.percepts["a"].here))
        wood, table = Stack(item="wood"), Stack(item="table")
        given_up = await host.start_act("b", Trade(partner="a", offer=wood, want=table))
        await host.perform_successfully("b", Rest(seconds=0.1))
        assert (await host.outcome_of(given_up)).reason == "replaced by another act"
        unanswered = await host.perform("a", Trade(partner="b", offer=table, want=wood))
        assert unanswered.reason == "Ben did not agree"
        standing = await host.start_act("a", Trade(partner="b", offer=table, want=wood))
        await host.until(lambda: any(agent.activity == "trading" for agent in host.percepts["b"].agents))
        await host.perform_successfully("b", Trade(partner="a", offer=wood, want=table))
        assert (await host.outcome_of(standing)).done
        await host.until(
            lambda: (host.percepts["a"].inventory, host.percepts["b"].inventory) == ({"wood": 1}, {"table": 1})
        )


async def _collect(host: Host, agent: str, sort: str, number: int) -> None:
    """Let an agent collect blocks of a kind until it holds `number` of their items."""
    item = COLLECTING_RULES[sort].item
    while host.percepts[agent].inventory.get(item, 0) < number:
        block = await _find_block(host, agent, sort)
        await host.perform_successfully(agent, Go(to=block))
        await host.perform_successfully(agent, Collect(block=sort, at=block))


async def _craft(host: Host, agent: str, *items: str) -> None:
    for item in items:
        await host.perform_successfully(agent, Craft(item=item))
        if item in PLACING_RULES:
            await _place(host, agent, item)


async def _find_block(host: Host, agent: str, sort: str) -> Position:
    """Let an agent walk, farther and farther, until it sees a block of a kind. Return the position of the block."""
    for goal in _positions_around(host.percepts[agent].here):
        if seen := [block.position for block in host.percepts[agent].blocks if block.block == sort]:
            return seen[0]
        await host.perform(agent, Go(to=goal))
    raise AssertionError(f"{agent} sees no {sort}")


def _positions_around(at: Position) -> Iterator[Position]:
    """Yield the positions around `at` in squares of growing size."""
    for ring in range(10):
        for x, z in ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)):
            yield Position(x=at.x + 20 * ring * x, y=at.y, z=at.z + 20 * ring * z)


async def test_invalid_acts_are_refused_with_a_reason_or_ignored(data: Path) -> None:
    """Invalid messages are ignored, invalid acts are refused with a reason, and agents beyond the number of places are
    refused.
    """
    async with running_world(data, agents_per_server=3) as (bridge, host):
        joined = await host.join({"a": "Anna", "b": "Ben", "c": "Cem", "d": "Dora"})
        assert joined.agents == ("a", "b", "c")
        assert '"there is no room for d: 1 servers take 3 agents each"' in bridge._child.log_tail()
        garbage = [b"", b"\xff\xfe", b"null", b"[]", b'{"host": "host"}', b'{"host": 3, "acts": [{}]}']
        unclear: list[Any] = [None, 7, {"agent_id": "a"}, {"agent_id": [], "act_id": {}, "act": []}]
        for each in garbage:
            await host.publish_acts(each)
        acts = [*unclear, {"agent_id": "a", "act_id": "odd", "act": {"action": "fly"}}]
        acts += [{"agent_id": agent, "act_id": f"of-{agent}", "act": {"action": "rest"}} for agent in ("nobody", "a")]
        await host.publish_acts(json.dumps({"host": "host", "acts": acts}).encode())
        await host.publish_acts(json.dumps({"host": "other", "acts": [{**acts[-1], "act_id": "stolen"}]}).encode())
        assert (await host.outcome_of("odd")).reason.startswith("no act: there is no fly")
        assert (await host.outcome_of("of-a")).done
        await asyncio.gather(*(host.perform_successfully(each, Go(to=host.percepts["a"].here)) for each in ("b", "c")))
        going = await host.start_act("a", Go(to=Position(x=500, y=4, z=500)))
        assert (await host.perform("a", Give(to="b", stack=Stack(item="wood")))).reason == "holds no wood"
        assert (await host.outcome_of(going)).reason == "replaced by another act"
        lonely = await host.start_act("b", Trade(partner="c", offer=Stack(item="wood"), want=Stack(item="stone")))
        assert (await host.outcome_of(lonely)).reason == "holds no wood"
        assert (
            await host.perform("c", Place(block="wings", at=host.percepts["c"].here))
        ).reason == "cannot place wings"
        going = await host.start_act("b", Go(to=Position(x=-500, y=4, z=500)))
        await host.leave("b")
        assert (await host.outcome_of(going)).reason == "left the world"
        assert (await host.join({"d": "Dora", "a": "Anna"})).agents == ("d", "a")
        assert not {"of-nobody", "stolen"} & {act for act, each in host.outcomes.items() if each}
        assert [outcome for outcome in host.outcomes.values() if len(outcome) > 1] == []
        health = await bridge.health()
        assert health is not None
        assert health.servers[0].agents == 3


def test_the_bridges_own_tests_pass(data: Path, tmp_path: Path) -> None:
    """The bridge's own tests of its world pass in Node's test runner."""
    (tmp_path / "rules.json").write_text(
        json.dumps({"table": bridge_rules(), "radii": bridge_radii()}), encoding="utf-8"
    )
    done = subprocess.run(
        [find_node(), "--test", str(Path(__file__).parent / "minecraft_world.test.js")],
        capture_output=True,
        text=True,
        check=False,
        env={"NODE_PATH": str(installed_modules(data)), "RULES": str(tmp_path / "rules.json")},
    )
    assert done.returncode == 0, done.stdout
    assert "# pass 11" in done.stdout


def test_python_and_the_bridge_accept_the_same_messages(data: Path) -> None:
    """Python and the bridge accept and refuse the same values for every message and action."""
    place, stack = {"x": 1, "y": 64, "z": -3}, {"item": "wood", "count": 64}
    good: dict[str, object] = {
        "go": {"action": "go", "to": place},
        "collect": {"action": "collect", "block": "tree", "at": place},
        "place": {"action": "place", "block": "table", "at": place},
        "craft": {"action": "craft", "item": "table"},
        "give": {"action": "give", "to": "b", "stack": stack},
        "trade": {"action": "trade", "partner": "b", "offer": stack, "want": {"item": "stone"}},
        "deposit": {"action": "deposit", "at": place, "stack": stack},
        "withdraw": {"action": "withdraw", "at": place, "stack": stack},
        "say": {"action": "say", "text": "木" * 256},
        "rest": {"action": "rest"},
        "do": {"action": "do", "command": "ring the bell"},
        "joining": {"host": "h", "agents": {"a": "Anna"}, "towns": {"a": "t"}},
        "joined": {"agents": ["a"], "second": 0, "rate": 4},
        "leaving": {"agents": ["a"]},
        "percept": {"second": 1, "position": place, "inventory": {"wood": 3}},
    }
    good["acts"] = {"host": "h", "acts": [{"agent_id": "a", "act_id": "1", "act": good[name]} for name in ACTIONS]}
    good["percepts"] = {"second": 1, "percepts": {"a": good["percept"]}}
    assert set(good) == set(MESSAGES | ACTIONS)
    odd: tuple[object, ...] = (
        "",
        "a.b",
        "x" * 300,
        "\0",
        -1,
        0,
        61,
        1e300,
        1.5,
        None,
        [],
        {},
        {"a b": "c"},
        {"a": {}},
        [{}],
        True,
    )
    cases = list(good.items())
    for name, value in good.items():
        assert isinstance(value, dict)
        cases += [(name, {**value, key: each}) for key in (*value, "more") for each in odd]
        cases += [(name, {key: each for key, each in value.items() if key != left}) for left in {*value} - {"action"}]
    said = _complaints(data, cases)
    kinds = {name: TypeAdapter(kind) for name, kind in (MESSAGES | ACTIONS).items()}
    assert [
        case
        for case, complaint in zip(cases, said, strict=True)
        if _accepted_by_python(kinds[case[0]], case[1]) == bool(complaint)
    ] == []
    assert len(cases) > 500


def _accepted_by_python(kind: TypeAdapter[Value], value: object) -> bool:
    """Return True if Python accepts the value as JSON."""
    try:
        kind.validate_json(json.dumps(value), strict=True)
    except ValidationError:
        return False
    return True


def _complaints(data: Path, cases: list[tuple[str, object]]) -> list[str]:
    checking = """
        const { Schemas } = require(process.argv[1])
        const { schemas, cases } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
        const each = new Schemas(schemas)
        console.log(JSON.stringify(cases.map(([name, value]) => each.complaint(name, value))))
    """
    done = subprocess.run(
        [find_node(), "-e", checking, str(BRIDGE_SOURCES / "schemas.js")],
        input=json.dumps({"schemas": message_schemas(), "cases": cases}),
        capture_output=True,
        text=True,
        check=True,
        env={"NODE_PATH": str(installed_modules(data))},
    )
    found: list[str] = json.loads(done.stdout)
    return found

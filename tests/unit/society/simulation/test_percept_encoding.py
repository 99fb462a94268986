"""Tests of the encoding of percepts in messages."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.contracts.world_protocol import ACTS_LIMIT, Act, Percepts, Position, Say
from nemuri_society.simulation.percept_encoding import has_no_events, pack_percepts, unpack_percepts
from nemuri_society.world.block_grid import GROUND_Y
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.world_settings import WorldSettings

PERCEPTS = st.dictionaries(st.integers(0, 99).map("agent-{}".format), st.text(max_size=300), max_size=30)


@given(said=PERCEPTS, room=st.integers(200, 3_000))
def test_each_percept_that_fits_is_sent_once(said: dict[str, str], room: int) -> None:
    """Every percept that fits is in exactly one message, in order, and no message exceeds the limit."""
    plain = {
        agent_id: orjson.dumps({
            "second": 1.5, "position": {"x": 1, "y": GROUND_Y, "z": 2},
            "heard": [{"speaker": "ann", "name": "Ann", "text": text.replace("\x00", ""), "second": 1.0}],
        })
        for agent_id, text in said.items()
    }  # fmt: skip
    told = list[str]()
    for data, number in pack_percepts(1.5, plain, room):
        assert len(data) <= room
        message = Percepts.model_validate_json(data)
        assert (message.second, len(message.percepts)) == (1.5, number)
        assert all(percept.position == Position(x=1, y=GROUND_Y, z=2) for percept in message.percepts.values())
        told += message.percepts
        lines = {each: orjson.loads(line) for each, line in unpack_percepts(data) if isinstance(line, bytes)}
        assert lines == orjson.loads(data)["percepts"]
    alone = [each for each in plain if list(pack_percepts(1.5, {each: plain[each]}, room))]
    assert told == alone


def test_no_message_holds_more_percepts_than_the_contract_allows() -> None:
    """A message contains at most `ACTS_LIMIT` percepts, however short they are."""
    many = dict.fromkeys(map(str, range(ACTS_LIMIT + 1)), b'{"second":0.0}')
    assert [number for _, number in pack_percepts(0.0, many, 2**30)] == [ACTS_LIMIT, 1]


def test_a_message_with_another_layout_is_read() -> None:
    """A message with another layout of its JSON is parsed as a whole. An invalid message raises an error."""
    percepts = {"ann": {"second": 1.0, "position": {"x": 1, "y": GROUND_Y, "z": 2}}}
    for written in (orjson.dumps({"second": 1.0, "percepts": percepts}), b' { "percepts" :\n{} }'):
        assert dict(unpack_percepts(written)) == orjson.loads(written)["percepts"]
    for strange in (b"", b"[", b"7", b"{}"):
        with pytest.raises((ValueError, LookupError, TypeError)):
            list(unpack_percepts(strange))


def test_a_percept_with_an_utterance_has_events() -> None:
    """A percept with an utterance is recognised as having events, whatever the text of the utterance is."""
    world = GridWorld(WorldSettings(seed=1, size=64))
    for each in ("ann", "bob"):
        world.join(each, each, "town")
    world.step([], 0.25)
    assert all(map(has_no_events, world.changed_percepts_json().values()))
    words = 'I heard "heard":[],"outcomes":[],"hurt":0, yesterday'
    world.step([Act(agent_id="ann", act_id="a1", act=Say(text=words))], 0.25)
    told = world.changed_percepts_json()
    assert not any(map(has_no_events, told.values()))
    assert orjson.loads(told["bob"])["heard"][0]["text"] == words
    assert not has_no_events(b'{"second":1.0}')

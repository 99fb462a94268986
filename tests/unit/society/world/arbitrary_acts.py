"""Hypothesis strategies for arbitrary acts of arbitrary agents, valid or not."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from nemuri_society.contracts.world_protocol import (
    Action,
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
from nemuri_society.world.game_rules import BLOCKS, ITEMS

AGENTS = ("ann", "bob", "cat")
NAMES = st.sampled_from([*AGENTS, "nobody"])
ITEM = st.sampled_from([*ITEMS, "gold"])
POSITION: SearchStrategy[Position] = st.builds(
    Position, x=st.integers(27, 38), y=st.sampled_from([64, 64, 64, 70]), z=st.integers(27, 38)
)
STACK = st.builds(Stack, item=st.sampled_from(["wood", "stone", "sapling"]), count=st.integers(1, 3))
ACTION: SearchStrategy[Action] = st.one_of(
    st.builds(Go, to=POSITION),
    st.builds(Collect, block=st.sampled_from(BLOCKS), at=POSITION),
    st.builds(Collect, block=st.sampled_from(["tree", "stone", "chest"]), at=POSITION),
    st.builds(Place, block=ITEM, at=POSITION),
    st.builds(Craft, item=ITEM),
    st.builds(Give, to=NAMES, stack=STACK),
    st.builds(Trade, partner=NAMES, offer=STACK, want=STACK),
    st.builds(Deposit, at=POSITION, stack=STACK),
    st.builds(Withdraw, at=POSITION, stack=STACK),
    st.builds(Say, text=st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=9)),
    st.builds(Rest, seconds=st.floats(0.1, 5)),
)
STEP = st.tuples(st.lists(st.tuples(NAMES, ACTION), max_size=4), st.sampled_from([0.25, 0.1, 1.0]))
"""Strategy for a step: the acts that begin at one moment, and the seconds until the next step."""
STEPS = st.lists(STEP, min_size=1, max_size=12)
EXCHANGE_ACTION: SearchStrategy[Action] = st.one_of(
    st.builds(Give, to=NAMES, stack=STACK),
    st.builds(Trade, partner=NAMES, offer=STACK, want=STACK),
    st.builds(Deposit, at=st.just(Position(x=33, y=64, z=32)), stack=STACK),
    st.builds(Withdraw, at=st.just(Position(x=33, y=64, z=32)), stack=STACK),
    st.builds(Rest, seconds=st.floats(0.1, 1)),
)
EXCHANGE_STEPS = st.lists(
    st.tuples(st.lists(st.tuples(NAMES, EXCHANGE_ACTION), max_size=4), st.just(0.25)), min_size=1, max_size=12
)
"""Strategy for sequences of steps that contain only gifts, trades, deposits, withdrawals and rests."""

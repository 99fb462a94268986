"""The life cycle of acts: each has exactly one outcome, and an agent has one act at a time besides speech."""

from collections.abc import Iterable
from typing import assert_never

import numpy as np

from nemuri_contracts.world_protocol import (
    CHAT_RADIUS,
    Act,
    Action,
    Attack,
    Collect,
    Craft,
    Deposit,
    Eat,
    Give,
    Go,
    Place,
    Rest,
    Say,
    Trade,
    Withdraw,
)
from nemuri_domain.world import gifts_and_trades, item_actions, movement
from nemuri_domain.world.combat import attack
from nemuri_domain.world.game_rules import PATIENCE, SLEEP
from nemuri_domain.world.pathfinding import LONGEST
from nemuri_domain.world.players import Doing
from nemuri_domain.world.refusal_reasons import DONE, REPLACED
from nemuri_domain.world.spatial_index import Nearness
from nemuri_domain.world.world_state import State

HEARD = 64
"""Unread utterances that an agent keeps, at most. The oldest are dropped."""
SEEMING: dict[type[Action], str] = {
    Go: "walking", Collect: "collecting", Place: "placing", Craft: "crafting", Eat: "eating", Attack: "fighting",
    Give: "giving", Trade: "trading", Deposit: "storing", Withdraw: "storing", Rest: "resting",
}  # fmt: skip
"""Activity that other agents see, by action."""


def take(state: State, acts: Iterable[Act]) -> None:
    """Begin acts in order. Acts of agents that are not in the world are ignored."""
    people, said = state.people, list[tuple[int, str]]()
    for each in acts:
        row = people.row(each.agent_id)
        if row is None:
            continue
        if isinstance(each.act, Say):
            said.append((row, each.act.text))
            people.heard[row].outcomes.append((each.act_id, DONE))
            people.news[row] = True
            continue
        people.end(row, REPLACED)
        people.doing[row] = Doing(each.act_id, each.act, until=state.clock + _lasting(each.act))
    if said:
        _utter(state, said)


def _lasting(act: Action) -> float:
    if isinstance(act, Rest):
        return act.seconds
    return PATIENCE if isinstance(act, Trade) else 0.0


def _utter(state: State, said: list[tuple[int, str]]) -> None:
    """Deliver utterances to all agents within the chat radius, except the speaker."""
    people, rows = state.people, state.people.everybody()
    speakers = np.array([row for row, _ in said])
    near = Nearness(people.x[rows], people.z[rows])
    which, bodies, _ = near.pairs(people.x[speakers], people.z[speakers], CHAT_RADIUS)
    order = np.argsort(which, kind="stable")
    for turn, hearer in zip(which[order].tolist(), rows[bodies[order]].tolist(), strict=True):
        row, text = said[turn]
        if hearer != row:
            utterances = people.heard[hearer].utterances
            utterances.append((people.ids[row], people.names[row], text, state.clock))
            del utterances[:-HEARD]
            people.news[hearer] = True


def advance(state: State) -> None:
    """Advance the acts of all agents that are not busy.

    Pathfinding has a limited number of cells per call. Agents beyond the limit wait for the next call.
    """
    people, looked = state.people, 0
    for row, doing in list(people.doing.items()):
        if people.doing.get(row) is not doing or state.clock < people.free[row]:
            continue
        if isinstance(doing.action, Go):
            if looked >= LONGEST:
                continue
            reason, more = movement.set_out(state, row, doing, doing.action)
            looked += more
        else:
            reason = _gone_on(state, row, doing, doing.action)
        if not reason:
            people.seems(row, SEEMING[type(doing.action)])
        if reason is not None:
            people.end(row, reason)
    _idle(state)


def _gone_on(state: State, row: int, doing: Doing, act: Action) -> str | None:
    """Advance an act. Return None while it continues, an empty string when it is done, or the reason of its failure."""
    match act:
        case Collect():
            return item_actions.collect(state, row, act)
        case Place():
            return item_actions.place(state, row, act)
        case Craft():
            return item_actions.craft(state, row, act)
        case Eat():
            return item_actions.eat(state, row, act)
        case Deposit():
            return item_actions.deposit(state, row, act)
        case Withdraw():
            return item_actions.withdraw(state, row, act)
        case Give():
            return gifts_and_trades.give(state, row, act)
        case Trade():
            return gifts_and_trades.trade(state, row, doing, act)
        case Attack():
            return attack(state, row, act)
        case Rest():
            return _rested(state, row, doing, act)
        case Go() | Say():
            raise TypeError(f"{act.action} is not handled here")
        case _:
            assert_never(act)


def _rested(state: State, row: int, doing: Doing, act: Rest) -> str | None:
    if state.clock < doing.until:
        return None
    if act.seconds >= SLEEP:
        state.people.achieve(row, "wake_up")
    return DONE


def _idle(state: State) -> None:
    """Show agents without an act as idle when they are no longer busy."""
    people = state.people
    done = people.present & (people.activity != 0) & (people.free <= state.clock)
    done[list(people.doing)] = False
    people.activity[done] = 0
    people.stirred |= done

"""The life cycle of acts: each has exactly one outcome, and an agent has one act at a time besides speech."""

from collections.abc import Iterable
from typing import assert_never

import numpy as np

from nemuri_society.contracts.world_protocol import (
    CHAT_RADIUS,
    Act,
    Action,
    Collect,
    Craft,
    Deposit,
    Do,
    Give,
    Go,
    Place,
    Rest,
    Say,
    Trade,
    Withdraw,
)
from nemuri_society.world import gifts_and_trades, item_actions, movement
from nemuri_society.world.game_rules import OFFER_SECONDS
from nemuri_society.world.pathfinding import MAX_SEARCHED_CELLS
from nemuri_society.world.player_table import ActInProgress
from nemuri_society.world.refusal_reasons import DONE, FORBIDDEN, NO_COMMANDS, REPLACED
from nemuri_society.world.spatial_index import SpatialIndex
from nemuri_society.world.world_state import WorldState

MAX_UNREAD_UTTERANCES = 64
"""Maximum number of unread utterances that an agent keeps. The oldest are dropped."""
VISIBLE_ACTIVITY: dict[type[Action], str] = {
    Go: "walking", Collect: "collecting", Place: "placing", Craft: "crafting", Give: "giving",
    Trade: "trading", Deposit: "storing", Withdraw: "storing", Rest: "resting",
}  # fmt: skip
"""Activity that other agents see, by class of action."""


def begin_acts(state: WorldState, acts: Iterable[Act]) -> None:
    """Begin these acts in order. Acts of agents that are not in the world are ignored, and actions that the settings do
    not allow are refused.

    Speech is delivered at once. Any other act replaces the act under way of its agent.
    """
    players, utterances = state.players, list[tuple[int, str]]()
    for act in acts:
        row = players.row(act.agent_id)
        if row is None:
            continue
        if (reason := _refusal(state, act.act)) is not None:
            players.unread[row].outcomes.append((act.act_id, reason))
            players.percept_changed[row] = True
            continue
        if isinstance(act.act, Say):
            utterances.append((row, act.act.text))
            players.unread[row].outcomes.append((act.act_id, DONE))
            players.percept_changed[row] = True
            continue
        players.end_act(row, REPLACED)
        players.acts[row] = ActInProgress(act.act_id, act.act, until=state.second + _duration(act.act))
    if utterances:
        _deliver_speech(state, utterances)


def _refusal(state: WorldState, act: Action) -> str | None:
    """Return the reason for which an action is refused whatever its agent is and has; None if it is not."""
    if isinstance(act, Do):
        return NO_COMMANDS
    allowed = state.settings.actions
    return FORBIDDEN if allowed is not None and act.action not in allowed else None


def _duration(act: Action) -> float:
    if isinstance(act, Rest):
        return act.seconds
    return OFFER_SECONDS if isinstance(act, Trade) else 0.0


def _deliver_speech(state: WorldState, utterances: list[tuple[int, str]]) -> None:
    """Deliver each utterance, given as row of the speaker and text, to all other agents within `CHAT_RADIUS` of the
    speaker.
    """
    players, rows = state.players, state.players.present_rows()
    speakers = np.array([row for row, _ in utterances])
    index = SpatialIndex(players.x[rows], players.z[rows])
    utterance_numbers, bodies, _ = index.pairs(players.x[speakers], players.z[speakers], CHAT_RADIUS)
    order = np.argsort(utterance_numbers, kind="stable")
    for number, hearer in zip(utterance_numbers[order].tolist(), rows[bodies[order]].tolist(), strict=True):
        row, text = utterances[number]
        if hearer != row:
            unread = players.unread[hearer].utterances
            unread.append((players.ids[row], players.names[row], text, state.second))
            del unread[:-MAX_UNREAD_UTTERANCES]
            players.percept_changed[hearer] = True


def advance_acts(state: WorldState) -> None:
    """Advance the acts of all agents that are not busy, and end those that are done or have failed.

    Path searches of one call stop after `MAX_SEARCHED_CELLS` cells together. Agents that need a path after that wait
    for the next call.
    """
    players, searched_cells = state.players, 0
    for row, act_in_progress in list(players.acts.items()):
        if players.acts.get(row) is not act_in_progress or state.second < players.busy_until[row]:
            continue
        if isinstance(act_in_progress.action, Go):
            if searched_cells >= MAX_SEARCHED_CELLS:
                continue
            reason, searched = movement.plan_walk(state, row, act_in_progress, act_in_progress.action)
            searched_cells += searched
        else:
            reason = _advance_act(state, row, act_in_progress, act_in_progress.action)
        if not reason:
            players.set_activity(row, VISIBLE_ACTIVITY[type(act_in_progress.action)])
        if reason is not None:
            players.end_act(row, reason)
    _show_idle_agents(state)


def _advance_act(state: WorldState, row: int, act_in_progress: ActInProgress, act: Action) -> str | None:
    """Advance an act. Return None while it continues, "" when it is done, or the reason of its failure."""
    match act:
        case Collect():
            return item_actions.collect(state, row, act)
        case Place():
            return item_actions.place(state, row, act)
        case Craft():
            return item_actions.craft(state, row, act)
        case Deposit():
            return item_actions.deposit(state, row, act)
        case Withdraw():
            return item_actions.withdraw(state, row, act)
        case Give():
            return gifts_and_trades.give(state, row, act)
        case Trade():
            return gifts_and_trades.trade(state, row, act_in_progress, act)
        case Rest():
            return DONE if state.second >= act_in_progress.until else None
        case Go() | Say() | Do():
            raise TypeError(f"{act.action} is not handled here")
        case _:
            assert_never(act)


def _show_idle_agents(state: WorldState) -> None:
    """Show the agents that have no act and are no longer busy as idle to other agents."""
    players = state.players
    idle = players.present & (players.activity != 0) & (players.busy_until <= state.second)
    idle[list(players.acts)] = False
    players.activity[idle] = 0
    players.appearance_changed |= idle

"""Gifts and trades between agents. A trade exchanges both stacks at once or nothing. The other agent perceives them."""

from typing import Literal

from nemuri_society.contracts.world_protocol import Deed, Give, Stack, Trade
from nemuri_society.world.game_rules import TRANSFER_SECONDS
from nemuri_society.world.player_table import ActInProgress
from nemuri_society.world.refusal_reasons import DONE, ONESELF, TOO_FAR, absent_agent, no_room, too_few
from nemuri_society.world.world_state import WorldState


def give(state: WorldState, row: int, act: Give) -> str:
    """Give items to another agent. Return the reason of the failure; "" for success."""
    if reason := _refusal(state, row, act.to, act.stack):
        return reason
    other = state.players.rows[act.to]
    if state.players.free_capacity(other, act.stack.item) < act.stack.count:
        return f"{state.players.names[other]} {no_room(act.stack.item)}"
    _transfer(state, row, other, act.stack)
    _report(state, "gave", row, other, act.stack)
    return DONE


def trade(state: WorldState, row: int, act_in_progress: ActInProgress, act: Trade) -> str | None:
    """Exchange items if the partner has made the matching offer. Then both acts end.

    Return None while the offer is open, "" when the trade is done, or the reason of the failure.
    """
    players = state.players
    if reason := _refusal(state, row, act.partner, act.offer):
        return reason
    if players.free_capacity(row, act.want.item) < act.want.count:
        return no_room(act.want.item)
    other = players.rows[act.partner]
    if _has_matching_offer(state, other, players.ids[row], act):
        _transfer(state, row, other, act.offer)
        _transfer(state, other, row, act.want)
        players.end_act(other)
        _report(state, "traded", row, other, act.offer, act.want)
        _report(state, "traded", other, row, act.want, act.offer)
        return DONE
    if not act_in_progress.offered:
        act_in_progress.offered = True
        _report(state, "offered", row, other, act.offer, act.want)
    return f"{players.names[other]} did not agree" if state.second >= act_in_progress.until else None


def _has_matching_offer(state: WorldState, other: int, agent_id: str, act: Trade) -> bool:
    act_in_progress = state.players.acts.get(other)
    if act_in_progress is None or not isinstance(act_in_progress.action, Trade):
        return False
    theirs = act_in_progress.action
    matches = (theirs.partner, theirs.offer, theirs.want) == (agent_id, act.want, act.offer)
    has_items = state.players.count(other, act.want.item) >= act.want.count
    return matches and has_items and state.players.free_capacity(other, act.offer.item) >= act.offer.count


def _refusal(state: WorldState, row: int, partner: str, stack: Stack) -> str:
    players, other = state.players, state.players.row(partner)
    if other is None:
        return absent_agent(players.name_of(partner))
    if other == row:
        return ONESELF
    if not state.is_within_reach(row, int(players.x[other]), int(players.z[other])):
        return TOO_FAR
    held = players.count(row, stack.item)
    return DONE if held >= stack.count else too_few(stack.item, held)


def _report(
    state: WorldState, deed: Literal["gave", "offered", "traded"], row: int, other: int, stack: Stack,
    want: Stack | None = None,
) -> None:  # fmt: skip
    """Let the agent in row `other` perceive what the agent in `row` did to it."""
    players = state.players
    by, name = players.ids[row], players.names[row]
    done = Deed(deed=deed, by=by, name=name, stack=stack, want=want, second=round(state.second, 3))
    players.report_deed(other, done)


def _transfer(state: WorldState, giver: int, taker: int, stack: Stack) -> None:
    state.players.add_items(giver, stack.item, -stack.count)
    state.players.add_items(taker, stack.item, stack.count)
    state.players.busy_until[giver] = state.second + TRANSFER_SECONDS

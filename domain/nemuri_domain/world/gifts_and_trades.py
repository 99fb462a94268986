"""Gifts and atomic trades between agents."""

from nemuri_contracts.world_protocol import Give, Stack, Trade
from nemuri_domain.world.game_rules import HANDING_SECONDS
from nemuri_domain.world.players import Doing
from nemuri_domain.world.refusal_reasons import DONE, TOO_FAR, YOURSELF, no_room, nobody, too_few
from nemuri_domain.world.world_state import State


def give(state: State, row: int, act: Give) -> str:
    """Give items to another agent."""
    if reason := _cannot(state, row, act.to, act.stack):
        return reason
    other = state.people.rows[act.to]
    if state.people.room(other, act.stack.item) < act.stack.count:
        return f"{state.people.names[other]} {no_room(act.stack.item)}"
    _hand(state, row, other, act.stack)
    return DONE


def trade(state: State, row: int, doing: Doing, act: Trade) -> str | None:
    """Exchange items when the partner makes the matching offer. Return None while the offer is open."""
    people = state.people
    if reason := _cannot(state, row, act.partner, act.offer):
        return reason
    if people.room(row, act.want.item) < act.want.count:
        return no_room(act.want.item)
    other = people.rows[act.partner]
    if _agrees(state, other, people.ids[row], act):
        _hand(state, row, other, act.offer)
        _hand(state, other, row, act.want)
        people.end(other)
        return DONE
    return f"{people.names[other]} did not agree" if state.clock >= doing.until else None


def _agrees(state: State, other: int, mine: str, act: Trade) -> bool:
    doing = state.people.doing.get(other)
    if doing is None or not isinstance(doing.action, Trade):
        return False
    theirs = doing.action
    fits = (theirs.partner, theirs.offer, theirs.want) == (mine, act.want, act.offer)
    holds = state.people.number_of(other, act.want.item) >= act.want.count
    return fits and holds and state.people.room(other, act.offer.item) >= act.offer.count


def _cannot(state: State, row: int, partner: str, stack: Stack) -> str:
    people, other = state.people, state.people.row(partner)
    if other is None:
        return nobody(people.called(partner))
    if other == row:
        return YOURSELF
    if not state.reaches(row, int(people.x[other]), int(people.z[other])):
        return TOO_FAR
    held = people.number_of(row, stack.item)
    return DONE if held >= stack.count else too_few(stack.item, held)


def _hand(state: State, giver: int, taker: int, stack: Stack) -> None:
    state.people.get(giver, stack.item, -stack.count)
    state.people.get(taker, stack.item, stack.count)
    state.people.free[giver] = state.clock + HANDING_SECONDS

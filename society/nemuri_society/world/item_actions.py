"""Actions of a single agent with items: collect, place, craft, store. Each returns the reason of the failure, or
"".
"""

from nemuri_society.contracts.world_protocol import Collect, Craft, Deposit, Place, Position, Withdraw
from nemuri_society.world.column_types import BLOCK_NUMBER, WALKABLE
from nemuri_society.world.game_rules import (
    CHEST_CAPACITY,
    COLLECTING_RULES,
    CRAFTING_SECONDS,
    MIN_FREE_CELLS,
    PICKAXES,
    PLACING_RULES,
    PLACING_SECONDS,
    RECIPES,
    TRANSFER_SECONDS,
    CollectingRule,
)
from nemuri_society.world.refusal_reasons import DONE, NO_SUCH_POSITION, TOO_FAR, no_room, too_few
from nemuri_society.world.world_state import WorldState


def collect(state: WorldState, row: int, act: Collect) -> str:
    """Collect a block into the agent's inventory. Return the reason of the failure; "" for success."""
    if reason := _reach_refusal(state, row, act.at):
        return reason
    cell = state.ground.cell(act.at.x, act.at.z)
    block = state.ground.block_name(cell)
    if block != act.block:
        return f"there is {block}, not {act.block}"
    rule = COLLECTING_RULES.get(block)
    if rule is None:
        return f"cannot collect {block}"
    if reason := _collecting_refusal(state, row, cell, rule):
        return reason
    state.players.busy_until[row] = state.second + rule.seconds
    if rule.probability < 1 and state.rng.random() >= rule.probability:
        return f"found no {rule.item} this time"
    _take_block(state, row, cell, rule)
    return DONE


def _collecting_refusal(state: WorldState, row: int, cell: int, rule: CollectingRule) -> str:
    if rule.tool and not any(state.players.count(row, pickax) for pickax in PICKAXES[PICKAXES.index(rule.tool) :]):
        return f"needs a {rule.tool}"
    if not state.players.free_capacity(row, rule.item):
        return no_room(rule.item)
    return "the chest is not empty" if state.chests.get(cell) else DONE


def _take_block(state: WorldState, row: int, cell: int, rule: CollectingRule) -> None:
    players, block = state.players, state.ground.block_name(cell)
    players.add_items(row, rule.item, 1)
    players.achieve(row, f"collect_{rule.item}")
    state.chests.pop(cell, None)
    if rule.remaining_block != block:
        state.ground.set_block(cell, rule.remaining_block)


def place(state: WorldState, row: int, act: Place) -> str:
    """Place an item from the agent's inventory as a block. Return the reason of the failure; "" for success."""
    if reason := _reach_refusal(state, row, act.at):
        return reason
    rule, players = PLACING_RULES.get(act.block), state.players
    if rule is None:
        return f"cannot place {act.block}"
    if not players.count(row, act.block):
        return too_few(act.block, 0)
    cell, block = state.ground.cell(act.at.x, act.at.z), rule.block or act.block
    if (current := state.ground.block_name(cell)) not in rule.onto:
        return f"there is {current} already"
    if not WALKABLE[BLOCK_NUMBER[block]] and (reason := _placement_refusal(state, row, act.at)):
        return reason
    players.add_items(row, act.block, -1)
    players.achieve(row, f"place_{block}")
    state.ground.set_block(cell, block)
    players.busy_until[row] = state.second + PLACING_SECONDS
    return DONE


def _placement_refusal(state: WorldState, row: int, at: Position) -> str:
    """Return the reason for which a solid block cannot be placed: the cell is occupied, or the agent would be enclosed.
    "" if it can.
    """
    players, ground = state.players, state.ground
    agents = players.present & (players.x == at.x) & (players.z == at.z)
    if agents.any():
        return "the cell is occupied"
    own_cell, target = ground.cell(int(players.x[row]), int(players.z[row])), ground.cell(at.x, at.z)
    encloses = ground.has_free_cells(own_cell, MIN_FREE_CELLS) and not ground.has_free_cells(
        own_cell, MIN_FREE_CELLS, without=target
    )
    return "that would enclose the agent" if encloses else DONE


def craft(state: WorldState, row: int, act: Craft) -> str:
    """Craft an item from the agent's inventory. Return the reason of the failure; "" for success."""
    recipe, players = RECIPES.get(act.item), state.players
    if recipe is None:
        return f"there is no recipe for {act.item}"
    missing = [f"{count} {item}" for item, count in recipe.ingredients.items() if players.count(row, item) < count]
    if missing:
        return f"needs {' and '.join(missing)}"
    x, z = int(players.x[row]), int(players.z[row])
    for block in recipe.stations:
        if not state.ground.has_in_reach(x, z, block):
            return f"there is no {block} within reach"
    if players.free_capacity(row, act.item) < recipe.count:
        return no_room(act.item)
    for item, count in recipe.ingredients.items():
        players.add_items(row, item, -count)
    players.add_items(row, act.item, recipe.count)
    players.achieve(row, f"make_{act.item}")
    players.busy_until[row] = state.second + CRAFTING_SECONDS
    return DONE


def deposit(state: WorldState, row: int, act: Deposit) -> str:
    """Put items from the agent's inventory into a chest. Return the reason of the failure; "" for success."""
    if reason := _chest_refusal(state, row, act.at):
        return reason
    item, count, held = act.stack.item, act.stack.count, state.players.count(row, act.stack.item)
    if held < count:
        return too_few(item, held)
    chest = state.chests.setdefault(state.ground.cell(act.at.x, act.at.z), {})
    if sum(chest.values()) + count > CHEST_CAPACITY:
        return "the chest has no room for that"
    state.players.add_items(row, item, -count)
    chest[item] = chest.get(item, 0) + count
    state.players.busy_until[row] = state.second + TRANSFER_SECONDS
    return DONE


def withdraw(state: WorldState, row: int, act: Withdraw) -> str:
    """Withdraw items from a chest. Return the reason of the failure; "" for success.

    If the chest has too few of the item, the reason lists its contents.
    """
    if reason := _chest_refusal(state, row, act.at):
        return reason
    item, count = act.stack.item, act.stack.count
    chest = state.chests.get(state.ground.cell(act.at.x, act.at.z), {})
    if chest.get(item, 0) < count:
        contents = ", ".join(f"{number} {content}" for content, number in sorted(chest.items())) or "nothing"
        return f"the chest holds {contents}"[:200]
    if state.players.free_capacity(row, item) < count:
        return no_room(item)
    chest[item] -= count
    if not chest[item]:
        del chest[item]
    state.players.add_items(row, item, count)
    state.players.busy_until[row] = state.second + TRANSFER_SECONDS
    return DONE


def _chest_refusal(state: WorldState, row: int, at: Position) -> str:
    if reason := _reach_refusal(state, row, at):
        return reason
    block = state.ground.block_name(state.ground.cell(at.x, at.z))
    return DONE if block == "chest" else f"there is {block}, not a chest"


def _reach_refusal(state: WorldState, row: int, at: Position) -> str:
    if not state.ground.contains(at):
        return NO_SUCH_POSITION
    return DONE if state.is_within_reach(row, at.x, at.z) else TOO_FAR

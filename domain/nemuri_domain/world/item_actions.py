"""Item actions of a single agent: collect, place, craft, eat, store. Each returns a reason, empty for success."""

import numpy as np

from nemuri_contracts.world_protocol import Collect, Craft, Deposit, Eat, Place, Position, Withdraw
from nemuri_domain.world.game_rules import (
    CHEST_ROOM,
    COLLECTING,
    CRAFTING_SECONDS,
    DRINK_HEALS,
    EATEN,
    EATING_SECONDS,
    ELBOW_ROOM,
    FOOD,
    GROWING,
    HANDING_SECONDS,
    MOST,
    PICKAXES,
    PLACING,
    PLACING_SECONDS,
    RECIPES,
    Collecting,
)
from nemuri_domain.world.refusal_reasons import DONE, NO_PLACE, TOO_FAR, no_room, too_few
from nemuri_domain.world.table_columns import BLOCK, WALKABLE
from nemuri_domain.world.world_state import State


def collect(state: State, row: int, act: Collect) -> str:
    """Collect a block, or drink."""
    if reason := _out_of_reach(state, row, act.at):
        return reason
    cell = state.ground.cell(act.at.x, act.at.z)
    there = state.ground.name(cell)
    if there != act.block:
        return f"there is {there}, not {act.block}"
    rule = COLLECTING.get(there)
    if rule is None:
        return "the plant is not ripe yet" if there == "plant" else f"nobody can take {there}"
    if reason := _cannot_collect(state, row, cell, rule):
        return reason
    state.people.free[row] = state.clock + rule.seconds
    if rule.chance < 1 and state.rng.random() >= rule.chance:
        return f"found no {rule.gives} this time"
    _collected(state, row, cell, rule)
    return DONE


def _cannot_collect(state: State, row: int, cell: int, rule: Collecting) -> str:
    if rule.needs and not any(state.people.number_of(row, each) for each in PICKAXES[PICKAXES.index(rule.needs) :]):
        return f"that takes a {rule.needs}"
    if rule.gives and not state.people.room(row, rule.gives):
        return no_room(rule.gives)
    return "the chest is not empty" if state.chests.get(cell) else DONE


def _collected(state: State, row: int, cell: int, rule: Collecting) -> None:
    people, there = state.people, state.ground.name(cell)
    if rule.gives is None:
        people.health[row] = min(MOST, people.health[row] + DRINK_HEALS)
        people.news[row] = True
    else:
        people.get(row, rule.gives, 1)
    people.achieve(row, f"collect_{rule.gives or 'drink'}")
    state.chests.pop(cell, None)
    if rule.leaves != there:
        state.ground.put(cell, rule.leaves)
    if rule.leaves == "plant":
        state.plants[cell] = state.clock + GROWING


def place(state: State, row: int, act: Place) -> str:
    """Place an item as a block."""
    if reason := _out_of_reach(state, row, act.at):
        return reason
    rule, people = PLACING.get(act.block), state.people
    if rule is None:
        return f"nobody can place {act.block}"
    if not people.number_of(row, act.block):
        return too_few(act.block, 0)
    cell, block = state.ground.cell(act.at.x, act.at.z), rule.becomes or act.block
    if (there := state.ground.name(cell)) not in rule.on:
        return f"there is {there} already"
    if not WALKABLE[BLOCK[block]] and (reason := _in_the_way(state, row, act.at)):
        return reason
    people.get(row, act.block, -1)
    people.achieve(row, f"place_{block}")
    state.ground.put(cell, block)
    if block == "plant":
        state.plants[cell] = state.clock + GROWING
    people.free[row] = state.clock + PLACING_SECONDS
    return DONE


def _in_the_way(state: State, row: int, at: Position) -> str:
    """Return why a solid block cannot be placed: somebody is there, or the agent would be shut in. Empty if it can."""
    people, creatures, ground = state.people, state.creatures, state.ground
    agents = people.present & (people.x == at.x) & (people.z == at.z)
    if agents.any() or np.any((creatures.x == at.x) & (creatures.z == at.z)):
        return "somebody is there"
    here, there = ground.cell(int(people.x[row]), int(people.z[row])), ground.cell(at.x, at.z)
    shut_in = ground.is_roomy(here, ELBOW_ROOM) and not ground.is_roomy(here, ELBOW_ROOM, without=there)
    return "that would shut one in" if shut_in else DONE


def craft(state: State, row: int, act: Craft) -> str:
    """Craft an item."""
    recipe, people = RECIPES.get(act.item), state.people
    if recipe is None:
        return f"there is no recipe for {act.item}"
    missing = [f"{count} {item}" for item, count in recipe.uses.items() if people.number_of(row, item) < count]
    if missing:
        return f"that takes {' and '.join(missing)}"
    x, z = int(people.x[row]), int(people.z[row])
    for block in recipe.near:
        if not state.ground.has_near(x, z, block):
            return f"there is no {block} within reach"
    if people.room(row, act.item) < recipe.gives:
        return no_room(act.item)
    for item, count in recipe.uses.items():
        people.get(row, item, -count)
    people.get(row, act.item, recipe.gives)
    people.achieve(row, f"make_{act.item}")
    people.free[row] = state.clock + CRAFTING_SECONDS
    return DONE


def eat(state: State, row: int, act: Eat) -> str:
    """Eat an item, even without hunger."""
    people, stilled = state.people, FOOD.get(act.item)
    if stilled is None:
        return f"nobody can eat {act.item}"
    if not people.number_of(row, act.item):
        return too_few(act.item, 0)
    people.get(row, act.item, -1)
    people.hunger[row] = min(MOST, people.hunger[row] + stilled)
    people.achieve(row, EATEN[act.item])
    people.free[row] = state.clock + EATING_SECONDS
    return DONE


def deposit(state: State, row: int, act: Deposit) -> str:
    """Put items into a chest."""
    if reason := _no_chest(state, row, act.at):
        return reason
    item, count, held = act.stack.item, act.stack.count, state.people.number_of(row, act.stack.item)
    if held < count:
        return too_few(item, held)
    chest = state.chests.setdefault(state.ground.cell(act.at.x, act.at.z), {})
    if sum(chest.values()) + count > CHEST_ROOM:
        return "the chest has no room for that"
    state.people.get(row, item, -count)
    chest[item] = chest.get(item, 0) + count
    state.people.free[row] = state.clock + HANDING_SECONDS
    return DONE


def withdraw(state: State, row: int, act: Withdraw) -> str:
    """Withdraw items from a chest. Fails with the chest's contents if the items are not in it."""
    if reason := _no_chest(state, row, act.at):
        return reason
    item, count = act.stack.item, act.stack.count
    chest = state.chests.get(state.ground.cell(act.at.x, act.at.z), {})
    if chest.get(item, 0) < count:
        inside = ", ".join(f"{number} {each}" for each, number in sorted(chest.items())) or "nothing"
        return f"the chest holds {inside}"[:200]
    if state.people.room(row, item) < count:
        return no_room(item)
    chest[item] -= count
    if not chest[item]:
        del chest[item]
    state.people.get(row, item, count)
    state.people.free[row] = state.clock + HANDING_SECONDS
    return DONE


def _no_chest(state: State, row: int, at: Position) -> str:
    if reason := _out_of_reach(state, row, at):
        return reason
    there = state.ground.name(state.ground.cell(at.x, at.z))
    return DONE if there == "chest" else f"there is {there}, not a chest"


def _out_of_reach(state: State, row: int, at: Position) -> str:
    if not state.ground.has(at):
        return NO_PLACE
    return DONE if state.reaches(row, at.x, at.z) else TOO_FAR

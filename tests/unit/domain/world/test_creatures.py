"""Tests of cows, zombies and skeletons."""

import pytest

from nemuri_contracts.world_protocol import Attack, Eat, Rest
from nemuri_domain.world.game_rules import SPECIES
from tests.unit.domain.world.grass_world import MIDDLE, Stage


@pytest.mark.parametrize(("tool", "blows"), [(None, 3), ("wood_sword", 2), ("stone_sword", 1), ("diamond_sword", 1)])
def test_a_defeated_creature_drops_its_items(tool: str | None, blows: int) -> None:
    """A better sword needs fewer blows. A defeated creature disappears from percepts, and the agent gets its drops."""
    stage = Stage("ann")
    if tool:
        stage.give("ann", **{tool: 1})
    cow = stage.add_creature("cow", MIDDLE + 3, MIDDLE)
    stage.advance(0.25)
    assert [(each.id, each.creature) for each in stage.world.changed_percepts()["ann"].agents] == [(cow, True)]
    for _ in range(blows):
        assert stage.do("ann", Attack(target=cow), seconds=0.5) == ""
    assert stage.do("ann", Attack(target=cow)) == f"there is no creature {cow}"
    told = stage.world.percept("ann")
    assert (told.agents, told.inventory["beef"], told.inventory["hide"]) == ((), 1, 1)
    assert stage.do("ann", Eat(item="beef")) == ""
    assert stage.world.achievements("ann") == ("eat_cow",)


def test_an_attack_out_of_reach_fails() -> None:
    """An attack on a creature five blocks away fails, because it is out of reach."""
    stage = Stage("ann")
    assert stage.do("ann", Attack(target=stage.add_creature("cow", MIDDLE + 5, MIDDLE))) == "that is out of reach"


@pytest.mark.parametrize(("resting", "armour", "points"), [(False, False, 2), (True, False, 7), (True, True, 4)])
def test_a_zombie_does_more_damage_to_a_resting_agent(resting: bool, armour: bool, points: int) -> None:
    """A zombie's blow ends a rest and does more damage to a resting agent. Armour halves the damage."""
    stage = Stage("ann", creatures=True, day=1)
    stage.state.second = 0.9
    stage.state.settings = stage.state.settings.model_copy(update={"day": 1e6, "seed": 3})
    stage.add_creature("zombie", MIDDLE + 6, MIDDLE)
    if armour:
        stage.give("ann", armour=1)
    act = stage.act("ann", Rest(seconds=60))
    stage.world.step([act] if resting else [], 0.25)
    for _ in range(400):
        told = stage.world.changed_percepts().get("ann")
        if told is not None and told.hurt:
            break
        stage.advance(0.25)
    assert told is not None
    assert (told.hurt, told.health) == (points, 20 - points)
    assert [each.reason for each in told.outcomes] == (["woken by a blow"] if resting else [])


def test_creatures_spawn_near_agents_and_despawn_without_them() -> None:
    """By day cows spawn on grass near agents, up to a limit. They despawn when no agent is near."""
    stage = Stage("ann", creatures=True)
    stage.advance(60)
    cows = stage.state.creatures
    assert {int(each) for each in cows.species} == {0}
    assert 1 <= cows.number.size <= 20
    stage.world.leave("ann")
    stage.advance(300)
    assert stage.state.creatures.number.size == 0


def test_zombies_spawn_at_night_except_near_lights() -> None:
    """Zombies spawn at night except near lights, and despawn by day."""
    dark, lit = (Stage("ann", creatures=True, day=300) for _ in range(2))
    lit.set_block("lantern", *((x, z) for x in range(4, 64, 8) for z in range(4, 64, 8)))
    for stage in (dark, lit):
        stage.state.second = 201.0
        stage.state.players.health[:] = 10_000
        stage.advance(60)
    zombie = list(SPECIES).index("zombie")
    assert (dark.state.creatures.species == zombie).any()
    assert not (lit.state.creatures.species == zombie).any()
    dark.advance(120)
    assert not (dark.state.creatures.species == zombie).any()

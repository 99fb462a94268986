"""Cows, zombies and skeletons."""

import pytest

from nemuri_contracts.world_protocol import Attack, Eat, Rest
from nemuri_domain.world.game_rules import SPECIES
from tests.unit.domain.world.stage import MIDDLE, Stage


@pytest.mark.parametrize(("tool", "blows"), [(None, 3), ("wood_sword", 2), ("stone_sword", 1), ("diamond_sword", 1)])
def test_a_creature_is_defeated_by_blows_and_leaves_what_it_leaves(tool: str | None, blows: int) -> None:
    """The sooner the better the sword; it is seen, and then not any more."""
    stage = Stage("ann")
    if tool:
        stage.hold("ann", **{tool: 1})
    cow = stage.beast("cow", MIDDLE + 3, MIDDLE)
    stage.after(0.25)
    assert [(each.id, each.creature) for each in stage.world.changed_percepts()["ann"].agents] == [(cow, True)]
    for _ in range(blows):
        assert stage.do("ann", Attack(target=cow), seconds=0.5) == ""
    assert stage.do("ann", Attack(target=cow)) == f"there is no creature {cow}"
    told = stage.world.percept("ann")
    assert (told.agents, told.inventory["beef"], told.inventory["hide"]) == ((), 1, 1)
    assert stage.do("ann", Eat(item="beef")) == ""
    assert stage.world.achievements("ann") == ("eat_cow",)


def test_out_of_reach_nobody_is_struck() -> None:
    """Five blocks away."""
    stage = Stage("ann")
    assert stage.do("ann", Attack(target=stage.beast("cow", MIDDLE + 5, MIDDLE))) == "that is out of reach"


@pytest.mark.parametrize(("resting", "armour", "points"), [(False, False, 2), (True, False, 7), (True, True, 4)])
def test_a_zombie_comes_and_strikes_sleepers_hardest(resting: bool, armour: bool, points: int) -> None:
    """Its blow is urgent, and ends the rest; armour takes half of it."""
    stage = Stage("ann", creatures=True, day=1)
    stage.state.second = 0.9
    stage.state.settings = stage.state.settings.model_copy(update={"day": 1e6, "seed": 3})
    stage.beast("zombie", MIDDLE + 6, MIDDLE)
    if armour:
        stage.hold("ann", armour=1)
    act = stage.acts("ann", Rest(seconds=60))
    stage.world.step([act] if resting else [], 0.25)
    for _ in range(400):
        told = stage.world.changed_percepts().get("ann")
        if told is not None and told.hurt:
            break
        stage.after(0.25)
    assert told is not None
    assert (told.hurt, told.health) == (points, 20 - points)
    assert [each.reason for each in told.outcomes] == (["woken by a blow"] if resting else [])


def test_creatures_come_where_agents_are_and_go_when_they_have_gone() -> None:
    """Cows on grass by day; never more of a sort than may be near one."""
    stage = Stage("ann", creatures=True)
    stage.after(60)
    cows = stage.state.creatures
    assert {int(each) for each in cows.sort} == {0}
    assert 1 <= cows.number.size <= 20
    stage.world.leave("ann")
    stage.after(300)
    assert stage.state.creatures.number.size == 0


def test_at_night_zombies_come_but_not_into_the_light() -> None:
    """And by day they burn."""
    dark, lit = (Stage("ann", creatures=True, day=300) for _ in range(2))
    lit.put("lantern", *((x, z) for x in range(4, 64, 8) for z in range(4, 64, 8)))
    for stage in (dark, lit):
        stage.state.second = 201.0
        stage.state.players.health[:] = 10_000
        stage.after(60)
    zombie = list(SPECIES).index("zombie")
    assert (dark.state.creatures.species == zombie).any()
    assert not (lit.state.creatures.species == zombie).any()
    dark.after(120)
    assert not (dark.state.creatures.species == zombie).any()

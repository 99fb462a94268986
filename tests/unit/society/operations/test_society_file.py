"""Society files: what they say becomes the society, and every fault is one line with its path."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from nemuri_society.contracts.residents import Budget, Spot
from nemuri_society.operations.residents import generate_residents
from nemuri_society.operations.society_file import SocietyFileError, SocietyPlan, read_plan, read_society_file
from nemuri_society.simulation.worlds import world_class
from nemuri_society.world.world_settings import world_settings

ROOT = Path(__file__).parents[4]
EXAMPLES = sorted((ROOT / "examples" / "societies").glob("*.yaml"))
SCHEMA = json.loads((ROOT / "society" / "schemas" / "society.json").read_text(encoding="utf-8"))

FAULTS: dict[str, tuple[str, ...]] = {
    "": ("the file is empty",),
    "[1, 2]": ("write a mapping",),
    "about: nobody": ("people: a society needs at least one person",),
    "people: [{name: Mia, rol: baker}]": ("people.0.rol: there is no such key",),
    "people: [{name: Mia, age: old}, {age: 4}]": ("people.0.age: write a whole number", "people.1.name: it is missing"),
    "people: [{name: Mia}, {name: MIA}]": ("people.1.name: two agents have the same name 'MIA'",),
    "people: [{name: Ann}, {name: ＡＮＮ}, {name: '!'}]": (
        "people.1.name: two agents have the same name",
        "people.2.name: '!' is not a valid name",
    ),
    "people: [{name: Mia, age: yes}]": ("people.0.age: write a number or a text in quotation marks, not yes or no",),
    "{generate: 5000, people: [{name: Mia}]}": ("generate: a society has at most 5,000 residents in all, not 5,001",),
    "people: [{name: You}]": ("people.0.name: 'You' is what prompts call the agent itself",),
    "people: [{name: Mia, home: mill}]": ("people.0.home: there is no place 'mill' in places",),
    "people: [{name: Mia, relations: {Bo: friend}}]": ("people.0.relations.Bo: no other resident is called 'Bo'",),
    "{generate: 1, groups: {g: [Zed]}}": ("groups.g: no resident is called 'Zed'",),
    "{generate: 1, actions: [fly]}": ("actions.0: there is no action 'fly'; there are go,",),
    "{generate: 1, places: {far: {x: 400, z: 1}}}": ("places.far: it is outside the world",),
    "{generate: 1, places: {far: {x: 4}}}": ("places.far.z: it is missing",),
    "{generate: 1, probes: [{at: 1, question: Who, who: 3}]}": ("probes.0.who: write a list",),
    "{generate: 1, interventions: [{at: 1}]}": ("interventions.0: give exactly one of belief, event and law",),
    "{generate: 1, thresholds: {normal: 2}}": ("thresholds.normal: it must be at most 1",),
    "{generate: 1, intervals: {planning: 0}}": ("intervals.planning: it must be at least 0.05",),
    "{generate: 1, budget: {tokens: 0}}": ("budget.tokens: it must be at least 1",),
    "{generate: 1, models: {planning: gpt 5}}": ("models.planning: ",),
    "{generate: 1, world: mars}": ("world: there is no world 'mars'; there are forum, grid, minecraft",),
    "{generate: 1, world: forum, towns: 1}": ("people.0.town: this world has no places",),
    "{generate: 1, world: forum, actions: [post, dig]}": (
        "actions.1: there is no action 'dig'; there are post, reply",
    ),
    "{generate: 2000, world: minecraft, speed: 3}": (
        "speed: Minecraft runs in real time",
        "generate: a Minecraft world has room for",
    ),
    "{generate: 1, world: minecraft, actions: [say]}": ("actions: this world does not restrict them",),
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_valid(path: Path) -> None:
    """Every example is read, fits the published schema, and gives a world in which each home is a place."""
    society = read_society_file(path)
    assert society.name == path.stem
    Draft202012Validator(SCHEMA).validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    homes = {agent.home for agent in society.agents if agent.home}
    assert bool(homes) == world_class(society.world).spatial
    assert homes <= world_settings(society).sites.keys()


@pytest.mark.parametrize("content", FAULTS, ids=list(range(len(FAULTS))))
def test_every_fault_is_one_line_with_its_path(tmp_path: Path, content: str) -> None:
    """All faults of a file are told, each in one line that begins with the file and the path."""
    path = tmp_path / "village.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(SocietyFileError) as told:
        read_society_file(path)
    assert len(told.value.lines) == len(FAULTS[content])
    for line, fault in zip(told.value.lines, FAULTS[content], strict=True):
        assert line.startswith(f"{path}: {fault}")
        assert "\n" not in line


def test_a_short_message_counts_the_other_faults() -> None:
    """As one line, the error shows the first fault and how many more there are."""
    assert str(SocietyFileError("a", "b", "c")) == "a (and 2 more; `nemuri society check` shows all)"


def test_options_and_a_file_give_the_same_society(tmp_path: Path) -> None:
    """The options of a society without a file are shorthand for one: both give equal societies."""
    path = tmp_path / "towns.yaml"
    path.write_text("{generate: 30, towns: 3, seed: 4, size: 128, without: [talking]}", encoding="utf-8")
    options = SocietyPlan(name="towns", generate=30, towns=3, seed=4, size=128, without=("talking",))
    assert read_society_file(path) == options.society("towns", 4)
    assert options.society("towns", 4).agents == generate_residents("towns", 30, 4, 3)


def test_what_a_file_says_becomes_the_society(tmp_path: Path) -> None:
    """Named people come first, generated ones follow under other names, and the name is that of the file."""
    path = tmp_path / "the old mill.yaml"
    path.write_text(
        "{people: [{name: Aiko, home: mill, model: 'openai:small'}], generate: 49, places: {mill: {x: 5, z: 9}},"
        " budget: {money: 2.5}, models: {default: light}, laws: [Be kind.]}",
        encoding="utf-8",
    )
    society = read_society_file(path)
    assert society.name == "the-old-mill"
    assert (society.agents[0].name, society.agents[0].home) == ("Aiko", "mill")
    assert [agent.id for agent in society.agents[:2]] == ["the-old-mill-0000", "the-old-mill-0001"]
    assert len({agent.name for agent in society.agents}) == 50
    assert society.places == {"mill": Spot(x=5, z=9)}
    assert society.budget == Budget(money=2.5)


def test_repeated_runs_have_the_same_people_and_other_seeds(tmp_path: Path) -> None:
    """Runs differ in their seeds only: the same people live in each."""
    path = tmp_path / "v.yaml"
    path.write_text("{generate: 5, seed: 9}", encoding="utf-8")
    plan = read_plan(path)
    first, second = (plan.society(f"v-{nth}", plan.seed + nth) for nth in (1, 2))
    assert (first.seed, second.seed) == (10, 11)
    assert [agent.name for agent in first.agents] == [agent.name for agent in second.agents]
    assert not {agent.id for agent in first.agents} & {agent.id for agent in second.agents}


def test_no_names_or_traits_stand_in_the_code() -> None:
    """Names and traits of generated people are in a data file only."""
    package = ROOT / "society" / "nemuri_society"
    people = json.loads((package / "operations" / "data" / "people.json").read_text(encoding="utf-8"))
    code = (package / "operations" / "residents.py").read_text(encoding="utf-8")
    assert not [word for word in (*people["names"], *people["traits"]) if f'"{word}"' in code]

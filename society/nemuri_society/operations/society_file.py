"""Society files: YAML with everything that is given about a society. Its JSON Schema is published as
`society/schemas/society.json`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import Field, ValidationError

from nemuri.files.yaml_files import read_yaml
from nemuri_contracts.error_messages import plain
from nemuri_society.contracts.conditions import Conditions
from nemuri_society.contracts.residents import Person
from nemuri_society.contracts.society import AGENTS_LIMIT, Society, SocietyName
from nemuri_society.contracts.wrong_names import wrong_names
from nemuri_society.operations.residents import generate_residents
from nemuri_society.simulation.worlds import UnknownWorldError, world_class

MAX_FILE_BYTES: Final = 4 * 1024 * 1024
"""Maximum size of a society file in bytes."""


class SocietyFileError(Exception):
    """A file does not describe a society. Each line of `lines` has the file, the path in it and what is wrong."""

    def __init__(self, *lines: str) -> None:
        """Create the error from at least one line."""
        more = f" (and {len(lines) - 1} more; `nemuri society check` shows all)" if len(lines) > 1 else ""
        super().__init__(f"{lines[0]}{more}")
        self.lines = lines


class SocietyPlan(Conditions):
    """The content of a society file. Everything but the people has a default."""

    name: SocietyName | None = None
    """Name of the society. By default, that of the file."""
    seed: int = Field(default=0, ge=0, lt=2**32)
    """Seed of all random draws. Further runs have the next seeds."""
    people: tuple[Person, ...] = Field(default=(), max_length=AGENTS_LIMIT)
    """Residents with names, ages, roles, traits, goals, relations, homes, first memories and models."""
    generate: int = Field(default=0, ge=0, le=AGENTS_LIMIT)
    """Number of residents that are generated in addition, with a name and traits."""
    towns: int | None = Field(default=None, ge=0, le=64)
    """Number of towns in which generated residents begin. By default, one for every 25 of them."""

    def society(self, name: str, seed: int) -> Society:
        """Return the society of this name and seed. Raises `SocietyFileError` with paths but no file."""
        if not self.people and not self.generate:
            raise SocietyFileError("people: a society needs at least one person; list some, or set `generate`")
        if (number := len(self.people) + self.generate) > AGENTS_LIMIT:
            raise SocietyFileError(f"generate: a society has at most {AGENTS_LIMIT:,} residents in all, not {number:,}")
        try:
            world = world_class(self.world)
        except UnknownWorldError as error:
            raise SocietyFileError(f"world: {error}") from error
        fields = {field: getattr(self, field) for field in Conditions.model_fields}
        towns = self.towns if world.spatial or self.towns else 0
        agents = generate_residents(name, self.generate, self.seed, towns, self.people)
        draft = Society.model_construct(name=name, seed=seed, agents=agents, **fields)
        if wrong := [*wrong_names(draft), *world.check(draft)]:
            raise SocietyFileError(*(f"{path}: {what}" for path, what in wrong))
        try:
            return Society(name=name, seed=seed, agents=agents, **fields)
        except ValidationError as error:
            raise SocietyFileError(*validation_lines(error)) from error


def read_plan(path: Path) -> SocietyPlan:
    """Return the content of a society file, checked by itself. Raises `SocietyFileError`."""
    content = read_yaml(path, MAX_FILE_BYTES, "society file", SocietyFileError)
    if not isinstance(content, dict):
        raise SocietyFileError(f"{path}: write a mapping with people and what else is given about the society")
    try:
        plan = SocietyPlan.model_validate(content)
    except ValidationError as error:
        raise SocietyFileError(*(f"{path}: {line}" for line in validation_lines(error))) from error
    return plan if plan.name is not None else plan.model_copy(update={"name": _file_name(path)})


def read_society_file(path: Path) -> Society:
    """Return the society that a file describes. Raises `SocietyFileError`."""
    plan = read_plan(path)
    return checked_society(path, plan, str(plan.name), plan.seed)


def checked_society(path: Path | None, plan: SocietyPlan, name: str, seed: int) -> Society:
    """Return the society of this name and seed. Raises `SocietyFileError`, whose lines begin with the path, if any."""
    try:
        return plan.society(name, seed)
    except SocietyFileError as error:
        if path is None:
            raise
        raise SocietyFileError(*(f"{path}: {line}" for line in error.lines)) from error


def validation_lines(error: ValidationError) -> Iterator[str]:
    """Yield one line for each field that is wrong: its path in the file, and what is wrong."""
    seen = set[str]()
    for problem in error.errors(include_url=False, include_input=False):
        path = ".".join(str(part) for part in problem["loc"] if not _is_type(part))
        if path in seen:
            continue  # Another type of the same field was not met either.
        seen.add(path)
        what = "there is no such key; check its spelling" if problem["type"] == "extra_forbidden" else plain(problem)
        yield " ".join(f"{path}: {what}".split()) if path else what


def _is_type(part: object) -> bool:
    """Return True if a part of a location names a type of a union, not a key of the file."""
    return isinstance(part, str) and bool(re.search(r"[\[(]", part))


def _file_name(path: Path) -> str:
    """Return a society's name made from the name of a file."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", path.stem).strip("-_")[:48]
    if not name:
        raise SocietyFileError(f"{path}: name: the file's name has no letters; give the society a `name`")
    return name


def schema() -> dict[str, Any]:
    """Return the JSON Schema of society files, with the documentation of each field as its description."""
    whole = SocietyPlan.model_json_schema(mode="validation")
    for part in (whole, *whole.get("$defs", {}).values()):
        for described in (part, *part.get("properties", {}).values()):
            if "description" in described:
                described["description"] = " ".join(described["description"].split())
    return whole

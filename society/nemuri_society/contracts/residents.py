"""Definitions of a society before it begins: residents, places, interventions, probes and a budget."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, JsonValue, field_validator, model_validator

from nemuri_contracts.event import Identifier, Label, Text, Value

Line = Annotated[Text, Field(min_length=1, max_length=1_000, pattern=r"\S")]
"""One or a few sentences."""
Second = Annotated[float, Field(ge=0, le=1e9)]
"""Second of the society's clock."""
ModelName = Annotated[str, Field(pattern=r"^(main|light|scripted|[A-Za-z0-9_-]+:\S{1,120})$")]
"""A model: `main` or `light` (those of the settings), `scripted`, or a provider with its model, such as
`openai:gpt-5-mini`.
"""
Everyone = Literal["all"]


class Described(Value):
    """Base class of what a society file contains: the string under a field is its description in the schema."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    @field_validator("*", mode="before")
    @classmethod
    def _is_no_truth_value(cls, value: object) -> object:
        """Raise ValueError for true and false, which YAML reads from `yes` and `no` and pydantic takes for 1 and 0."""
        if isinstance(value, bool):
            raise ValueError("write a number or a text in quotation marks, not yes or no")  # noqa: TRY004 - for pydantic
        return value


class Spot(Described):
    """The position of a named place on the ground of the grid world, in blocks."""

    x: int = Field(ge=0, lt=4_096)
    z: int = Field(ge=0, lt=4_096)


class Person(Described):
    """Definition of a person before a society begins."""

    name: Label
    """Display name, unique in the society."""
    town: Identifier | None = None
    """Town in which it begins, if it has no `home`. The world chooses where towns are."""
    age: int | None = Field(default=None, ge=0, le=150)
    role: Label | None = None
    """Its trade or office among the others, such as "baker"."""
    traits: tuple[Label, ...] = Field(default=(), max_length=16)
    goals: tuple[Line, ...] = Field(default=(), max_length=16)
    """Its aims in life. The goals that it pursues at a moment are derived from these."""
    relations: dict[Label, Line] = Field(default_factory=dict, max_length=64)
    """Relations to other residents, by their names: "her brother", "owes him two loaves"."""
    home: Identifier | None = None
    """Named place of the society in which it begins and lives."""
    memories: tuple[Line, ...] = Field(default=(), max_length=100)
    """First memories, oldest first, in its own words."""
    model: ModelName | None = None
    """Model that thinks for it, in place of the society's `models`."""
    profile: dict[str, JsonValue] = Field(default_factory=dict)
    """Settings of an experiment, beside the fields above."""


class Resident(Person):
    """Initial state of an agent of a society."""

    id: Identifier


class Intervention(Described):
    """A change from outside at a set second. Exactly one of `belief`, `event` and `law` is given."""

    at: Second
    who: tuple[Label, ...] | Everyone = "all"
    """Names of residents and groups."""
    belief: Line | None = None
    """A memory that they have from then on, in their own words."""
    event: Line | None = None
    """Something that they perceive at that second."""
    law: Line | None = None
    """A law that holds for them from then on."""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if sum(value is not None for value in (self.belief, self.event, self.law)) != 1:
            raise ValueError("give exactly one of belief, event and law")
        return self


class Probe(Described):
    """A question that residents are asked aside at a set second. They do not remember it."""

    at: Second
    question: Line
    who: tuple[Label, ...] | Everyone = "all"
    """Names of residents and groups."""


class Budget(Described):
    """Limits of what the models of a society may use. Thinking pauses when one limit is reached; None is no limit."""

    tokens: int | None = Field(default=None, ge=1)
    """Input and output tokens together."""
    money: float | None = Field(default=None, gt=0)
    """In the currency of the operator's price list."""

"""Each decay rule is written once, and PostgreSQL, NumPy and Python compute the same results from it."""

import random
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Double, Integer, Text, column, literal, select, values
from sqlalchemy.sql.selectable import Values

from nemuri_domain.affective.policy import AffectPolicy, Archive
from nemuri_domain.affective.retention import deletable, reinforced, retention
from nemuri_domain.event_sourcing.array_arithmetic import ARRAYS
from nemuri_domain.event_sourcing.numeric_backends import FLOATS, Arithmetic
from nemuri_domain.strength.decay import clock_of, strength
from nemuri_domain.strength.policy import LEVELS
from nemuri_infra.projections import affective_queries
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.sql_arithmetic import SQL
from nemuri_infra.runtime.settings import Settings

pytestmark = pytest.mark.connected
ROWS = 400
NIGHT = 900
CLOCKS = tuple(-1.5 * level - 0.1 for level in range(LEVELS))
Row = dict[str, Any]


def affective_row(rng: random.Random, place: int) -> Row:
    """Return a row with the values of a random affective memory: new, old, archived or almost forgotten."""
    begun = rng.choice((NIGHT, rng.randrange(NIGHT)))
    return {
        "place": place,
        "kept": rng.uniform(0, 100),
        "zero": begun - rng.random(),
        "begun": begun,
        "coefficient": rng.choice((rng.uniform(0.9, 0.999), rng.uniform(1e-6, 0.9))),
        "archived_night": rng.choice((None, rng.randrange(begun, NIGHT + 1))),
        "intensity": rng.randrange(101),
        "recall_count": rng.randrange(3),
    }


def strength_row(rng: random.Random, place: int) -> Row:
    """Return a row with the values of a random memory. Its strength may be too small for a double."""
    return {
        "place": place,
        "kept": rng.uniform(-900, 100),
        "level": rng.randrange(LEVELS),
        "status": rng.choice(("active", "archived")),
    }


def table(rows: list[Row]) -> Values:
    """Return the rows as a table of constants that a query can select from."""
    kinds: dict[str, Any] = {"status": Text(), "kept": Double(), "zero": Double(), "coefficient": Double()}
    columns = [column(name, kinds.get(name, Integer())) for name in rows[0]]
    return values(*columns, name="m").data([tuple(row.values()) for row in rows])


async def in_sql(settings: Settings, rows: list[Row], expressions: Any) -> list[tuple[Any, ...]]:
    """Return the values of the expressions that PostgreSQL computes for each row."""
    of = table(rows).c
    database = Database.at(str(settings.database_url), settings.namespace)
    try:
        async with database.reading() as connection:
            found = await connection.execute(select(*expressions(of)).order_by(of.place))
            return [tuple(each) for each in found]
    finally:
        await database.close()


def retention_of_row(row: Row) -> float:
    """Return the retention of one row, computed with Python floats."""
    return float(
        retention(
            **{name: row[name] for name in ("kept", "zero", "begun", "coefficient")},
            night=NIGHT,
            archived=row["archived_night"],
        )
    )


def retention_in_sql(of: Any) -> Any:
    """Return the retention of the rows as an SQL expression."""
    return retention(
        kept=of.kept,
        zero=of.zero,
        begun=of.begun,
        coefficient=of.coefficient,
        night=literal(NIGHT),
        archived=of.archived_night,
        arithmetic=SQL,
    )


def retention_of_arrays(rows: list[Row]) -> Any:
    """Return the retention of rows, computed with NumPy arrays. No row may be archived."""
    columns = {name: np.array([row[name] for row in rows]) for name in ("kept", "zero", "begun", "coefficient")}
    return retention(**columns, night=NIGHT, arithmetic=ARRAYS)


async def compared_retention(settings: Settings, rows: list[Row]) -> list[float]:
    """Return the retention of the rows, and assert that SQL, NumPy arrays and Python floats give the same."""
    plain = [retention_of_row(row) for row in rows]
    assert [each[0] for each in await in_sql(settings, rows, lambda of: [retention_in_sql(of)])] == pytest.approx(plain)
    active = [place for place, each in enumerate(rows) if each["archived_night"] is None]
    assert retention_of_arrays([rows[place] for place in active]) == pytest.approx([plain[place] for place in active])
    return plain


async def test_retention_is_the_same_in_sql_in_arrays_and_in_python(settings: Settings, seed: int) -> None:
    """New, old, archived and almost forgotten memories have the same retention in SQL, in arrays and in Python."""
    rng = random.Random(seed)
    await compared_retention(settings, [affective_row(rng, place) for place in range(ROWS)])


async def test_a_changed_rule_of_retention_is_changed_everywhere(
    settings: Settings, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed rule of retention changes the results in SQL, in arrays and in Python alike."""

    def halved(
        *,
        kept: Any,
        zero: Any,
        begun: Any,
        coefficient: Any,
        night: Any,
        archived: Any = None,
        arithmetic: Arithmetic = FLOATS,
    ) -> Any:
        at = arithmetic.coalesce(archived, night)
        return kept / (2 + arithmetic.maximum(0, at - begun)) + 0 * zero * coefficient

    rng = random.Random(seed)
    rows = [affective_row(rng, place) for place in range(ROWS)]
    before, written = await compared_retention(settings, rows), affective_queries.retention_sql()
    with monkeypatch.context() as patched:
        patched.setattr(retention, "__code__", halved.__code__)
        affective_queries.retention_sql.cache_clear()
        changed = await compared_retention(settings, rows)
        assert affective_queries.retention_sql() != written, "the SQL is generated from the rule"
    affective_queries.retention_sql.cache_clear()
    assert changed != pytest.approx(before)
    assert affective_queries.retention_sql() == written


async def test_deletion_is_the_same_in_sql_and_in_python(settings: Settings, seed: int) -> None:
    """The conditions of automatic deletion select the same archived memories in SQL and in Python."""
    rng = random.Random(seed)
    rows = [each for each in (affective_row(rng, place) for place in range(ROWS)) if each["archived_night"] is not None]
    for mode in ("AND", "OR"):
        for unused in (True, False):
            rules = Archive(
                retention_days=90,
                delete_max_intensity=40,
                delete_condition_mode=mode,
                delete_require_zero_recall=unused,
            )

            def condition(archived: Any, of: Row | Any, rules: Archive = rules) -> Any:
                intensity, count = (of[name] for name in ("intensity", "recall_count"))
                return deletable(archived=archived, intensity=intensity, recall_count=count, night=NIGHT, rules=rules)

            found = await in_sql(settings, rows, lambda of: [condition(of.archived_night, of)])
            assert [each[0] for each in found] == [condition(row["archived_night"], row) for row in rows]


def test_reinforcement_is_the_same_in_arrays_and_in_python(seed: int) -> None:
    """The nightly job, on arrays, computes the same age and coefficient of recalled memories as the fold does in
    Python.
    """
    rng = random.Random(seed)
    rows, rules = [affective_row(rng, place) for place in range(ROWS)], AffectPolicy()
    for nights in (1, 2, 7):
        known: dict[str, Any] = {"night": NIGHT, "nights": nights, "rules": rules}
        plain = [reinforced(zero=row["zero"], coefficient=row["coefficient"], **known) for row in rows]
        zero, coefficient = (np.array([row[name] for row in rows]) for name in ("zero", "coefficient"))
        together = reinforced(zero=zero, coefficient=coefficient, arithmetic=ARRAYS, **known)
        assert np.transpose(together) == pytest.approx(np.array(plain))


async def test_strength_is_the_same_in_sql_and_in_python(settings: Settings, seed: int) -> None:
    """Memories have the same strength in SQL and in Python. A strength too small for a double is 0."""
    rng = random.Random(seed)
    rows = [strength_row(rng, place) for place in range(ROWS)]
    plain = [strength(row["kept"], clock_of(row["status"], row["level"], CLOCKS)) for row in rows]

    found = await in_sql(
        settings, rows, lambda of: [strength(of.kept, clock_of(of.status, of.level, CLOCKS, SQL), SQL)]
    )

    assert [each[0] for each in found] == pytest.approx(plain, abs=1e-300)
    assert min(plain) == 0.0

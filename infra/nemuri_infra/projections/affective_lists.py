"""Lists of affective memories: the strongest, the important ones of a project, pages, projects and moods."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log
from typing import Any

from sqlalchemy import ColumnElement, Text, TextClause, case, cast, func, literal, literal_column, select, text, tuple_

from nemuri_contracts.affective_views import MoodPoint, ProjectCount
from nemuri_contracts.queries import AffectListQuery
from nemuri_contracts.wire_constants import NO_PROJECT
from nemuri_domain.affective.aggregate import DELETED, AffectAgent, AffectMemory
from nemuri_infra.projections import tables
from nemuri_infra.projections.affective_queries import retention_sql
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.rows import load, records, selecting

MAX_OF_USER = 9
"""Number of lasting statements about the user that come before all others: about half of a block."""
MAX_OPEN = 5
"""Number of open ends of a project, the newest ones, that come next."""
_FADING = 0.8
"""Factor by which each idle show lowers the place of a memory."""


@dataclass(frozen=True, slots=True)
class AffectiveLists:
    """Read access to lists of affective memories."""

    database: Database

    async def strongest(self, agent: AffectAgent, limit: int) -> list[AffectMemory]:
        """Return the active memories with the highest retention, highest first, at most `limit`."""
        query = text(
            f"SELECT m.memory_id FROM affect_memory AS m WHERE m.agent_id = :agent AND m.level < 4"  # noqa: S608 - ours
            f" ORDER BY {retention_sql()} DESC, m.memory_id LIMIT :limit"
        )
        return await self._in_order(query, {"agent": agent.agent_id, "night": agent.nights, "limit": limit})

    async def shown_unasked(self, agent: AffectAgent, projects: Sequence[str], limit: int) -> list[AffectMemory]:
        """Return the active memories to show at the start of a session in a project with these names, at most `limit`.

        What is lastingly said about the user comes first, then what the project has open, then its protected memories
        and its rules, then its others, each less for each idle show, then those outside of every project. Of the first
        two there are only `MAX_OF_USER` and `MAX_OPEN` before the others. Left out are trivial memories, mere keywords,
        what a person wants to be shown only when asked for, and matters of the user's life that belong to another
        project or were shown often enough. Without a project, memories outside of every project count as the project's.
        """
        values = {"agent": agent.agent_id, "night": agent.nights, "projects": list(projects), "limit": limit}
        values |= {"outside": not set(projects) - {NO_PROJECT}, "idle": agent.rules.retrieval.max_idle_shows}
        return await self._in_order(_unasked(), values | {"of_user": MAX_OF_USER, "open": MAX_OPEN})

    async def page(self, agent: AffectAgent, wanted: AffectListQuery) -> list[AffectMemory]:
        """Return one memory more than a page of the wanted memories, newest first, if there are so many."""
        memory = tables.affect_memory
        of = [memory.c.agent_id == agent.agent_id, memory.c.level == 4 if wanted.archived else memory.c.level < 4]
        if wanted.protected:
            of.append(memory.c.protected)
        if wanted.project is not None:
            of.append(memory.c.project.in_(agent.project_names(wanted.project)))
        words = memory.c.trigger + " " + memory.c.content + " " + cast(memory.c.keywords, Text)
        of += [func.strpos(_plain(words), _plain(literal(word))) > 0 for word in (wanted.containing or "").split()]
        if wanted.older_than is not None:
            last = select(memory.c.said_at).where(memory.c.memory_id == wanted.older_than).scalar_subquery()
            of.append(tuple_(memory.c.said_at, memory.c.memory_id) < tuple_(last, literal(wanted.older_than)))
        order = (memory.c.said_at.desc(), memory.c.memory_id.desc())
        query = selecting(memory, AffectMemory).where(*of).order_by(*order).limit(wanted.limit + 1)
        async with self.database.reading() as connection:
            return await records(connection, AffectMemory, query)

    async def projects(self, agent: AffectAgent) -> list[ProjectCount]:
        """Return the projects with active or archived memories, the largest first."""
        memory = tables.affect_memory.c
        of = (memory.agent_id == agent.agent_id, memory.level < DELETED)
        query = select(memory.project, func.count()).where(*of).group_by(memory.project)
        counts = Counter[str | None]()
        async with self.database.reading() as connection:
            for project, number in await connection.execute(query):
                counts[agent.projects.get(project, project)] += number
        return [ProjectCount(project=name, memories=number) for name, number in counts.most_common()]

    async def characters(self, agent_id: str) -> tuple[int, tuple[int, int, int, int]]:
        """Return the numbers of characters of the protected memories, and of the others at levels 1, 2, 3 and archived.

        Counted are triggers and contents, except those of deleted memories.
        """
        memory = tables.affect_memory.c
        size = func.sum(func.length(memory.trigger) + func.length(memory.content))
        place = case((memory.protected, 0), else_=memory.level)
        query = select(place, size).where(memory.agent_id == agent_id, memory.level < DELETED).group_by(place)
        async with self.database.reading() as connection:
            held = {level: int(number) for level, number in await connection.execute(query)}
        protected, whole, summary, keywords, archive = (held.get(level, 0) for level in range(DELETED))
        return protected, (whole, summary, keywords, archive)

    async def moods(self, agent_id: str, days: int) -> list[MoodPoint]:
        """Return the mean mood of each of the last `days` days on which a turn was remembered, oldest first."""
        query = text(
            """
            -- Mean arousal, intensity and valence of the memories of each day.
            SELECT CAST(said_at AS date) AS day, avg(arousal) AS arousal, avg(intensity) AS intensity,
                avg(CASE valence WHEN 'positive' THEN 1 WHEN 'negative' THEN -1 ELSE 0 END) AS valence,
                count(*) AS memories
            FROM affect_memory WHERE agent_id = :agent GROUP BY day ORDER BY day DESC LIMIT :days
            """
        )
        async with self.database.reading() as connection:
            rows = (await connection.execute(query, {"agent": agent_id, "days": days})).all()
        return [MoodPoint.model_validate(dict(row._mapping)) for row in reversed(rows)]  # noqa: SLF001 - documented

    async def _in_order(self, query: TextClause, values: Mapping[str, Any]) -> list[AffectMemory]:
        """Return the memories whose ids a query returns, in its order."""
        memory = tables.affect_memory
        async with self.database.reading() as connection:
            ids = list((await connection.execute(query, values)).scalars())
            found = await load(connection, memory, AffectMemory, memory.c.memory_id.in_(ids))
        known = {row.memory_id: row for row in found}
        return [known[memory_id] for memory_id in ids if memory_id in known]


def _plain(words: ColumnElement[str]) -> ColumnElement[str]:
    """Return a text in lower case without accents, as `plain_letters` has it."""
    return func.regexp_replace(
        func.lower(func.normalize(words, literal_column("NFKD"))), "([a-z])[\u0300-\u036f]+", "\\1", "g"
    )


@cache
def _unasked() -> TextClause:
    return text(
        f"""
        -- What is shown at the start of a session. Sections: 0 the user, 1 open, 2 standing, 3 the project, 4 outside.
        -- Of each section only the first rows are sorted out of all, which takes a third of the time of a full sort.
        WITH placed AS MATERIALIZED (
            SELECT memory_id, said_at, CASE WHEN concern = 'user' THEN 0 WHEN own AND concern = 'open' THEN 1
                WHEN own AND (protected OR concern = 'rule') THEN 2 WHEN own THEN 3 ELSE 4 END AS section,
                CASE WHEN own AND concern = 'open' THEN - idle_shows ELSE CAST(protected AS integer) END AS first,
                CASE WHEN own AND concern = 'open' THEN extract(epoch FROM said_at)
                    ELSE {retention_sql()} * exp({log(_FADING)} * idle_shows) END AS second
            FROM (SELECT *, project = ANY(CAST(:projects AS text[])) OR (:outside AND project IS NULL) AS own
                FROM affect_memory WHERE agent_id = :agent AND level < 4 AND NOT only_asked) AS m
            WHERE (protected OR (concern <> 'trivia' AND (words_level < 3 OR concern IN ('user', 'rule'))))
                AND (concern = 'user' OR (own AND (concern <> 'life' OR protected OR idle_shows < :idle))
                    OR (project IS NULL AND (concern <> 'life' OR protected)))
        ), ranked AS (
            SELECT memory_id, section, row_number() OVER (
                PARTITION BY section ORDER BY first DESC, second DESC, said_at DESC, memory_id) AS place
            FROM generate_series(0, 4) AS every CROSS JOIN LATERAL (SELECT * FROM placed WHERE section = every
                ORDER BY first DESC, second DESC, said_at DESC, memory_id LIMIT :limit) AS foremost
        )
        SELECT memory_id FROM ranked
        ORDER BY (section = 0 AND place > :of_user) OR (section = 1 AND place > :open), section, place LIMIT :limit
        """  # noqa: S608 - ours
    )

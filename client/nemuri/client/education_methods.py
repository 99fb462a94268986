"""The client's methods for education: teach an agent from a textbook, and follow its courses."""

from dataclasses import dataclass
from datetime import datetime
from typing import Unpack
from uuid import UUID

from nemuri.client.agent_methods import AgentMethods
from nemuri.client.call_boundary import guard_methods
from nemuri.client.course_start import start_course
from nemuri.client.exchange import validated
from nemuri.client.keywords import TeachingKeywords
from nemuri.client.parameters import Id
from nemuri_contracts import queries
from nemuri_contracts.client_events import Scope
from nemuri_contracts.education import TeachingOptions, Textbook
from nemuri_contracts.education_views import CoursesView, DueView


@guard_methods
@dataclass(slots=True)
class EducationMethods(AgentMethods):
    """The methods of a client for textbooks, courses and exercises."""

    async def teach(
        self,
        agent: str,
        textbook: Textbook,
        *,
        scope: Scope | None = None,
        **options: Unpack[TeachingKeywords],
    ) -> UUID:
        """Start to teach an agent from a textbook, and return the course's id. `courses` reports the progress.

        Args:
            agent: Id of an agent with strength memory.
            textbook: The textbook. If the agent does not have its perspective, it is taught without one.
            scope: Domain or project in which the memories are valid and the exercises are set; None for everywhere.

        Returns:
            The id of the course.

        Raises:
            ClientError: The agent is unknown or has another kind of memory, a chapter is too large, a textbook of this
                title is being taught in this scope now, or the same textbook was taught there before and `again` is not
                set.

        Example:
            >>> from nemuri_contracts.education import Chapter, Section, Textbook
            >>> section = Section(title="Truth values", text="The truth value of an empty dictionary is false.")
            >>> textbook = Textbook(title="Truth", chapters=(Chapter(title="Values", sections=(section,)),))
            >>> course_id = await client.teach("python", textbook)
            >>> [course.title for course in (await client.courses("python", course_id)).courses]
            ['Truth']
        """
        [taught] = await self.agents(agent)
        wish = validated(TeachingOptions, **options)
        return await start_course(self._exchange, taught, textbook, wish, scope or Scope())

    async def courses(self, agent: str, course_id: Id | None = None) -> CoursesView:
        """Return the progress of an agent in its courses.

        Args:
            agent: Id of the agent.
            course_id: Id of one course, as a UUID or its text. Its report then includes each exercise. None for all
                courses, without exercises.

        Returns:
            The courses, oldest first.

        Raises:
            ClientError: The agent or the course is unknown.

        Example:
            >>> (await client.courses("noah")).courses
            ()
        """
        return await self._exchange.ask(queries.CoursesQuery, CoursesView, agent_id=agent, course_id=course_id)

    async def due(self, until: datetime) -> int:
        """Return the number of exercises of all agents that are due at a given time and not yet given to an agent as a
        task.

        Args:
            until: The time, by the platform's clock (`clock`), with a time zone.

        Returns:
            The number of exercises.

        Raises:
            ClientError: `until` has no time zone and exercises are planned, so that the times cannot be compared.

        Example:
            >>> from datetime import UTC, datetime
            >>> await client.due(datetime(2000, 1, 1, tzinfo=UTC))
            0
        """
        return (await self._exchange.ask(queries.DueQuery, DueView, until=until)).exercises

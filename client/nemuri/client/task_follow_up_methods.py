"""The client's methods that follow up a task: answers to what it asks, feedback, and explanations."""

from dataclasses import dataclass
from typing import Literal, Unpack

from nemuri.client.call_boundary import guard_methods
from nemuri.client.client_base import ClientBase
from nemuri.client.keywords import FeedbackKeywords
from nemuri.client.paging import explanations
from nemuri.client.parameters import Id, Numbers, Written
from nemuri.client.tasks import answer_negotiation, answer_question, give_feedback
from nemuri_contracts import queries
from nemuri_contracts.client_events import NegotiationOption
from nemuri_contracts.explanation_views import Explanation, Routing, RoutingView
from nemuri_contracts.task_views import FeedbackStanding


@guard_methods
@dataclass(slots=True)
class TaskFollowUpMethods(ClientBase):
    """The methods of a client that reply to a submitted task, judge its answer or explain it."""

    async def answer(self, task_id: Id, option: NegotiationOption, *, items: Numbers = ()) -> None:
        r"""Choose how a task with too many items continues, or which agent gets a task that fits none.

        Such a task waits in the status "negotiation" until this choice. The options are in its result.

        Args:
            task_id: Id of the task, as a UUID or its text.
            option: "most_important", "all", "by_category" or "as_one" for a task with too many items, for example a
                list of 25 questions; "agent:" and the name of an agent for a task that fits none.
            items: With "most_important", the numbers of up to ten items, counted from 1; empty to let the platform
                choose.

        Raises:
            ClientError: The task has no open negotiation, no such option or no such items, or another client submitted
                it. Nothing was recorded.

        Example:
            >>> lamps = "\n".join(f"{number}. What does lamp {number} cost?" for number in range(1, 26))
            >>> task = await client.ask(lamps)
            >>> task.status
            'negotiation'
            >>> await client.answer(task.task_id, "most_important", items=[1, 2])
        """
        await answer_negotiation(self._exchange, task_id, option, tuple(items))

    async def answer_question(self, task_id: Id, text: Written) -> None:
        """Answer the question that an agent asked about a task.

        Such a task waits in the status "clarification", with the question in its result's `clarification`. If nobody
        answers in time, the agent goes on, and its answer says what it assumed.

        Args:
            task_id: Id of the task, as a UUID or its text.
            text: The answer, at most 16,000 characters. It need not be one of the offered options.

        Raises:
            ClientError: The task waits for no answer, another client submitted it, or the text is empty or too long.
                Nothing was recorded.

        Example:
            >>> task = await client.ask("Who is <customer name>?", agent="python")
            >>> task.status, task.clarification.request.question
            ('clarification', 'The request has “<customer name>” in place of a word. What should stand there?')
            >>> await client.answer_question(task.task_id, "Ann")
        """
        await answer_question(self._exchange, task_id, text)

    async def feedback(
        self,
        task_id: Id,
        verdict: Literal["helpful", "unhelpful"] | None = None,
        **options: Unpack[FeedbackKeywords],
    ) -> FeedbackStanding:
        """Judge the answer of a task, and return the outcome of the feedback.

        Feedback can be given at any time. The call waits a few seconds until the platform has decided to which memories
        it credits the feedback. If there is no decision by then, the feedback is returned as "new", and `progress`
        shows the decision later.

        Args:
            task_id: Id of the task, as a UUID or its text.
            verdict: "helpful" or "unhelpful".

        Returns:
            The feedback. Its `standing` is "new" (undecided), "parked" (waits until the used memories are known),
            "applied" (credited to `memories`) or "refused" (credited to no memory, for the given `reason`).

        Raises:
            ClientError: The task or the memory is unknown, `verdict`, `result`, `prevented_error` and `correction` are
                all None, or a correction comes with "helpful" or "success". Nothing was recorded.

        Example:
            >>> task = await client.ask("What is truth value testing?", agent="python", settled=True)
            >>> (await client.feedback(task.task_id, "helpful")).standing
            'applied'
        """
        return await give_feedback(self._exchange, task_id, verdict, **options)

    async def why(self, task_id: Id) -> tuple[Explanation, ...]:
        """Explain which memories were retrieved for a task and how they were ranked.

        Args:
            task_id: Id of the task, as a UUID or its text.

        Returns:
            One explanation for each assignment that has retrieved memories. It has the features of every candidate, the
            contribution of each feature to the score, and the reason for the rank.

        Raises:
            ClientError: The task is unknown.

        Example:
            >>> task = await client.ask("What is truth value testing?", agent="python")
            >>> [explanation.agent_id for explanation in await client.why(task.task_id)]
            ['python']
        """
        return await explanations(self._exchange, task_id)

    async def routing(self, task_id: Id) -> Routing | None:
        """Explain why a task was assigned to its agents.

        Args:
            task_id: Id of the task, as a UUID or its text.

        Returns:
            The chosen agents and the scores of all agents that could have been chosen; None if the task is not routed
            yet.

        Raises:
            ClientError: The task is unknown.

        Example:
            >>> task = await client.ask("What is truth value testing?")
            >>> routing = await client.routing(task.task_id)
            >>> [choice.agent_id for choice in routing.choices]
            ['python']
        """
        return (await self._exchange.ask(queries.RoutingQuery, RoutingView, task_id=task_id)).routing

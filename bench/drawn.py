"""What clients and models would say in a life of tasks, drawn in words of a small language; the same for a seed."""

import random
from uuid import UUID

from nemuri_contracts.agents import Definition, Perspective
from nemuri_contracts.client_events import Document, FeedbackGiven, MemoryContent, TaskSubmitted
from nemuri_contracts.strength import FEATURES, Candidate
from nemuri_contracts.tasks import AgentScore

PERSPECTIVES = ("cost", "risk", "quality")
PIECES = 4
"""Pieces of the documents of one task in ten."""
LETTERS = "abcdefghijklmnoprstuvwz"


class Drawn:
    """Everything comes from one source of chance, and so depends on what was drawn before."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._words = ["".join(rng.choices(LETTERS, k=rng.randint(3, 9))) for _ in range(3_000)]

    def said(self, words: int) -> str:
        """So many words."""
        return " ".join(self._rng.choices(self._words, k=words))

    def identity(self) -> UUID:
        """The id of an event that follows from none."""
        return UUID(int=self._rng.getrandbits(128), version=4)

    def definition(self, name: str) -> Definition:
        """What an agent is for."""
        perspectives = tuple(Perspective(name=each, keywords=(each, "price")) for each in PERSPECTIVES)
        return Definition(role=name, description=self.said(12), perspectives=perspectives)

    def task(self) -> TaskSubmitted:
        """What a client asks, now and then with a document."""
        documents = (Document(name="offer.txt", ref="a" * 64, characters=PIECES * 900),)
        return TaskSubmitted(
            event_id=self.identity(),
            client_id="ann",
            text=self.said(14),
            documents=documents if self._rng.random() < 0.1 else (),
        )

    def feedback(self, task_id: UUID) -> FeedbackGiven:
        """What a client says of an answer."""
        return FeedbackGiven(
            event_id=self.identity(),
            client_id="ann",
            correlation_id=task_id,
            verdict=self._rng.choice(("helpful", "unhelpful")),
        )

    def score(self, agent: str) -> AgentScore:
        """How well an agent suits a task."""
        share = self._rng.random
        return AgentScore(agent_id=agent, expertise=share(), history=share(), load=share(), total=share())

    def candidate(self, memory_id: UUID) -> Candidate:
        """How well a memory suits a query."""
        share = self._rng.random
        return Candidate(
            memory_id=memory_id, similarity=share(), lexical=share(), relevance=share(),
            features=tuple(share() for _ in FEATURES), score=share(),
        )  # fmt: skip

    def learning(self, perspective: str) -> MemoryContent:
        """What a model takes from an answer."""
        return MemoryContent(
            content=self.said(22),
            tags=tuple(self._rng.sample(self._words, 4)),
            learnings={perspective: self.said(12)},
        )

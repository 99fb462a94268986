"""Texts of clients and models for synthetic tasks, in random words. Equal seeds give equal texts."""

import random
from uuid import UUID

from nemuri_contracts.agents import Definition, Perspective
from nemuri_contracts.client_events import Document, FeedbackGiven, MemoryContent, TaskSubmitted
from nemuri_contracts.strength import FEATURES, Candidate
from nemuri_contracts.tasks import AgentScore

PERSPECTIVES = ("cost", "risk", "quality")
PIECES = 4
"""Number of chunks in the documents of one task in ten."""
LETTERS = "abcdefghijklmnoprstuvwz"


class Drawn:
    """A generator of random events and texts. It has one random source, so each result depends on all earlier draws."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._words = ["".join(rng.choices(LETTERS, k=rng.randint(3, 9))) for _ in range(3_000)]

    def text(self, words: int) -> str:
        """Return a text of the given number of words."""
        return " ".join(self._rng.choices(self._words, k=words))

    def identity(self) -> UUID:
        """Return a random id for an event that has no cause."""
        return UUID(int=self._rng.getrandbits(128), version=4)

    def definition(self, name: str) -> Definition:
        """Return a random definition of the agent `name`."""
        perspectives = tuple(
            Perspective(name=perspective, keywords=(perspective, "price")) for perspective in PERSPECTIVES
        )
        return Definition(role=name, description=self.text(12), perspectives=perspectives)

    def task(self) -> TaskSubmitted:
        """Return a random task of a client. On average one in ten has a document."""
        documents = (Document(name="offer.txt", ref="a" * 64, characters=PIECES * 900),)
        return TaskSubmitted(
            event_id=self.identity(),
            client_id="ann",
            text=self.text(14),
            documents=documents if self._rng.random() < 0.1 else (),
        )

    def feedback(self, task_id: UUID) -> FeedbackGiven:
        """Return random feedback of a client on the answer to a task."""
        return FeedbackGiven(
            event_id=self.identity(),
            client_id="ann",
            correlation_id=task_id,
            verdict=self._rng.choice(("helpful", "unhelpful")),
        )

    def score(self, agent: str) -> AgentScore:
        """Return a random routing score of an agent."""
        share = self._rng.random
        return AgentScore(agent_id=agent, expertise=share(), history=share(), load=share(), total=share())

    def candidate(self, memory_id: UUID) -> Candidate:
        """Return a memory as a candidate of a query, with random features."""
        share = self._rng.random
        return Candidate(
            memory_id=memory_id, similarity=share(), lexical=share(), relevance=share(),
            features=tuple(share() for _ in FEATURES), score=share(),
        )  # fmt: skip

    def learning(self, perspective: str) -> MemoryContent:
        """Return a random learning under a perspective, like one that a model extracts from an answer."""
        return MemoryContent(
            content=self.text(22),
            tags=tuple(self._rng.sample(self._words, 4)),
            learnings={perspective: self.text(12)},
        )

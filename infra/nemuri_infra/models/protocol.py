"""The protocol of models. A model gets jobs instead of prompts, so that a job can also be done without a model."""

from abc import ABC, abstractmethod
from typing import ClassVar, Final, Generic, Protocol, TypeVar

from nemuri_infra.models.chat import ChatReply, ChatRequest, Reply

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
EXTRACTIVE: Final = "extractive"
"""Name of the extractive model, and of the provider that never fails."""


class UnreadableReplyError(Exception):
    """A reply from which the value of a job cannot be read. The message says what is missing: "no summary"."""


class Job(ABC, Generic[T_co]):
    """A job for a model: its inputs, the prompt, the reading of the reply, and the value without a language model.

    A job is a frozen dataclass in a file of its own in `jobs/`.
    """

    __slots__ = ()

    stand_in: ClassVar[str] = EXTRACTIVE
    """Name that the usage gives to the rules of `without_model`, beside or instead of a model."""
    must_be_read: ClassVar[bool] = False
    """True if a reply that cannot be read is refused. Otherwise `if_unread` replaces its value."""
    slow: ClassVar[bool] = False
    """True if `without_model` may take some milliseconds. It is then called in a thread."""

    @abstractmethod
    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""

    @abstractmethod
    def read(self, reply: ChatReply) -> T_co:
        """Return the value in a reply. Raises `UnreadableReplyError` if there is none."""

    @abstractmethod
    def without_model(self) -> T_co:
        """Return the value by rules, or one that says that only a language model can tell. It never fails."""

    def if_unread(self) -> T_co:
        """Return the value of a reply that cannot be read: the one by rules, unless the job has a better one."""
        return self.without_model()


class Model(Protocol):
    """A model that does jobs."""

    @property
    def name(self) -> str:
        """Return the name of the model for logs. The usage of a reply names the model that actually gave it."""

    @property
    def understands(self) -> bool:
        """True for a language model: it may call tools in an `AnswerJob`, and tells relations that no words express."""

    async def do(self, job: Job[T]) -> Reply[T]:
        """Return the value of the job, and the usage of all calls that it needed.

        Raises `ModelUnavailable` or `ModelRefused`, and no other error of a provider.
        """

    async def aclose(self) -> None:
        """Release the connections. The model must not be used afterwards."""

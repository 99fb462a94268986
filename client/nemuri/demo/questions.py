"""The questions of the demo, each with the topics of the language reference that form its document."""

from dataclasses import dataclass
from typing import Final

from nemuri.demo.texts import EVERYTHING
from nemuri_contracts.client_events import NegotiationOption


@dataclass(frozen=True, slots=True)
class Question:
    """A task of the demo. It is asked with its document in the first round, and without it in the second."""

    text: str
    topics: tuple[str, ...]
    """Topics that are joined into the document."""
    agent: str | None = None
    """Name of the agent to ask; None leaves the choice to the orchestrator."""
    perspective: str | None = None
    praised: bool = True
    """True if the client gives the feedback "helpful" and "success"."""
    again: bool = True
    """True if it is asked in the second round too. What only another question taught fades meanwhile."""
    documents_again: bool = False
    """True if the document is sent the second time too."""
    option: NegotiationOption = "all"
    """The client's choice when the platform opens a negotiation, because the task has too many items."""


STATEMENTS: Final = (
    *("pass", "break", "continue", "assert", "return", "yield", "raise", "try", "del", "if", "while", "for"),
    *("with", "async", "exceptions", "context-managers", "global", "nonlocal", "import"),
)

_ITEMS: Final = (
    "What happens when pass is executed?",
    "Which value does the loop control target keep when break terminates a loop?",
    "When continue passes control out of a try statement, what is executed before the next loop cycle?",
    "What are assert statements a convenient way to insert?",
    "With which value does return leave the current function call?",
    "Which exception does raise re-raise when no expressions are present?",
    "What can a finally clause specify?",
    "In which order are the targets of a target list deleted?",
    "How does an if statement select one of the suites?",
    "What happens on the first time that the expression of a loop is false?",
    "Which execution does a with statement wrap?",
    "At which points can the execution of coroutines be suspended?",
    "How are exceptions identified?",
    "What does the termination model of error handling mean?",
    "When is the optional else clause of try executed?",
    "What are except* clauses used for?",
    "What happens when an exception is not handled?",
    "When may async for be used?",
    "What is given with the from clause of raise?",
    "Which identifiers does a nonlocal statement refer to?",
    "What must names listed in a global statement not be?",
    "What does a context manager handle?",
    "Which public names does a module define?",
    "Where is the wild card form of import allowed?",
)
MULTI_QUESTION_TEXT: Final = "Please answer these questions about statements:\n" + "\n".join(
    f"{number}. {item}" for number, item in enumerate(_ITEMS, 1)
)

QUESTIONS: Final = (
    Question("When is an object considered true, and when false?", ("truth",)),
    Question("When is the else clause of a loop executed?", ("for", "while", "break", "continue")),
    Question(
        "How is a name resolved that is used in a block but not bound there?", ("naming", "execmodel"), again=False
    ),
    Question("How do I align and pad a number with a format specification?", ("formatstrings",)),
    Question("What must hold for __hash__ when a class defines __eq__?", ("specialnames",)),
    Question("What does with do when its suite is exited because of an exception?", ("with", "context-managers")),
    Question("When are the default values of parameters evaluated?", ("function",)),
    Question("sep が None のとき、str.split() は whitespace をどう扱いますか？", ("string-methods",)),
    Question("Can the identity of an object change once it has been created?", EVERYTHING),
    Question("How does raise from chain exceptions?", ("raise", "exceptions"), praised=False),
    Question("What does the nonlocal statement do that global does not?", ("nonlocal", "global"), praised=False),
    Question("What is a formatted string literal, and which prefix does it have?", ("strings",), praised=False),
    Question("Do dictionaries keep the order in which keys were inserted?", ("typesmapping", "dict"), praised=False),
    Question("Which clause is executed on the way out when try is left by return?", ("compound",)),
    Question("Which names does import with a star bind?", ("import",)),
    Question(
        "What does a function do with excess positional arguments?",
        ("function", "calls"),
        agent="names-and-scopes",
        perspective="functions",
    ),
    Question(MULTI_QUESTION_TEXT, STATEMENTS, documents_again=True, praised=False),
)

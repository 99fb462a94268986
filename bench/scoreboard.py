"""The scoreboard of what users feel: each figure beside a baseline from the same run, in our favour or not."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Value = float | None
Values = Callable[[Any], tuple[Value, ...]]
THIRDS: Final = ("first", "middle", "last")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the scoreboard."""

    label: str
    script: str
    """Name of the script whose saved result the line quotes."""
    ours: Values
    against: str
    """Name of the baseline."""
    baseline: Values
    """Figures of the baseline, as many as ours. None stands for a figure that the baseline does not have."""

    def line(self, result: Any) -> str:
        """Return the line of the table."""
        ours, theirs = self.ours(result), self.baseline(result)
        pairs = zip(ours, theirs, strict=True)
        gained = [one - other for one, other in pairs if one is not None and other is not None]
        ahead, behind = sum(each > 0 for each in gained), sum(each < 0 for each in gained)
        verdict = "**behind**" if behind > ahead else "ahead" if ahead > behind else "even"
        module = self.script.partition("-")[0]
        return f"| {self.label} | {_text(ours)} | {self.against}: {_text(theirs)} | {verdict} | `bench/{module}.py` |"


def _text(values: tuple[Value, ...]) -> str:
    return " / ".join("–" if value is None else f"{value:.2f}" for value in values)


def _thirds(name: str, half: str, shares: str) -> Values:
    return lambda found: tuple(found[name][half][shares].get(third) for third in THIRDS)


def _overview(what: str) -> Values:
    return lambda found: tuple(found.get(f"{what}_{third}") for third in THIRDS)


def _routing(split: str, name: str) -> Values:
    return lambda found: tuple(one.get(name) for one in found["measurements"] if one["split"] == split)


def _at(*paths: str) -> Values:
    """Return a function that gives the values at these paths, whose keys are separated by full stops."""

    def values(found: Any) -> tuple[Value, ...]:
        return tuple(_value(found, path) for path in paths)

    return values


def _value(found: Any, path: str) -> Value:
    for key in path.split("."):
        found = found[key]
    return None if found is None else float(found)


def _read(label: str, name: str, against: str) -> Row:
    return Row(
        f"questions answered from the right place of a document by third: {label}",
        "document_facts",
        _thirds(name, "unseen", "answered_by_third"),
        against,
        _thirds(name, "unseen", "bm25_units_by_third"),
    )


def _summed_up(label: str, what: str, language: str) -> Row:
    return Row(
        f"planted facts by third: {label}",
        "overviews",
        _overview(f"{language}_{what}"),
        "the first 8 passages",
        _overview(f"{language}_first_8_passages"),
    )


def _months(what: str, *arms: str) -> Values:
    """Return a function that gives a figure of the memory of an assistant for each arm."""
    return lambda found: tuple(_value(found["at"]["locomo-plus"]["arms"][arm], what) for arm in arms)


def _evidence(arm: str) -> Values:
    return lambda found: tuple(float(one[arm]) for one in found["evidence"]["all"].values())


def _shown(label: str, kind: str, what: str) -> Row:
    name = f"assistant_memory-{kind}"
    baseline = _months(what, "bm25", "bm25", "bm25")
    return Row(label, name, _months(what, "document", "coding", "everything"), "BM25 over all turns", baseline)


ROWS: Final = (
    _read("conversation, English", "conversation en", "BM25 over turns"),
    _read("articles on one subject, Japanese", "one subject ja", "BM25 over paragraphs"),
    _read("report on one subject, English", "reports en", "BM25 over entries"),
    _read("report on one subject, Japanese", "reports ja", "BM25 over entries"),
    _summed_up("notes for a summary, English", "notes", "en"),
    _summed_up("notes for a summary, Japanese", "notes", "ja"),
    _summed_up("summary without a language model, English", "overview", "en"),
    _summed_up("summary without a language model, Japanese", "overview", "ja"),
    _summed_up('"list all …" without a language model, English', "list", "en"),
    _summed_up('"list all …" without a language model, Japanese', "list", "ja"),
    Row(
        "items found in documents of ten formats: recall / precision", "items",
        _at("recall_unseen", "precision_unseen"),
        "list markers and question marks", _at("baseline_recall_unseen", "baseline_precision_unseen"),
    ),
    Row(
        "urgent items among the ten most important", "items",
        _at("urgent_unseen"), "centrality", _at("urgent_by_centrality_unseen"),
    ),
    Row(
        "tasks routed right, English, after 0 / 10 / 30 judged ones of each agent", "routing-built-in",
        _routing("domains", "right"), "nearest role and five tasks", _routing("domains", "role and 5 nearest"),
    ),
    Row(
        "the same", "routing-built-in",
        _routing("domains", "right"), "TF-IDF with regression", _routing("domains", "TF-IDF, regression"),
    ),
    Row(
        "the same with MiniLM", "routing-semantic",
        _routing("domains", "right"), "nearest role and five tasks", _routing("domains", "role and 5 nearest"),
    ),
    Row(
        "tasks routed right, Japanese, after 0 / 5 / 10 judged ones", "routing-built-in",
        _routing("Japanese", "right"), "nearest role and five tasks", _routing("Japanese", "role and 5 nearest"),
    ),
    Row(
        "tasks outside every field that are said to be so, English, after 0 / 10 / 30", "routing-built-in",
        _routing("domains", "asked outside"), "said of tasks inside", _routing("domains", "asked inside"),
    ),
    Row(
        "recall@10 of conversations, English (LoCoMo)", "retrieval-locomo",
        _at("recall.turns"), "words alone", _at("recall.words"),
    ),
    Row(
        "evidence of questions about conversations within 1,000 / 2,000 tokens (LoCoMo)", "evidence",
        _evidence("memory"), "BM25 over turns", _evidence("bm25"),
    ),
    Row(
        "recall@10 of paragraphs, Japanese (JSQuAD)", "retrieval-jsquad",
        _at("recall.turns"), "words alone", _at("recall.words"),
    ),
    Row(
        "use of memories detected without a judge, F1", "attribution",
        _at("f1.layered"), "citations alone", _at("f1.citation"),
    ),
    Row(
        "the same by the extractive judge", "attribution",
        _at("f1.judge, extractive"), "similarity alone", _at("f1.similarity"),
    ),
    _shown(
        "cues of LoCoMo-Plus shown for a remark that depends on them: `document` / `coding` / without forgetting",
        "built-in", "trigger.shown",
    ),
    _shown("the same with MiniLM", "semantic", "trigger.shown"),
    _shown("turns shown that answer a question (LoCoMo), after the same months", "built-in", "question.shown"),
    _shown("prompts about something else that are shown nothing", "built-in", "unrelated.nothing"),
    _shown("the same with MiniLM", "semantic", "unrelated.nothing"),
)  # fmt: skip


def scoreboard(found: Mapping[str, Any]) -> str:
    """Return the scoreboard of the saved results, as Markdown."""
    heads = ["| what users feel | Nemuri | baseline in the same run | | script |", "|---|---|---|---|---|"]
    return "\n".join([*heads, *_lines(found)])


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    for row in ROWS:
        if row.script in found:
            yield row.line(found[row.script])

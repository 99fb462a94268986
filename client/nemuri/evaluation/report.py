"""The report of a run: one page without scripts or other files, and the same figures as JSON."""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from nemuri.evaluation.figures import as_json
from nemuri.evaluation.results import ArmResult, QuestionResult, Results
from nemuri.evaluation.run import RunDescription

PAGE, FIGURES = "report.html", "report.json"
RIGHT: Final = 1.0
"""Score of an answer, and share of the evidence, of which nothing is missing."""


@cache
def _template() -> Template:
    loader = PackageLoader("nemuri.evaluation", "templates")
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).get_template("report.html")


def write_report(directory: Path, description: RunDescription, results: Results) -> dict[str, Any]:
    """Write the page and the figures of a run into its directory, and return the figures."""
    figures = {"run": description.model_dump(mode="json")} | as_json(results, description.seed)
    wrong = wrong_answers(results.questions.values())
    found = figures | {"wrong": [_as_json(result) for result in wrong]}
    (directory / FIGURES).write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    page = _template().render(figures=figures, wrong=wrong, questions=len(results.questions))
    (directory / PAGE).write_text(page, encoding="utf-8")
    return figures


def wrong_answers(results: Iterable[QuestionResult]) -> list[QuestionResult]:
    """Return the questions that the memory did not answer rightly; without a reader, those whose evidence it missed."""
    return [result for result in results if (memory := result.of("memory")) is not None and not is_right(memory)]


def is_right(result: ArmResult) -> bool:
    """Return whether an arm's answer is right; without an answer, whether its passages hold all evidence."""
    judged = result.evidence if result.score is None else result.score
    return judged is None or judged >= RIGHT


def _as_json(result: QuestionResult) -> Mapping[str, Any]:
    return result.model_dump(mode="json", exclude_defaults=True)

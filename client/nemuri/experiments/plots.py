"""The plots of the memory experiments: one figure for each experiment, as PNG and as SVG."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nemuri.experiments import noise, personality, scorer
from nemuri.experiments.report import ExperimentReport
from nemuri.terminal.plot_style import COLOURS, MARKS, canvas, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE: Final = (12.0, 5.0)
"""Width and height in inches."""


def draw(report: ExperimentReport, folder: Path) -> tuple[Path, ...]:
    """Write the figure of a report into the folder as PNG and SVG. The same report gives the same bytes."""
    title, panels = _FIGURES[report.experiment]
    repeats = max(interval.repeats for interval in report.figures.values())
    with canvas(SIZE) as figure:
        for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
            panel(report, axes)
        figure.suptitle(
            f"{title}\n{repeats} repeats of {report.tasks} tasks, seed {report.seed}; means with 95 % intervals",
            fontsize=11,
        )
        folder.mkdir(parents=True, exist_ok=True)
        files = tuple(folder / f"{report.experiment}.{sort}" for sort in ("png", "svg"))
        for file in files:
            save(figure, file)
    return files


def _points(
    report: ExperimentReport, axes: "Axes", measures: Mapping[str, str], conditions: Sequence[str], label: str
) -> None:
    """Draw each measure at its own position of the x axis, with a point and an interval for each condition."""
    width = 0.36 / max(1, len(conditions) - 1)
    for number, condition in enumerate(conditions):
        known = [(index, report.figure(measure, condition)) for index, measure in enumerate(measures)]
        places, found = zip(*((index, figure) for index, figure in known if figure), strict=True)
        axes.errorbar(
            [index - 0.18 + number * width for index in places],
            [figure.mean for figure in found],
            yerr=[
                [interval.mean - interval.low for interval in found],
                [interval.high - interval.mean for interval in found],
            ],
            fmt=MARKS[number],
            color=COLOURS[number],
            capsize=4,
            label=condition,
        )
    axes.set_xticks(range(len(measures)), list(measures.values()))
    for index in range(1, len(measures)):
        axes.axvline(index - 0.5, color="0.85", linewidth=1)
    axes.set_xlim(-0.6, len(measures) - 0.4)
    axes.set_ylabel(label)
    axes.grid(axis="y", alpha=0.3)
    _legend(axes, len(conditions))


def _course(
    report: ExperimentReport, axes: "Axes", measure: str, conditions: Sequence[str], title: str, against: str
) -> None:
    """Draw a measure over the stream as its difference from the condition `against`.

    Each condition has a line with its interval.
    """
    axes.axhline(0, color="0.4", linewidth=1)
    for number, condition in enumerate(conditions):
        course = report.course(measure, condition)
        ends = [last for last, _ in course]
        axes.plot(
            ends, [figure.mean for _, figure in course], marker=MARKS[number], color=COLOURS[number], label=condition
        )
        axes.fill_between(
            ends,
            [figure.low for _, figure in course],
            [figure.high for _, figure in course],
            color=COLOURS[number],
            alpha=0.12,
        )
    axes.set_xlabel("tasks so far (number)")
    axes.set_ylabel(f"nDCG@10 above that {against} (difference)")
    axes.set_title(title, fontsize=10)
    axes.grid(alpha=0.3)
    _legend(axes, len(conditions))


def _legend(axes: "Axes", columns: int) -> None:
    """Draw the legend below the panel, where it hides no data."""
    axes.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=columns)


def _drift(report: ExperimentReport, axes: "Axes") -> None:
    measures = {
        "ranking: 1 - tau": "rankings\n1 - Kendall's tau",
        "context: 1 - overlap@10": "context\n1 - overlap@10",
        "strengths: Jensen-Shannon": "strengths by perspective\nJensen-Shannon",
        "answer: 1 - Jaccard": "cited memories\n1 - Jaccard",
    }
    conditions = (personality.APART, personality.ALIKE, personality.WITHOUT)
    _points(report, axes, measures, conditions, "distance between two agents (0: the same)")
    axes.tick_params(axis="x", labelsize=8)
    axes.set_title("How far two agents drift apart", fontsize=10)


def _usefulness(report: ExperimentReport, axes: "Axes") -> None:
    measures = {"nDCG@10, recurring": "needs that recur", "nDCG@10, new": "needs that are new"}
    conditions = (personality.OWN, personality.OTHER, personality.WITHOUT)
    _points(report, axes, measures, conditions, "nDCG@10 (0 to 1)")
    axes.set_title(
        "Later questions of a specialist's own area\n(axis cut; worlds differ: the table has the paired differences)",
        fontsize=10,
    )


def _apart(report: ExperimentReport, axes: "Axes") -> None:
    measures = {
        noise.AUC: "AUC: strength tells\nneeded from noise",
        noise.ON_SIGNAL: "reinforcements\nof needed memories",
        noise.KEPT_NOISE: "noise\narchived",
        noise.KEPT_SIGNAL: "needed\narchived",
    }
    _points(report, axes, measures, (noise.USE, noise.RETRIEVAL), "share (0 to 1)")
    axes.tick_params(axis="x", labelsize=8)
    axes.set_title("Signal and noise at the end of the stream", fontsize=10)


def _retrieval(report: ExperimentReport, axes: "Axes") -> None:
    conditions = (noise.USE, noise.RETRIEVAL)
    _course(report, axes, "nDCG@10", conditions, "Retrieval over the stream", noise.WITHOUT)


def _recurring(report: ExperimentReport, axes: "Axes") -> None:
    conditions = scorer.RANKINGS[1:]
    _course(report, axes, "nDCG@10, recurring", conditions, "Needs that recur", "of similarity alone")


def _one_off(report: ExperimentReport, axes: "Axes") -> None:
    conditions = scorer.RANKINGS[1:]
    _course(report, axes, "nDCG@10, one-off", conditions, "Needs that come once", "of similarity alone")


_FIGURES: Final[dict[str, tuple[str, Sequence[Callable[[ExperimentReport, Any], None]]]]] = {
    "personality": ("Personality: the same model and the same memories, different tasks", (_drift, _usefulness)),
    "noise": ("Noise: reinforcement on use against reinforcement on retrieval", (_apart, _retrieval)),
    "scorer": (
        "Scorer: learned against linear against similarity alone, each judged before it learns from the task",
        (_recurring, _one_off),
    ),
}

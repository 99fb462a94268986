"""The plots of the society experiments: one figure for each, with its caveat below the title."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nemuri.experiments.report import ExperimentReport, window_names
from nemuri.experiments.statistics import Interval
from nemuri.terminal.plot_style import COLOURS, MARKS, canvas, save
from nemuri_society.experiments import item_progression, likeability, memes, specialisation, taxes
from nemuri_society.experiments.experiment_registry import EXPERIMENTS
from nemuri_society.experiments.experiment_society import Setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE: Final = (12.0, 5.0)
"""Width and height in inches."""
SORTS: Final = (".png", ".svg", ".pdf")
"""Supported file suffixes."""
Line = tuple[str, str]
"""A measure and a condition."""


def draw(report: ExperimentReport, setting: Setting, runs: int, file: Path) -> None:
    """Write the figure of a report in the format of the file's suffix. The same report gives the same bytes."""
    experiment = EXPERIMENTS[report.experiment]
    panels = _FIGURES[report.experiment]
    with canvas(SIZE) as figure:
        for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
            panel(report, axes)
        figure.suptitle(
            f"{experiment.title}\n{runs} runs of {setting.agents} agents, {setting.seconds} s, seed {report.seed};"
            f" means with 95 % intervals\n{experiment.label}",
            fontsize=10,
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        save(figure, file)


def _conditions(report: ExperimentReport, measure: str) -> list[str]:
    """Return the conditions of a measure, at most as many as there are colours."""
    return [condition for name, condition in report.figures if name == measure][: len(COLOURS)]


def _over_time(report: ExperimentReport, axes: "Axes", lines: Mapping[Line, str], label: str) -> None:
    for number, (line, name) in enumerate(lines.items()):
        known = [
            (int(window.split("-")[1]), report.figure(f"{line[0]} {window}", line[1]))
            for window in window_names(report.tasks)
        ]
        course = [(second, figure) for second, figure in known if figure]
        _line(axes, number, name, course)
    axes.set_xlabel("seconds of the society's clock")
    _finish(axes, label)


def _line(axes: "Axes", number: int, name: str, course: Sequence[tuple[int, Interval]]) -> None:
    places = [place for place, _ in course]
    colour = COLOURS[number]
    axes.plot(places, [figure.mean for _, figure in course], marker=MARKS[number], color=colour, label=name)
    axes.fill_between(
        places, [figure.low for _, figure in course], [figure.high for _, figure in course], color=colour, alpha=0.12
    )


def _bars(
    report: ExperimentReport, axes: "Axes", measures: Sequence[str], conditions: Sequence[str], label: str
) -> None:
    for number, condition in enumerate(conditions):
        known = [(place, report.figure(measure, condition)) for place, measure in enumerate(measures)]
        found = [(place - 0.2 + 0.13 * number, figure) for place, figure in known if figure]
        axes.errorbar(
            [place for place, _ in found],
            [figure.mean for _, figure in found],
            yerr=[
                [figure.mean - figure.low for _, figure in found],
                [figure.high - figure.mean for _, figure in found],
            ],
            fmt=MARKS[number],
            color=COLOURS[number],
            capsize=4,
            label=condition,
        )
    axes.set_xticks(range(len(measures)), [measure.replace(", ", ",\n") for measure in measures], fontsize=8)
    axes.set_xlim(-0.6, len(measures) - 0.4)
    _finish(axes, label)


def _finish(axes: "Axes", label: str) -> None:
    axes.set_ylabel(label)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)


def _items(report: ExperimentReport, axes: "Axes") -> None:
    arms = _conditions(report, item_progression.ITEMS)
    _over_time(report, axes, {(item_progression.ITEMS, arm): arm for arm in arms}, "different items (mean of agents)")


def _fits(report: ExperimentReport, axes: "Axes") -> None:
    arms = _conditions(report, likeability.R)
    _bars(report, axes, (likeability.R, likeability.SLOPE), arms, "true against perceived likeability")


def _observers(report: ExperimentReport, axes: "Axes") -> None:
    for number, arm in enumerate(_conditions(report, likeability.R)):
        known = [(observer, report.figure(f"r with {observer} observers", arm)) for observer in likeability.OBSERVERS]
        _line(axes, number, arm, [(place, figure) for place, figure in known if figure])
    axes.set_xlabel("observers (number)")
    _finish(axes, "Pearson's r")


def _entropies(report: ExperimentReport, axes: "Axes") -> None:
    arms = _conditions(report, specialisation.ENTROPY)
    _over_time(report, axes, {(specialisation.ENTROPY, arm): arm for arm in arms}, "entropy of roles (0 to 1)")


def _lasting(report: ExperimentReport, axes: "Axes") -> None:
    arms = _conditions(report, specialisation.PERSISTENCE)
    _bars(report, axes, (specialisation.PERSISTENCE,), arms, "share of reviews that keep the role")


def _paid(report: ExperimentReport, axes: "Axes") -> None:
    arms = _conditions(report, taxes.AFTER)
    _over_time(report, axes, {(taxes.PAID, arm): arm for arm in arms}, "share of income paid")


def _converts(report: ExperimentReport, axes: "Axes") -> None:
    lines = {
        (memes.EXPOSED, memes.EVERYBODY): "have heard of the faith",
        (memes.DIRECT, memes.EVERYBODY): "speak of it by name",
    }
    _over_time(report, axes, lines, "share of all but the priests")


def _places(report: ExperimentReport, axes: "Axes") -> None:
    measures = (memes.INDIRECT, memes.EXPOSED, memes.KINDS)
    conditions = (memes.PRIESTS_TOWN, memes.TOWNS, memes.COUNTRY)
    _bars(report, axes, measures, conditions, "at the end (share, or number of memes)")


_FIGURES: Final[dict[str, Sequence[Callable[[ExperimentReport, Any], None]]]] = {
    "items": (_items,),
    "likeability": (_fits, _observers),
    "specialisation": (_entropies, _lasting),
    "taxes": (_paid,),
    "memes": (_converts, _places),
}

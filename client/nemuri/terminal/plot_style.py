"""Plotting style: a palette that colour-blind readers can tell apart, and reproducible files."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
"""Okabe-Ito colours, which colour-blind readers can tell apart. Every series also has its own marker."""
MARKS: Final = ("o", "s", "^", "D")
COLOURS: Final = (BLUE, ORANGE, GREEN, PURPLE)
RESOLUTION: Final = 130
"""Dots per inch of a PNG."""


class MatplotlibMissing(RuntimeError):  # noqa: N818 - the name states a fact
    """matplotlib cannot be imported. The extra `experiments` installs it."""


def require() -> None:
    """Raise `MatplotlibMissing` if no plot can be drawn. Call it before work whose result is a plot."""
    try:
        import_module("matplotlib")
    except ImportError as error:
        raise MatplotlibMissing(f"matplotlib is not installed ({error}): pip install 'nemuri[experiments]'") from error


@contextmanager
def canvas(size: tuple[float, float]) -> Iterator["Figure"]:
    """Yield a figure of the given size in inches. Raises `MatplotlibMissing`."""
    require()
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "nemuri", "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure


def save(figure: "Figure", file: Path) -> None:
    """Write the figure in the format of the file's suffix. The same figure gives the same bytes."""
    figure.savefig(file, dpi=RESOLUTION, metadata={"Date": None} if file.suffix == ".svg" else None)

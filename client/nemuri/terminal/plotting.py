"""How this project draws: colours that everybody can tell apart, and files that are the same for the same figures."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
"""Of Okabe and Ito: told apart by people who see colours otherwise; every series has a mark of its own as well."""
MARKS: Final = ("o", "s", "^", "D")
COLOURS: Final = (BLUE, ORANGE, GREEN, PURPLE)
RESOLUTION: Final = 130
"""Dots per inch of a PNG."""


class MatplotlibMissing(RuntimeError):  # noqa: N818 - said as the fact that it is
    """matplotlib cannot be imported; it comes with the extra `experiments`."""


def require() -> None:
    """Raises `MatplotlibMissing`, so that nothing is run whose plot could not be drawn."""
    try:
        import_module("matplotlib")
    except ImportError as error:
        raise MatplotlibMissing(f"there is no matplotlib ({error}): pip install 'nemuri[experiments]'") from error


@contextmanager
def canvas(size: tuple[float, float]) -> Iterator["Figure"]:
    """A figure of so many inches to draw on. Raises `MatplotlibMissing`."""
    require()
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "nemuri", "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure


def save(figure: "Figure", file: Path) -> None:
    """Write the figure in the format that the file's name says, the same bytes for the same figure."""
    figure.savefig(file, dpi=RESOLUTION, metadata={"Date": None} if file.suffix == ".svg" else None)

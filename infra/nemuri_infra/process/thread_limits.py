"""Thread limit of linear algebra: one thread per process, because several processes share a machine."""

from typing import Final

ONE_THREAD: Final = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment variables for one thread. They must be set before numpy is loaded."""

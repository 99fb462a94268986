"""Linear algebra in processes that share a machine: each takes one thread, more would get in each other's way."""

from typing import Final

ONE_THREAD: Final = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""What a process has to find in its environment when numpy is loaded."""

"""Operations on the log and its projections: export, backup, erasure, rebuild, parking, re-embedding and history."""

from nemuri.operations.backup import backup, restore
from nemuri.operations.embedder import EmbedderState, calibrate_embedder, show_embedder
from nemuri.operations.erasure import Forgotten, erase_expired, forget, lineage, resume
from nemuri.operations.export_import import export_log, give_up, import_log
from nemuri.operations.park_event import park
from nemuri.operations.reembed import Reembedded, reembed
from nemuri.operations.session import OperationError
from nemuri.operations.views import rebuild, verify

__all__ = [
    "EmbedderState",
    "Forgotten",
    "OperationError",
    "Reembedded",
    "backup",
    "calibrate_embedder",
    "erase_expired",
    "export_log",
    "forget",
    "give_up",
    "import_log",
    "lineage",
    "park",
    "rebuild",
    "reembed",
    "restore",
    "resume",
    "show_embedder",
    "verify",
]

"""What operators do with the log and its views."""

from nemuri.face.operations.archive import export_log, give_up, import_log
from nemuri.face.operations.backup import backup, restore
from nemuri.face.operations.erasure import Forgotten, forget, let_go, lineage, resume
from nemuri.face.operations.park import park
from nemuri.face.operations.reembed import Reembedded, reembed
from nemuri.face.operations.views import rebuild, verify
from nemuri.face.operations.workshop import OperationError

__all__ = [
    "Forgotten",
    "OperationError",
    "Reembedded",
    "backup",
    "export_log",
    "forget",
    "give_up",
    "import_log",
    "let_go",
    "lineage",
    "park",
    "rebuild",
    "reembed",
    "restore",
    "resume",
    "verify",
]

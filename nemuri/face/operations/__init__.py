"""What operators do with the log and its views."""

from nemuri.face.operations.archive import export_log, import_log
from nemuri.face.operations.reembed import Reembedded, reembed
from nemuri.face.operations.views import rebuild, verify
from nemuri.face.operations.workshop import OperationError

__all__ = [
    "OperationError",
    "Reembedded",
    "export_log",
    "import_log",
    "rebuild",
    "reembed",
    "verify",
]

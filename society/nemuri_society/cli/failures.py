"""Failures of the commands that become one line."""

from nemuri_society.minecraft.node_modules import MinecraftUnavailable
from nemuri_society.operations.export import ExportError
from nemuri_society.stores.society_states import SocietyError

FAILURES = (SocietyError, MinecraftUnavailable, ExportError)

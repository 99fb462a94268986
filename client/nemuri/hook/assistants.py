"""The coding assistants whose hooks can call Nemuri: their settings files and the events of their hooks."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

Shape = Literal["grouped", "flat", "plugin"]


@dataclass(frozen=True, slots=True)
class HookEvent:
    """An event of an assistant, and the hook of ours that it calls."""

    event: str
    hook: str
    seconds: int
    """Time limit."""
    matcher: str | None = None


@dataclass(frozen=True, slots=True)
class Assistant:
    """A coding assistant."""

    name: str
    """Value of `--assistant`."""
    title: str
    folder: str
    """Directory of its settings, below the home directory."""
    file: str
    """Settings file in that directory."""
    events: tuple[HookEvent, ...]
    variable: str | None = None
    """Environment variable that names another directory; None if there is none."""
    shape: Shape = "grouped"
    """`grouped`: groups of hooks, as in Claude Code. `flat`: lists of commands. `plugin`: a file of our own."""
    unit: float = 1.0
    """Number of units of its time limits in one second."""
    known: dict[str, object] = field(default_factory=dict)
    """Fields that its file needs beside the hooks."""
    keeps: Literal["always", "once", "never"] = "always"
    """`once`: a block is in its context with one prompt only. `never`: it takes nothing with a prompt."""
    plugins: str | None = None
    """Field of its settings that says which plugins are enabled; None if Nemuri has no plugin for it."""

    @property
    def settings(self) -> Path:
        """Path of the user's settings file."""
        chosen = os.environ.get(self.variable, "") if self.variable else ""
        return (Path(chosen).expanduser() if chosen else Path.home() / self.folder) / self.file


_STARTS: Final = "startup|resume|clear|compact|fork"
CLAUDE: Final = Assistant(
    "claude",
    "Claude Code",
    ".claude",
    "settings.json",
    (
        HookEvent("SessionStart", "session-start", 10, matcher=_STARTS),
        HookEvent("UserPromptSubmit", "prompt", 5),
        HookEvent("Stop", "stop", 10),
        HookEvent("PreCompact", "pre-compact", 10),
        HookEvent("SessionEnd", "session-end", 10),
    ),
    variable="CLAUDE_CONFIG_DIR",
    plugins="enabledPlugins",
)
ASSISTANTS: Final[dict[str, Assistant]] = {
    assistant.name: assistant
    for assistant in (
        CLAUDE,
        Assistant(
            "codex",
            "Codex",
            ".codex",
            "hooks.json",
            (
                HookEvent("SessionStart", "session-start", 10, matcher="startup|resume|clear|compact"),
                HookEvent("UserPromptSubmit", "prompt", 5),
                HookEvent("Stop", "stop", 10),
            ),
            variable="CODEX_HOME",
        ),
        Assistant(
            "gemini",
            "Gemini CLI",
            ".gemini",
            "settings.json",
            (
                HookEvent("SessionStart", "session-start", 10, matcher="*"),
                HookEvent("BeforeAgent", "prompt", 5, matcher="*"),
                HookEvent("AfterAgent", "turn", 10, matcher="*"),
                HookEvent("PreCompress", "pre-compact", 10, matcher="*"),
            ),
            unit=1000.0,
        ),
        Assistant(
            "cursor",
            "Cursor",
            ".cursor",
            "hooks.json",
            (
                HookEvent("sessionStart", "session-start", 10),
                HookEvent("beforeSubmitPrompt", "prompt", 5),
                HookEvent("afterAgentResponse", "turn", 10),
            ),
            shape="flat",
            known={"version": 1},
            keeps="never",
        ),
        Assistant(
            "opencode",
            "OpenCode",
            ".config/opencode",
            "plugins/nemuri.js",
            (),
            variable="OPENCODE_CONFIG_DIR",
            shape="plugin",
            keeps="once",
        ),
    )
}
"""The assistants, by name."""

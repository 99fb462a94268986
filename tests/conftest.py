"""What holds for every test: no model is called over the network, and a failure's log can be read."""

import structlog

from nemuri.infra.models import guard

guard.ALLOW_MODEL_CALLS = False
structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper("%H:%M:%S.%f", utc=True),
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)

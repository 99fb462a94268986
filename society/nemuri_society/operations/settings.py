"""Settings of societies from the environment."""

from pydantic_settings import BaseSettings, SettingsConfigDict


class SocietySettings(BaseSettings):
    """Addresses of the processes that `nemuri society run` starts, from variables with the prefix `NEMURI_`.

    They contain credentials, if hosts and worlds have users of their own on the NATS server.
    """

    model_config = SettingsConfigDict(env_prefix="NEMURI_", frozen=True, extra="ignore", env_ignore_empty=True)

    host_nats_url: str | None = None
    """NATS addresses for hosts. Default: those of the platform's settings."""
    world_nats_url: str | None = None
    """NATS addresses for the world. Default: those of the platform's settings."""

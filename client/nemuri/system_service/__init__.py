"""The platform as a service of the operating system: a systemd unit on Linux, a launchd agent on macOS."""

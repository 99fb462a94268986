"""The platform: servers and services, started, observed and stopped together."""

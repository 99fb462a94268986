"""The list of all resources of the API."""

from nemuri.http_api.resources import (
    agents,
    conversations,
    dead_letters,
    log,
    memories,
    memory_lines,
    operations,
    states,
    tasks,
    webhooks,
)

RESOURCES = (
    tasks.RESOURCE,
    agents.RESOURCE,
    conversations.RESOURCE,
    memories.RESOURCE,
    memory_lines.RESOURCE,
    states.RESOURCE,
    log.RESOURCE,
    dead_letters.RESOURCE,
    operations.RESOURCE,
    webhooks.RESOURCE,
)
"""All resources, in the order of the description."""

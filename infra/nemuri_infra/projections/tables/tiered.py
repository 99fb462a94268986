"""Tables of tiered memory."""

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, Integer, Table, Text, Uuid, text

from nemuri_infra.projections.tables.columns import json, metadata

tier_agent = Table(
    "tier_agent",
    metadata,
    Column("agent_id", Text, primary_key=True),
    Column("began", Double, nullable=False),
    Column("consolidated_at", Double),
    Column("consolidated_for", Text),
    json("policy"),
    Column("short", Integer, nullable=False),
    Column("long", Integer, nullable=False),
    comment="Agents with tiered memory: policy, sizes of the tiers, and last consolidation.",
)
tier_memory = Table(
    "tier_memory",
    metadata,
    Column("memory_id", Uuid, primary_key=True),
    Column("agent_id", Text, nullable=False),
    Column("layer", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("content", Text, nullable=False),
    json("participants"),
    json("location", nullable=True),
    json("tags"),
    Column("importance", Double, nullable=False),
    json("cues"),
    Column("at", Double, nullable=False),
    Column("accessed_at", Double),
    Column("access_count", Integer, nullable=False),
    json("sources"),
    Column("merging", Boolean, nullable=False),
    Column("scope", Text, nullable=False),
    json("visible_to"),
    Column("vector", Text, nullable=False),
    Column("worded", BigInteger, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Index("tier_memory_layer", "agent_id", "layer", "at"),
    Index("tier_memory_shared", "scope", postgresql_where=text("scope <> 'private'")),
    postgresql_with={"fillfactor": "80"},
    comment="Memories of short-term and long-term memory.",
)

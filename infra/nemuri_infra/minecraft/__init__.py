"""A Minecraft server as a world: an optional extra that runs on Node."""

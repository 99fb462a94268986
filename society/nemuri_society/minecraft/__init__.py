"""A Minecraft server as the world of a society. It is an optional extra that runs on Node."""

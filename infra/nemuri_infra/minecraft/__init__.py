"""A Minecraft server as a world: an extra that runs on Node, installed and supervised from here."""

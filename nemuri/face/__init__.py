"""What people and programs touch: the client, the command line, the platform and its operations."""

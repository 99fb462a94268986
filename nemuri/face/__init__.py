"""What people and programs touch: the client, the command line, the platform, its operations, and the experiments."""

"""The platform while its processes are killed."""

"""The window: pages that show a platform in a browser. Each page asks the same questions as the command line."""

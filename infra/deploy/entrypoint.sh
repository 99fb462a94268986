#!/bin/sh
# Runs a command with the environment of the container's user, which `nemuri permissions` has written to a mounted file.
if [ -f /run/nemuri/nemuri.env ]; then
  while IFS= read -r line; do export "$line"; done < /run/nemuri/nemuri.env
fi
exec "$@"

#!/bin/sh
# opencode puts its program in place by a script of its own, which npm ci was told not to run.
# The program came with the packages of the lock.
set -eu
cd "$(dirname "$0")/node_modules/opencode-ai"
exec node ./postinstall.mjs

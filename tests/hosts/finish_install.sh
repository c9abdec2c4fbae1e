#!/bin/sh
# Claude Code puts its program in place by a script of its own, which npm ci was told not to run.
# The program came with the packages of the lock.
set -eu
cd "$(dirname "$0")/node_modules/@anthropic-ai/claude-code"
exec node install.cjs

#!/bin/sh
# Two of the hosts put their program in place by a script of theirs, which npm ci was told not to
# run. Both programs came with the packages of the lock.
set -eu
cd "$(dirname "$0")/node_modules"
(cd @anthropic-ai/claude-code && node install.cjs)
(cd opencode-ai && node ./postinstall.mjs)

#!/bin/sh
# Runs run.mjs with the given options. Without Node.js it says so and exits with 77, which ctest
# counts as skipped; with Node.js a missing package is a failure.
command -v node >/dev/null || { echo "no Node.js here: the suite was not run"; exit 77; }
exec node "$(dirname "$0")/run.mjs" "$@"

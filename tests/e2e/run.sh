#!/bin/sh
# Runs one end-to-end test file. Without Node.js it says so and exits with 77, which ctest counts as
# skipped; with Node.js a missing package is a failure.
command -v node >/dev/null || { echo "no Node.js here: $1 was not run"; exit 77; }
case $1 in
*.py) exec python3 "$@" ;;
*) exec node --test "$1" ;;
esac

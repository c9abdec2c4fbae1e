#!/bin/sh
# Runs every fuzzer of a build for some seconds, as many at once as there are processors.
# Usage: tools/fuzz.sh BUILD SECONDS
# New inputs and findings stay in BUILD/fuzz; the committed corpus is only read.
set -u
export build=$1 seconds=$2

if [ $# -eq 3 ]; then # one of them
  work=$build/fuzz name=$(basename "$3" _fuzz)
  mkdir -p "$work/$name" "tests/fuzz/corpus/$name"
  if "$3" "$work/$name" "tests/fuzz/corpus/$name" -max_total_time="$seconds" -timeout=20 \
    -rss_limit_mb=2048 -artifact_prefix="$work/$name-" >"$work/$name.log" 2>&1; then
    echo "fuzz $name: $(grep -o 'Done [0-9]* runs' "$work/$name.log")"
  else
    tail -60 "$work/$name.log"
    echo "fuzz $name: FINDING, input in $work/$name-*"
    exit 1
  fi
else
  for source in tests/fuzz/*_fuzz.cc; do
    echo "$build/tests/fuzz/$(basename "$source" .cc)"
  done | xargs -P "$(nproc)" -n 1 "$0" "$build" "$seconds"
fi

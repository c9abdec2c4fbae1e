#!/bin/sh
# Runs every fuzzer of build/fuzz for some seconds, two at a time. Usage: tools/fuzz.sh SECONDS
# New inputs and findings stay in build/fuzz; the committed corpus is only read.
set -u
seconds=$1
work=build/fuzz/run
mkdir -p "$work"

fuzz_one() {
  name=$(basename "$1" _fuzz)
  mkdir -p "$work/$name" "tests/fuzz/corpus/$name"
  if "$1" "$work/$name" "tests/fuzz/corpus/$name" -max_total_time="$seconds" -timeout=20 \
    -rss_limit_mb=2048 -artifact_prefix="$work/$name-" >"$work/$name.log" 2>&1; then
    echo "fuzz $name: $(grep -o 'Done [0-9]* runs' "$work/$name.log")"
  else
    tail -60 "$work/$name.log"
    echo "fuzz $name: FINDING, input in $work/$name-*"
    return 1
  fi
}

failed=0
set -- build/fuzz/tests/fuzz/*_fuzz
while [ $# -gt 0 ]; do
  fuzz_one "$1" & first=$!
  shift
  if [ $# -gt 0 ]; then fuzz_one "$1" || failed=1; shift; fi
  wait $first || failed=1
done
exit $failed

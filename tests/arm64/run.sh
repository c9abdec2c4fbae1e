#!/bin/sh
# The program for arm64 on another machine: what computes alone, and the main job with its end. An
# emulator runs it (build/arm64-ci, ./dev arm64).
set -eu
cd "$(dirname "$0")/../.."
build=$PWD/build/arm64-ci
emulator=$(command -v qemu-aarch64-static)

"$emulator" "$build/tests/portable_tests" --gtest_brief=1

# Programs that start as those of this machine do. The tests of x64 are for them too.
mkdir -p "$build/emulated"
for program in pi-mcp tests/support/fake_server; do
  place=$build/emulated/${program##*/}
  printf '#!/bin/sh\nexec %s -0 %s %s "$@"\n' "$emulator" "$place" "$build/$program" >"$place"
  chmod +x "$place"
done
python3 tests/arm64/main_job_test.py "$build/emulated/pi-mcp" "$build/emulated/fake_server"

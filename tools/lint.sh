#!/bin/sh
# Format, layers, tree rules, clang-tidy; needs a configured dev build.
# Usage: tools/lint.sh [all] [SECONDS], as tools/tidy.py takes them.
set -u
failed=0
git ls-files --cached --others --exclude-standard '*.cc' '*.h' |
  xargs clang-format-19 --dry-run -Werror || { echo "format: run ./dev format"; failed=1; }
python3 tools/check_layers.py || failed=1
python3 tools/check_tree.py || failed=1
python3 tools/tidy.py "$@" || failed=1
exit $failed

#!/bin/sh
# Two builds of one commit give the same bytes: builds it anew, in a folder of another name and
# without what ccache keeps, packs both and compares. Takes as long as a build of everything.
set -eu
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain)" ] || { echo "there are changes that are not committed"; exit 1; }
here=$PWD
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
git clone -q . "$there/elsewhere"
./dev package --arch x64
(cd "$there/elsewhere" && CCACHE_DISABLE=1 ./dev package --arch x64)
cmp build/release/pi-mcp "$there/elsewhere/build/release/pi-mcp"
for file in build/packages-x64/*; do
  cmp "$file" "$there/elsewhere/build/packages-x64/${file##*/}"
done
echo "the same bytes in $here and in $there/elsewhere"

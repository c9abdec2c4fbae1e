#!/bin/sh
# Puts the pinned Pi beside the packages of the lock. Its published program is one bundle that needs
# only what package.json lists, so it is unpacked and not installed with its own dependencies.
set -eu
package=@earendil-works/pi-coding-agent version=1.5.2
sha512=mUWI04rqF1Vd/m1q+Ps1XeWsTXEVvRUnsmRa83I3Dzua0Tx5bYS93imeqtIfrXf7PkkaR6ERz+AuQhIJlom5yA==

cd "$(dirname "$0")"
folder=node_modules/$package
mkdir -p "$folder"
archive=$(npm pack "$package@$version" --pack-destination node_modules --loglevel=error)
is=$(openssl dgst -sha512 -binary "node_modules/$archive" | base64 -w0)
[ "$is" = "$sha512" ] || { echo "$archive: sha512 is $is, wanted $sha512"; exit 1; }
tar xzf "node_modules/$archive" -C "$folder" --strip-components=1
rm "node_modules/$archive"

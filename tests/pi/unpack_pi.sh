#!/bin/sh
# Puts the newest pinned Pi beside the packages of the lock. Its published program is one bundle
# that needs only what package.json lists, so it is unpacked, not installed with its dependencies.
set -eu
package=@earendil-works/pi-coding-agent version=1.5.2
sha512=mUWI04rqF1Vd/m1q+Ps1XeWsTXEVvRUnsmRa83I3Dzua0Tx5bYS93imeqtIfrXf7PkkaR6ERz+AuQhIJlom5yA==

cd "$(dirname "$0")/node_modules"
mkdir -p "$package"
archive=$(npm pack "$package@$version" --loglevel=error)
is=$(openssl dgst -sha512 -binary "$archive" | base64 -w0)
[ "$is" = "$sha512" ] || { echo "$archive: sha512 is $is, wanted $sha512"; exit 1; }
tar xzf "$archive" -C "$package" --strip-components=1
rm "$archive"

#!/bin/sh
# Puts packages beside those of the lock whose dependencies are not wanted, or are there: the newest
# pinned Pi, whose published program is one bundle that needs only what package.json lists, and
# pi-subagents, which finds in it and here what it runs on.
set -eu
unpack() { # PACKAGE VERSION SHA512
  mkdir -p "$1"
  archive=$(npm pack "$1@$2" --loglevel=error)
  is=$(openssl dgst -sha512 -binary "$archive" | base64 -w0)
  [ "$is" = "$3" ] || { echo "$archive: sha512 is $is, wanted $3"; exit 1; }
  tar xzf "$archive" -C "$1" --strip-components=1
  rm "$archive"
}

cd "$(dirname "$0")/node_modules"
unpack @earendil-works/pi-coding-agent 1.5.2 \
  mUWI04rqF1Vd/m1q+Ps1XeWsTXEVvRUnsmRa83I3Dzua0Tx5bYS93imeqtIfrXf7PkkaR6ERz+AuQhIJlom5yA==
unpack pi-subagents 0.67.0 \
  43FGBi82sbxEGhEfsaj0P7I/rRJfsw1UPuFSVSkjZw0Fy92lrBIB9d3gDTpwmK5hLj3ZzZUnvtlqiKQatySCTw==

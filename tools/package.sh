#!/bin/sh
# Packs a built program: tools/package.sh PROGRAM OUT_FOLDER. Makes two npm packages (the extension,
# and the program of this platform, which the first asks for), a .deb and a plain tarball.
set -eu
program=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")/.."
version=$(node -p 'require("./package.json").version')
case $(uname -m) in
x86_64) cpu=x64 deb=amd64 ;;
aarch64) cpu=arm64 deb=arm64 ;;
*) echo "no packages for $(uname -m)"; exit 1 ;;
esac
name=pi-mcp-linux-$cpu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strip -o "$work/program" "$program"
program=$work/program

npm_pack() { (cd "$1" && npm pack --silent --pack-destination "$out"); }

# The extension; its package.json gains the program's packages, which a checkout does not need.
mkdir -p "$work/npm"
cp -r package.json README.md CHANGELOG.md LICENSE bin extension "$work/npm/"
node -e '
  const fs = require("node:fs"), [file] = process.argv.slice(1);
  const manifest = JSON.parse(fs.readFileSync(file));
  const names = ["x64", "arm64"].map((cpu) => `pi-mcp-linux-${cpu}`);
  const programs = names.map((name) => [name, manifest.version]);
  manifest.optionalDependencies = Object.fromEntries(programs);
  fs.writeFileSync(file, JSON.stringify(manifest, null, 2));
' "$work/npm/package.json"
npm_pack "$work/npm"

# The program alone, the way npm chooses by platform.
mkdir -p "$work/$name/bin"
install -m 755 "$program" "$work/$name/bin/pi-mcp"
cp LICENSE "$work/$name/"
cat >"$work/$name/package.json" <<JSON
{ "name": "$name", "version": "$version", "description": "The pi-mcp program for Linux on $cpu",
  "license": "MIT", "os": ["linux"], "cpu": ["$cpu"], "files": ["bin/pi-mcp"] }
JSON
npm_pack "$work/$name"

# A tarball that runs where it is unpacked, and that Pi can load as a folder.
plain=$work/pi-mcp-$version-linux-$cpu
mkdir -p "$plain/bin"
install -m 755 "$program" "$plain/bin/pi-mcp"
cp -r package.json README.md CHANGELOG.md LICENSE SECURITY.md extension "$plain/"
tar czf "$out/${plain##*/}.tar.gz" -C "$work" "${plain##*/}"
echo "${plain##*/}.tar.gz"

# Everything but the C library is linked in.
root=$work/deb
mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/share/pi-mcp" "$root/usr/share/doc/pi-mcp"
install -m 755 "$program" "$root/usr/bin/pi-mcp"
cp -r package.json extension "$root/usr/share/pi-mcp/"
cp LICENSE "$root/usr/share/doc/pi-mcp/copyright"
mkdir -p "$root/usr/share/man/man1"
"$program" help man | gzip -9n >"$root/usr/share/man/man1/pi-mcp.1.gz"
cat >"$root/DEBIAN/control" <<CONTROL
Package: pi-mcp
Version: $version
Architecture: $deb
Maintainer: the pi-mcp authors <pi-mcp@localhost>
Depends: libc6 (>= 2.36)
Recommends: ca-certificates
Suggests: libsecret-1-0
Section: utils
Priority: optional
Description: all your MCP servers behind one small tool
 A gateway in front of Model Context Protocol servers for coding agents and shells. The Pi
 extension is in /usr/share/pi-mcp.
CONTROL
dpkg-deb --root-owner-group -Zgzip --build "$root" "$out/pi-mcp_${version}_$deb.deb" >/dev/null
echo "pi-mcp_${version}_$deb.deb"

#!/bin/sh
# Debian's libraries of another architecture, in a folder: tools/sysroot.sh ARCH FOLDER PACKAGE...
# Nothing is installed and nobody has to be root: apt gets lists of its own. Several of these
# packages do not install beside those of this machine. Once for each list of packages.
set -eu
arch=$1 folder=$2
shift 2
wanted="$arch $*"
[ "$wanted" != "$(cat "$folder/wanted" 2>/dev/null)" ] || exit 0
rm -rf "$folder"
# Debian 12 has /lib as a link; packages of its libraries still have files there.
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/root/usr/lib"
folder=$(realpath "$folder")
ln -s usr/lib "$folder/root/lib"
apt="-o APT::Architecture=$arch -o APT::Architectures=$arch -o APT::Sandbox::User=root
  -o Dir::State::Lists=$folder/apt/lists -o Dir::State::Status=/dev/null
  -o Dir::Cache=$folder/apt/cache -o Debug::NoLocking=1"
# shellcheck disable=SC2086  # lists of words on purpose
{
  apt-get $apt update -qq
  cd "$folder/apt/cache/archives"
  apt-get $apt download -qq "$@"
}
for package in *.deb; do
  dpkg-deb --extract "$package" "$folder/root"
  dpkg-deb --show --showformat '${Package} ${Version}\n' "$package"
done >"$folder/versions"
rm -rf "$folder/apt"
# Links to places of the machine that the packages are for.
find "$folder/root" -type l -lname '/*' | while read -r link; do
  ln -sf "$folder/root$(readlink "$link")" "$link"
done
echo "$wanted" >"$folder/wanted"

#!/bin/sh
# Three replicas, a store and a balancer on this machine, without containers: example.sh FOLDER.
# FOLDER gets the keys of sessions and the processes' logs. Wants redis-server and haproxy (Debian's
# packages of these names) and somebody with a token (pi-mcp token add NAME). Says where it listens;
# ctrl-C ends all of it.
#
# PI_MCP: the program. PORT: of the balancer; the four below it and above are used, too.
set -eu
here=$(dirname "$0")
folder=$1 program=${PI_MCP:-pi-mcp} port=${PORT:-8800}
mkdir -p "$folder"
[ -e "$folder/keys" ] ||
  (umask 077 && head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >"$folder/keys")

children=
end() {
  trap '' INT TERM
  # shellcheck disable=SC2086  # a list of numbers on purpose
  kill $children 2>/dev/null || true
  wait
}
trap end EXIT
trap 'exit 0' INT TERM

start() { # NAME COMMAND...
  name=$1
  shift
  "$@" >"$folder/$name.log" 2>&1 &
  children="$children $!"
  echo $! >"$folder/$name.pid"
}
replica() { # NAME PORT
  start "$1" "$program" serve --http "127.0.0.1:$2" --advertise "http://127.0.0.1:$2" \
    --session-key "$folder/keys" --store "redis://127.0.0.1:$((port + 4))"
}

start store redis-server --port $((port + 4)) --bind 127.0.0.1 --save "" --appendonly yes \
  --dir "$folder"
replica a $((port + 1))
replica b $((port + 2))
replica c $((port + 3))
export BIND="127.0.0.1:$port"
export A="127.0.0.1:$((port + 1))" B="127.0.0.1:$((port + 2))" C="127.0.0.1:$((port + 3))"
for name in a b c; do
  tries=0
  until grep -qs ctrl-C "$folder/$name.log"; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || { echo "$name does not serve:" && cat "$folder/$name.log" && exit 1; } >&2
    sleep .1
  done
done
start balancer haproxy -db -f "$here/haproxy.cfg"
echo "serving MCP at http://127.0.0.1:$port/mcp by three replicas; ctrl-C ends it"
wait

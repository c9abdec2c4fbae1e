#!/bin/sh
# Three replicas, a store and a balancer on this machine, without containers: example.sh FOLDER.
# FOLDER gets the keys of sessions and the processes' logs. Wants redis-server and haproxy (Debian's
# packages of these names) and somebody with a token (pi-mcp token add NAME). Says where it listens;
# ctrl-C ends all of it.
#
# PI_MCP: the program. PORT: of the balancer; the four below it and above are used, too.
set -eu
here=$(dirname "$0")
[ $# = 1 ] || { echo "usage: sh example.sh FOLDER (for keys and logs)" >&2 && exit 2; }
for needed in redis-server haproxy; do
  command -v $needed >/dev/null || { echo "$needed is not installed" >&2 && exit 1; }
done
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
wait_for() { # NAME WORDS-OF-ITS-LOG OR-ELSE
  tries=0
  until grep -qs "$2" "$folder/$1.log"; do
    tries=$((tries + 1))
    { [ $tries -lt 300 ] && grep -qs 'State:.[^Z]' "/proc/$(cat "$folder/$1.pid")/status"; } ||
      { echo "$1 $3:" && cat "$folder/$1.log" && exit 1; } >&2
    sleep .1
  done
}
replica() { # NAME PORT
  start "$1" "$program" serve --http "127.0.0.1:$2" --advertise "http://127.0.0.1:$2" \
    --session-key "$folder/keys" --store "redis://127.0.0.1:$((port + 4))"
}

start store redis-server --port $((port + 4)) --bind 127.0.0.1 --save "" --appendonly yes \
  --dir "$folder"
wait_for store 'Ready to accept' 'is not ready'
replica a $((port + 1))
replica b $((port + 2))
replica c $((port + 3))
export BIND="127.0.0.1:$port"
export A="127.0.0.1:$((port + 1))" B="127.0.0.1:$((port + 2))" C="127.0.0.1:$((port + 3))"
for name in a b c; do
  wait_for $name ctrl-C 'does not serve'
done
start balancer haproxy -db -f "$here/haproxy.cfg"
echo "serving MCP at http://127.0.0.1:$port/mcp by three replicas; ctrl-C ends it"
wait

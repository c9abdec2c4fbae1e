#!/bin/sh
# The main job on real servers, shown: three pinned servers through npx, one of which Cursor had, in
# a home directory of its own. Without Node.js a small server of this repository stands in. Needs a
# release build.
set -eu
pi_mcp=$PWD/build/release/pi-mcp
stand_in=$PWD/build/release/tests/support/fake_server
export NPM_CONFIG_CACHE="${NPM_CONFIG_CACHE:-$HOME/.npm}" NPM_CONFIG_USERCONFIG="$HOME/.npmrc"
export NPM_CONFIG_UPDATE_NOTIFIER=false
HOME=$(mktemp -d)
export HOME
trap '"$pi_mcp" stop --all --quiet; rm -rf "$HOME"' EXIT
mkdir "$HOME/project"
cd "$HOME/project"
echo 'Remember the milk.' >note.txt
unset PI_CODING_AGENT_DIR PI_MCP_CONFIG_MODE

show() { printf '\n$ pi-mcp %s\n' "$1"; eval "\"$pi_mcp\" $1"; }

version=2026.8.31
if command -v npx >/dev/null; then
  echo "Three real servers, version $version, through npx; home is $HOME"
  mkdir "$HOME/.cursor"
  cat >"$HOME/.cursor/mcp.json" <<EOF
{
  "mcpServers": {
    "everything": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-everything@$version"]
    }
  }
}
EOF
  show 'setup --hosts cursor --yes'
  show "add files -- npx -y @modelcontextprotocol/server-filesystem@$version ."
  ada='[{"name": "Ada", "entityType": "person", "observations": ["writes programs"]}]'
  show "add memory -e MEMORY_FILE_PATH=$HOME/memory.jsonl -- \\
    npx -y @modelcontextprotocol/server-memory@$version"
  show 'connect --all | grep tools'
  show 'status'
  show 'search "read a text file" --limit 3 --no-schemas'
  show 'describe files_read_text_file'
  show 'call files_read_text_file path=note.txt'
  show 'call everything_get-sum a=2 b=40'
  show "call memory_create_entities entities:='$ada'"
  show 'call memory_read_graph'
  show 'doctor' || true  # it may find something on this machine
  show 'setup --undo'
else
  echo "No Node.js here, so a small server of this repository stands in; home is $HOME"
  show "add demo -- $stand_in"
  show 'connect demo'
  show 'status'
  show 'search echo'
  show 'describe demo_echo'
  show 'call demo_echo text=hello'
fi

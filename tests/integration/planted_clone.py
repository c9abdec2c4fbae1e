"""A cloned repository with something planted for every launcher: programs and modules that leave a
canary when they run, and settings that send requests to a registry which only listens."""
import http.server
import json
import os
import threading

# A server in one file, for Node.js and for Python: its tool `where` tells how it was started.
NODE_SERVER = """#!/usr/bin/env node
const told = () => JSON.stringify({ cwd: process.cwd(), argv: process.argv.slice(2),
	program: process.argv[1], options: process.env.NODE_OPTIONS ?? "",
	session: process.env.PI_MCP_SESSION_FOLDER ?? "", pwd: process.env.PWD });
const tool = { name: "where", inputSchema: { type: "object" } };
const answers = {
	initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} },
		serverInfo: { name: "where", version: "1" } }),
	"tools/list": () => ({ tools: [tool] }),
	"tools/call": () => ({ content: [{ type: "text", text: told() }] }),
};
let text = "";
process.stdin.on("data", (chunk) => {
	const lines = (text + chunk).split("\\n");
	text = lines.pop();
	for (const line of lines) {
		const { id, method } = JSON.parse(line);
		const result = answers[method]?.();
		if (id === undefined) continue;
		const outcome = result ? { result } : { error: { code: -32601, message: method } };
		process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }) + "\\n");
	}
});
"""

PYTHON_SERVER = """import json
import os
import sys

ANSWERS = {
    "initialize": lambda: {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "where", "version": "1"}},
    "tools/list": lambda: {"tools": [{"name": "where", "inputSchema": {"type": "object"}}]},
    "tools/call": lambda: {"content": [{"type": "text", "text": json.dumps({
        "cwd": os.getcwd(), "argv": sys.argv[1:], "program": __file__, "name": __name__,
        "path": sys.path, "safe": os.environ.get("PYTHONSAFEPATH", ""),
        "session": os.environ.get("PI_MCP_SESSION_FOLDER", ""), "env": dict(os.environ)})}]},
}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        answer = ANSWERS.get(message.get("method"))
        if "id" in message:
            unknown = {"error": {"code": -32601, "message": "unknown"}}
            outcome = {"result": answer()} if answer else unknown
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **outcome}), flush=True)


if __name__ == "__main__":
    main()
"""


class Listener:
    """A registry that has nothing and remembers who asked."""

    def __init__(self, answer=None):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                found = answer(self.path, "http://" + self.headers["Host"]) if answer else None
                if found is None:
                    self.send_error(404)
                    return
                kind, body = found
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

            do_HEAD = do_GET
            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


PROGRAMS = ["some-server", "some_server", "the-bin", "node", "npx", "npm", "sh", "python",
            "python3", "uv", "uvx", "bun", "deno", "pnpm", "yarn", "env", "sed", "readlink", "head"]
# Some shadow modules that installers and servers import first.
MODULES = ["some_server", "sitecustomize", "usercustomize", "pip", "venv", "runpy", "json", "os"]


class Clone:
    """Fills `folder`. Everything that runs of it leaves a file in `canaries`."""

    def __init__(self, folder, canaries):
        self.folder, self.canaries = folder, canaries
        canaries.mkdir()
        self.sink = Listener()
        self._plant_programs()
        self._plant_node()
        self._plant_python()
        self._plant_versions()

    def close(self):
        self.sink.close()

    def write(self, path, text, mode=0o644):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)

    def ran(self):
        return sorted(os.listdir(self.canaries))

    def _javascript(self, name):
        return f"require('fs').writeFileSync({json.dumps(str(self.canaries / name))}, '');\n"

    def _plant_programs(self):
        for name in PROGRAMS:
            text = f"#!/bin/sh\n: > {self.canaries}/program-{name}\nexit 1\n"
            for folder in ("bin", "node_modules/.bin", ".venv/bin"):
                self.write(f"{folder}/{name}", text, 0o755)

    def _plant_node(self):
        url = self.sink.url
        self.write("package.json", json.dumps({
            "name": "clone", "version": "1.0.0", "packageManager": "yarn@1.22.22",
            "bin": {"some-server": "run.js", "the-bin": "run.js"},
            "scripts": {"preinstall": "false"}}))
        self.write("run.js", self._javascript("package-bin"))
        for package in ("some-server", "@corp/some-server"):
            self.write(f"node_modules/{package}/package.json", json.dumps({
                "name": package, "version": "1.0.0", "bin": {"the-bin": "run.js"}}))
            self.write(f"node_modules/{package}/run.js", self._javascript("node_modules"))
        self.write(".npmrc", f"registry = {url}\n@corp:registry = {url}\n"
                             f"script-shell={self.folder}/bin/sh\n"
                             f"node-options=--require={self.folder}/run.js\n")
        self.write("bunfig.toml", f'preload = ["./run.js"]\n[install]\nregistry = "{url}"\n')
        self.write(".yarnrc.yml", f'npmRegistryServer: "{url}"\nyarnPath: ./run.js\n'
                                  'unsafeHttpWhitelist: ["127.0.0.1"]\n')
        self.write("pnpm-workspace.yaml", f"packages: []\nregistry: {url}\n")
        self.write(".pnpmfile.cjs", self._javascript("pnpmfile"))
        self.write(".env", f"NODE_OPTIONS=--require={self.folder}/run.js\n")
        self.write("deno.json", json.dumps({
            "nodeModulesDir": "auto", "imports": {"npm:some-server": "./run.js"}}))

    def _plant_python(self):
        url = f"{self.sink.url}simple"
        for name in MODULES:
            self.write(f"{name}.py", f"open({str(self.canaries / ('module-' + name))!r}, 'w')\n")
        self.write("some-server/__main__.py",
                   f"open({str(self.canaries / 'package-main')!r}, 'w')\n")
        self.write("backend.py", f"open({str(self.canaries / 'build-backend')!r}, 'w')\n")
        self.write("pyproject.toml", '[project]\nname = "clone"\nversion = "1"\n[build-system]\n'
                                     'requires = []\nbuild-backend = "backend"\n'
                                     'backend-path = ["."]\n')
        self.write("uv.toml", f'[[index]]\nurl = "{url}"\ndefault = true\n')

    def _plant_versions(self):
        self.write(".tool-versions", "nodejs 99.0.0\npython 99.0.0\n")
        self.write(".nvmrc", "99\n")

// Servers that other extensions bring, by either way there is.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { Registered } from "../../extension/registered.ts";

const registerEvent = "pi-mcp-adapter:runtime-register:v1";

// What of Pi it uses; `servers` are those of Pi's own registry, absent in Pi before 1.0.
function piWith(servers) {
	const handlers = new Map();
	const pi = {
		events: new EventEmitter(),
		on: (event, handler) => handlers.set(event, handler),
		handlers,
	};
	return servers ? { ...pi, getMcpServers: () => servers } : pi;
}

function follow(pi) {
	const registered = new Registered(pi);
	const changes = [];
	registered.follow(async () => void changes.push(Object.keys(registered.all())));
	return { registered, changes };
}

function emit(pi, request) {
	pi.events.emit(registerEvent, request);
	return request.result;
}

test("a server by the event is there until it is disposed of; each change is told", async () => {
	const pi = piWith();
	const { registered, changes } = follow(pi);
	const definition = { command: "x" };
	const result = emit(pi, { version: 1, name: "a", definition });
	assert.equal(result.ok, true);
	definition.command = "changed later";
	assert.deepEqual(registered.all(), { a: { command: "x" } });
	await result.registration.dispose();
	await result.registration.dispose();
	assert.deepEqual(registered.all(), {});
	assert.deepEqual(changes, [["a"], []]);
});

test("a name that is taken is refused, by the event or by Pi's own registry", () => {
	const pi = piWith([{ name: "pis", config: { command: "p" } }]);
	const { registered, changes } = follow(pi);
	emit(pi, { version: 1, name: "a", definition: { command: "x" } });
	for (const name of ["a", "pis"]) {
		const { ok, error } = emit(pi, { version: 1, name, definition: { command: "y" } });
		assert.equal(ok, false);
		assert.equal(error.message, `the MCP server ${name} is registered already`);
	}
	assert.deepEqual(registered.all(), { a: { command: "x" }, pis: { command: "p" } });
	assert.equal(changes.length, 1);
});

test("what is no request, or is answered already, is left alone", () => {
	const pi = piWith();
	const { registered, changes } = follow(pi);
	for (const request of [
		{ version: 2, name: "a", definition: {} },
		{ version: 1, name: "", definition: {} },
		{ version: 1, name: 7, definition: {} },
		{ version: 1, name: "a", definition: "x" },
		{ version: 1, name: "a" },
	]) {
		assert.equal(emit(pi, request), undefined);
	}
	pi.events.emit(registerEvent, undefined);
	pi.events.emit(registerEvent, null);
	const answered = { ok: false, error: new Error("another") };
	assert.equal(
		emit(pi, { version: 1, name: "a", definition: {}, result: answered }),
		answered,
	);
	assert.deepEqual(registered.all(), {});
	assert.deepEqual(changes, []);
});

test("a change of Pi's own registry is told; Pi without one has nobody to ask", () => {
	const servers = [];
	const pi = piWith(servers);
	const { changes } = follow(pi);
	servers.push({ name: "new", config: {} });
	pi.handlers.get("mcp_servers_change")();
	assert.deepEqual(changes, [["new"]]);
	const old = piWith();
	assert.deepEqual(follow(old).registered.all(), {});
	assert.equal(old.handlers.size, 0);
});

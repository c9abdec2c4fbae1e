// What the panel of /mcp shows, what its keys change, and what is saved of that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PanelModel } from "../../extension/panel_model.ts";

function server(name, status = "cached") {
	return { name, status, toolCount: 0, remote: false, file: "mcp.json" };
}

function tool(name, more = {}) {
	const original = name.replace(/^[a-z]_/, "");
	return {
		name,
		original,
		description: `does ${original}`,
		direct: false,
		tokens: 10,
		...more,
	};
}

// Servers by name, with their tools; "name:status" is of that state.
function model(offers, taken = []) {
	const panel = new PanelModel();
	update(panel, offers, taken);
	return panel;
}

function update(panel, offers, taken = []) {
	const servers = Object.keys(offers).map((key) => server(...key.split(":")));
	const tools = Object.values(offers);
	const known = servers.map(({ name }, i) => ({ name, bySearch: false, tools: tools[i] }));
	panel.update(servers, known, new Set(taken));
}

// A line for each row: "a", and "a/original" for a tool.
function shown(panel) {
	return panel.rows.map(({ server, tool }) =>
		tool ? `${server.name}/${tool.original}` : server.name,
	);
}

function saved(panel) {
	return panel.saves.map(({ change }) => [change.server, change.directTools]);
}

function goTo(panel, row) {
	panel.move(-1000);
	panel.move(shown(panel).indexOf(row));
	assert.equal(shown(panel)[panel.cursor], row);
}

test("servers are closed at first; opening shows their tools, closing returns to their row", () => {
	const panel = model({ a: [tool("a_x"), tool("a_y")], b: [tool("b_z")] });
	assert.deepEqual(shown(panel), ["a", "b"]);
	panel.toggleOpen();
	assert.deepEqual(shown(panel), ["a", "a/x", "a/y", "b"]);
	goTo(panel, "a/y");
	panel.toggleOpen();
	assert.deepEqual(shown(panel), ["a", "b"]);
	assert.equal(panel.current.server.name, "a");
});

test("the cursor stays inside the rows, also when they become fewer", () => {
	const panel = model({ a: [], b: [], c: [] });
	panel.move(-1);
	assert.equal(panel.cursor, 0);
	panel.move(100);
	assert.equal(panel.cursor, 2);
	update(panel, { a: [] });
	assert.equal(panel.cursor, 0);
	update(panel, {});
	assert.equal(panel.current, undefined);
	assert.equal(panel.toggleDirect(), "");
	panel.toggleOpen();
	assert.deepEqual(shown(panel), []);
});

test("a filter finds servers and tools by their names, whatever divides their words", () => {
	const panel = model({
		files: [tool("a_get-sum")],
		other: [tool("b_Get Sum"), tool("b_z")],
	});
	for (const filter of ["getsum", "GET_SUM", "get sum"]) {
		panel.filter = filter;
		assert.deepEqual(shown(panel), ["files", "files/get-sum", "other", "other/Get Sum"]);
	}
	panel.filter = "fil";
	assert.deepEqual(shown(panel), ["files"]);
	panel.filter = "nothing";
	assert.deepEqual(shown(panel), []);
});

test("a filter behind ? looks into descriptions too, and setting one returns to the top", () => {
	const panel = model({
		a: [tool("a_x", { description: "Weather of tomorrow" }), tool("a_y")],
	});
	panel.filter = "weather";
	assert.deepEqual(shown(panel), []);
	panel.filter = "?";
	panel.move(2);
	assert.equal(panel.cursor, 2);
	panel.filter = "?weather";
	assert.deepEqual(shown(panel), ["a", "a/x"]);
	assert.equal(panel.cursor, 0);
});

test("a tool is switched on and off again, which is then no change", () => {
	const panel = model({ a: [tool("a_x"), tool("a_y")] });
	panel.toggleOpen();
	goTo(panel, "a/x");
	assert.equal(panel.toggleDirect(), "");
	assert.ok(panel.isDirect("a", panel.current.tool));
	assert.deepEqual(saved(panel), [["a", ["x"]]]);
	assert.deepEqual(panel.direct, { count: 1, tokens: 10 });
	panel.toggleDirect();
	assert.equal(panel.isChanged, false);
	assert.deepEqual(saved(panel), []);
});

test("on a server all tools are switched on, and off when all are", () => {
	const panel = model({ a: [tool("a_x", { direct: true }), tool("a_y")] });
	panel.toggleDirect();
	assert.deepEqual(saved(panel), [["a", true]]);
	panel.toggleDirect();
	assert.deepEqual(saved(panel), [["a", false]]);
	assert.equal(panel.direct.count, 0);
});

test("tools that can never be direct do not stand in the way of all of them", () => {
	const panel = model(
		{ a: [tool("a_x"), tool("a b", { cannotBeDirect: "it has a space" }), tool("read")] },
		["read"],
	);
	const said = panel.toggleDirect();
	assert.equal(said, "2 tools of a cannot be direct: enter shows why");
	assert.deepEqual(saved(panel), [["a", true]]);
	assert.equal(panel.direct.count, 1);
});

test("a tool that cannot be direct says why and is not switched on", () => {
	const panel = model(
		{ a: [tool("a b", { cannotBeDirect: "it has a space" }), tool("read")] },
		["read"],
	);
	panel.toggleOpen();
	panel.move(1);
	assert.equal(panel.toggleDirect(), "a b cannot be direct: it has a space");
	panel.move(1);
	assert.equal(
		panel.toggleDirect(),
		"read cannot be direct: Pi or another extension has a tool of this name",
	);
	assert.equal(panel.isChanged, false);
});

test("of two tools of one name one can be direct, and the other says who has it", () => {
	const panel = model({ a: [tool("same")], b: [tool("same")] });
	panel.toggleDirect();
	panel.move(1);
	assert.match(panel.toggleDirect(), /cannot be direct/);
	assert.equal(
		panel.obstacle("b", panel.toolsOf("b")[0]),
		"a has a direct tool of this name",
	);
	panel.move(-1);
	panel.toggleDirect();
	panel.move(1);
	assert.equal(panel.toggleDirect(), "");
	assert.deepEqual(saved(panel), [["b", true]]);
});

test("two chosen tools of one name are both not direct, and each says so", () => {
	const both = { direct: true };
	const panel = model({ a: [tool("same", both)], b: [tool("same", both)] });
	const why = panel.obstacle("a", panel.toolsOf("a")[0]);
	assert.equal(why, "b has chosen one of this name too, so neither is direct");
	assert.equal(panel.direct.count, 0);
});

test("tools of a server that is not in use hold no name and count for nothing", () => {
	const panel = model({
		"a:disabled": [tool("same", { direct: true })],
		b: [tool("same", { direct: true })],
	});
	assert.deepEqual(panel.direct, { count: 1, tokens: 10 });
	assert.equal(panel.obstacle("b", panel.toolsOf("b")[0]), undefined);
});

for (const [state, said] of [
	["needs trust", "a needs trust: enter asks you about it"],
	["disabled", "a is disabled: ctrl+d enables it, then choose its tools"],
]) {
	test(`tools of a server that is ${state} cannot be chosen`, () => {
		const panel = model({ [`a:${state}`]: [tool("a_x")] });
		assert.equal(panel.toggleDirect(), said);
		assert.equal(panel.isChanged, false);
	});
}

test("a server without known tools says how to get them", () => {
	const panel = model({ a: [] });
	assert.equal(panel.toggleDirect(), "a has no known tools: ctrl+r asks it for them");
});

test("of tools that a search makes direct it is said once that names replace that", () => {
	const panel = new PanelModel();
	panel.update(
		[server("a")],
		[{ name: "a", bySearch: true, tools: [tool("a_x"), tool("a_y")] }],
		new Set(),
	);
	panel.toggleOpen();
	panel.move(1);
	assert.match(
		panel.toggleDirect(),
		/^directTools of a is "search": saving puts a list of names/,
	);
	panel.move(1);
	assert.equal(panel.toggleDirect(), "");
});

test("what was changed stays when the state is read anew", () => {
	const panel = model({ a: [tool("a_x"), tool("a_y")] });
	panel.toggleOpen();
	panel.move(1);
	panel.toggleDirect();
	update(panel, { a: [tool("a_x"), tool("a_y"), tool("a_z")] });
	assert.deepEqual(saved(panel), [["a", ["x"]]]);
	assert.ok(panel.isOpen("a"));
});

test("what was taken back while a save ran is still to be saved", () => {
	const panel = model({ a: [tool("a_x"), tool("a_y")] });
	panel.toggleOpen();
	panel.move(1);
	panel.toggleDirect();
	const [save] = panel.saves;
	panel.toggleDirect();
	panel.saved(save);
	update(panel, { a: [tool("a_x", { direct: true }), tool("a_y")] });
	assert.deepEqual(saved(panel), [["a", false]]);
});

test("what was changed while a save ran is still to be saved", () => {
	const panel = model({ a: [tool("a_x"), tool("a_y")] });
	panel.toggleOpen();
	panel.move(1);
	panel.toggleDirect();
	const [save] = panel.saves;
	panel.move(1);
	panel.toggleDirect();
	panel.saved(save);
	update(panel, { a: [tool("a_x", { direct: true }), tool("a_y")] });
	assert.deepEqual(saved(panel), [["a", true]]);
	const [rest] = panel.saves;
	panel.saved(rest);
	update(panel, { a: [tool("a_x", { direct: true }), tool("a_y", { direct: true })] });
	assert.equal(panel.isChanged, false);
});

// A model whose calls of tools a test writes down, for real hosts: an HTTP server on loopback that
// speaks what they speak, mostly streaming: chat completions, responses (OpenAI), messages
// (Anthropic), generateContent (Gemini).
import { createServer } from "node:http";

const usage = {
	chat: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	responses: {
		input_tokens: 1,
		input_tokens_details: { cached_tokens: 0 },
		output_tokens: 1,
		output_tokens_details: { reasoning_tokens: 0 },
		total_tokens: 2,
	},
	messages: {
		input_tokens: 1,
		output_tokens: 1,
		cache_creation_input_tokens: 0,
		cache_read_input_tokens: 0,
	},
	generate: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
};

// Hosts that hide tools offer one that finds them.
const finder = /^tool_?search$/i;

// Text of a content, whatever shape it has.
function textOf(content) {
	if (typeof content === "string") return content;
	if (Array.isArray(content)) return content.map(textOf).join("\n");
	return content?.text ?? "";
}

// What a request offers and brings: {tools: [{name, namespace, declared}], results: [{id, text}],
// names: of calls by their id}. `declared` is what the host wrote for the tool.
const readers = {
	chat: ({ tools = [], messages }) => ({
		tools: tools.map((declared) => ({ name: (declared.function ?? declared).name, declared })),
		results: messages
			.filter(({ role }) => role === "tool")
			.map(({ content, tool_call_id: id }) => ({ id, text: textOf(content) })),
		names: messages
			.flatMap(({ tool_calls = [] }) => tool_calls)
			.map(({ id, function: { name } }) => [id, name]),
	}),
	messages({ tools = [], messages }) {
		const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
		const of = (wanted) => blocks.filter(({ type }) => type === wanted);
		return {
			tools: tools.map((declared) => ({ name: declared.name, declared })),
			results: of("tool_result").map(({ content, tool_use_id: id }) => ({
				id,
				text: textOf(content),
			})),
			names: of("tool_use").map(({ id, name }) => [id, name]),
		};
	},
	responses({ tools = [], input }) {
		const items = Array.isArray(input) ? input : [];
		const flat = (list, space) =>
			list.flatMap((tool) =>
				tool.tools
					? flat(tool.tools, tool)
					: [{ name: tool.name ?? tool.type, namespace: space?.name, declared: space ?? tool }],
			);
		const more = items.filter(({ type }) => type === "additional_tools");
		const of = (end) => items.filter(({ type }) => String(type).endsWith(end));
		return {
			tools: flat([...tools, ...more]),
			results: of("_output").map(({ output, call_id: id }) => ({
				id,
				text: typeof output === "string" ? output : JSON.stringify(output),
			})),
			names: of("_call").map(({ call_id: id, name }) => [id, name]),
		};
	},
	generate({ tools = [], contents = [] }) {
		const parts = contents.flatMap((content) => content.parts ?? []);
		return {
			tools: tools
				.flatMap(({ functionDeclarations = [] }) => functionDeclarations)
				.map((declared) => ({ name: declared.name, declared })),
			results: parts
				.filter(({ functionResponse }) => functionResponse)
				.map(({ functionResponse: { id, name, response } }) => ({
					id: id ?? name,
					text: response.output ?? JSON.stringify(response),
				})),
			names: parts
				.filter(({ functionCall }) => functionCall)
				.map(({ functionCall: { id, name } }) => [id ?? name, name]),
		};
	},
};

// `answer`: {text} or {call: {name, namespace}, args}; gives the events, each [type, data].
const writers = {
	chat(id, { text, call, args }) {
		const base = { id: `c${id}`, object: "chat.completion.chunk", created: 1, model: "scripted" };
		const called = call && { name: call.name, arguments: JSON.stringify(args) };
		const tool_calls = [{ index: 0, id: `call_${id}`, type: "function", function: called }];
		const delta = { role: "assistant", content: text ?? "", ...(call ? { tool_calls } : {}) };
		const finish_reason = call ? "tool_calls" : "stop";
		return [
			[null, { ...base, choices: [{ index: 0, delta, finish_reason: null }] }],
			[null, { ...base, choices: [{ index: 0, delta: {}, finish_reason }] }],
			[null, { ...base, choices: [], usage: usage.chat }],
			[null, "[DONE]"],
		];
	},
	messages(id, { text, call, args }) {
		const block = call
			? { type: "tool_use", id: `toolu_${id}`, name: call.name, input: {} }
			: { type: "text", text: "" };
		const delta = call
			? { type: "input_json_delta", partial_json: JSON.stringify(args) }
			: { type: "text_delta", text };
		const message = { id: `msg_${id}`, type: "message", role: "assistant", model: "scripted" };
		const begun = { ...message, content: [], stop_reason: null, stop_sequence: null };
		const ended = { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null };
		return [
			{ type: "message_start", message: { ...begun, usage: usage.messages } },
			{ type: "content_block_start", index: 0, content_block: block },
			{ type: "content_block_delta", index: 0, delta },
			{ type: "content_block_stop", index: 0 },
			{ type: "message_delta", delta: ended, usage: { output_tokens: 1 } },
			{ type: "message_stop" },
		].map((event) => [event.type, event]);
	},
	responses(id, { text, call, args }) {
		const said = { type: "output_text", text, annotations: [] };
		const item = call
			? {
					type: "function_call",
					id: `fc_${id}`,
					call_id: `call_${id}`,
					...call,
					arguments: JSON.stringify(args),
					status: "completed",
				}
			: { type: "message", id: `m${id}`, role: "assistant", status: "completed", content: [said] };
		const response = {
			id: `resp_${id}`,
			object: "response",
			created_at: 1,
			status: "completed",
			model: "scripted",
			output: [item],
			usage: usage.responses,
		};
		const begun = { ...response, status: "in_progress", output: [] };
		const empty = call ? { ...item, arguments: "" } : { ...item, content: [] };
		return [
			{ type: "response.created", response: begun },
			{
				type: "response.output_item.added",
				output_index: 0,
				item: { ...empty, status: "in_progress" },
			},
			{ type: "response.output_item.done", output_index: 0, item },
			{ type: "response.completed", response },
		].map((event, sequence_number) => [event.type, { ...event, sequence_number }]);
	},
	generate(id, { text, call, args }) {
		const part = call ? { functionCall: { id: `call_${id}`, name: call.name, args } } : { text };
		const content = { role: "model", parts: [part] };
		const candidates = [{ content, finishReason: "STOP", index: 0 }];
		return [[null, { candidates, usageMetadata: usage.generate, modelVersion: "scripted" }]];
	},
};

// The answer without streaming.
function wholeChat([[, first], [, last], [, { usage }]]) {
	const [{ delta: message }] = first.choices;
	const choices = [{ index: 0, message, finish_reason: last.choices[0].finish_reason }];
	return { ...first, object: "chat.completion", choices, usage };
}

function kindOf(url) {
	const path = url.split("?")[0];
	if (/:(stream)?generateContent$/i.test(path)) return "generate";
	return ["chat/completions", "responses", "messages"]
		.find((end) => path.endsWith(`/${end}`))
		?.split("/")[0];
}

export class ScriptedModel {
	// `steps`: calls, one after the other: {tool, args}, where the host's name for the tool ends with
	// `tool`. After them the model says DONE.
	static async start(steps) {
		const model = new ScriptedModel();
		model.play(steps);
		model.server = createServer((request, response) => model.#serve(request, response));
		await new Promise((listening) => model.server.listen(0, "127.0.0.1", listening));
		model.url = `http://127.0.0.1:${model.server.address().port}`;
		return model;
	}

	// Forgets what was, for the next host.
	play(steps) {
		this.steps = steps;
		this.results = []; // texts of what the calls brought, as the host shows them to a model
		this.bodies = []; // of requests that offer tools
		this.tools = [];
		this.count = 0;
	}

	stop() {
		this.server.closeAllConnections();
		return new Promise((stopped) => this.server.close(stopped));
	}

	// What the host last declared of our tools, as it wrote it.
	get declared() {
		const ours = this.tools.filter(({ name }) => /mcp(_write)?$/.test(name));
		return ours.map(({ declared }) => declared);
	}

	async #serve(request, response) {
		const chunks = [];
		for await (const chunk of request) chunks.push(chunk);
		const kind = request.method === "POST" ? kindOf(request.url) : undefined;
		if (!kind) {
			response.writeHead(/models|count_?tokens/i.test(request.url) ? 200 : 404);
			const data = [{ id: "scripted", object: "model" }];
			response.end(JSON.stringify({ object: "list", data, input_tokens: 1, totalTokens: 1 }));
			return;
		}
		const body = Buffer.concat(chunks).toString();
		const read = JSON.parse(body);
		const answer = this.#answer(readers[kind](read), body);
		const events = writers[kind](++this.count, answer);
		if (request.url.includes(":generateContent") || (kind === "chat" && !read.stream)) {
			response.writeHead(200, { "content-type": "application/json" });
			response.end(JSON.stringify(kind === "chat" ? wholeChat(events) : events[0][1]));
			return;
		}
		response.writeHead(200, { "content-type": "text/event-stream" });
		for (const [type, data] of events) {
			const text = typeof data === "string" ? data : JSON.stringify(data);
			response.write(`${type ? `event: ${type}\n` : ""}data: ${text}\n\n`);
		}
		response.end();
	}

	// Hosts ask for titles too, without tools.
	#answer({ tools, results, names }, body) {
		if (tools.length === 0) return { text: '{"title": "a title"}' };
		this.tools = tools;
		this.bodies.push(body);
		const name = Object.fromEntries(names);
		const brought = results.filter(({ id }) => !finder.test(name[id]));
		// Hosts shorten old results, so each counts as it first came.
		this.results.push(...brought.slice(this.results.length).map(({ text }) => text));
		const step = this.steps[brought.length];
		if (!step) return { text: "DONE" };
		const args = step.args ?? {};
		const call = tools.find((tool) => new RegExp(`${step.tool}$`).test(tool.name));
		if (call) return { call: { name: call.name, namespace: call.namespace }, args };
		const find = tools.find((tool) => finder.test(tool.name));
		if (find && results.length === brought.length) {
			return { call: { name: find.name }, args: { query: "select:mcp__pi-mcp__mcp" } };
		}
		return { text: `STUCK: no tool ${step.tool} among ${tools.map((tool) => tool.name)}` };
	}
}

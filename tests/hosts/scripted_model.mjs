// A model whose calls of tools a test writes down, for real hosts: an HTTP server on loopback that
// speaks what they speak, streaming: chat completions, responses (OpenAI), messages (Anthropic).
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
};

// Text of a content, whatever shape it has.
function textOf(content) {
	if (typeof content === "string") return content;
	if (Array.isArray(content)) return content.map(textOf).join("\n");
	return content?.text ?? "";
}

// What a request offers and brings: {tools: [{name, namespace}], results: [text]}.
const readers = {
	chat: ({ tools = [], messages }) => ({
		tools: tools.map((tool) => ({ name: tool.function?.name ?? tool.name })),
		results: messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content)),
	}),
	messages: ({ tools = [], messages }) => ({
		tools: tools.map(({ name }) => ({ name })),
		results: messages
			.flatMap(({ content }) => (Array.isArray(content) ? content : []))
			.filter(({ type }) => type === "tool_result")
			.map(({ content }) => textOf(content)),
	}),
	responses({ tools = [], input }) {
		const items = Array.isArray(input) ? input : [];
		const flat = (list, namespace) =>
			list.flatMap((tool) =>
				tool.tools ? flat(tool.tools, tool.name) : [{ name: tool.name ?? tool.type, namespace }],
			);
		const more = items.filter(({ type }) => type === "additional_tools");
		return {
			tools: flat([...tools, ...more]),
			results: items
				.filter(({ type }) => String(type).endsWith("_output"))
				.map(({ output }) => (typeof output === "string" ? output : JSON.stringify(output))),
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
};

function kindOf(url) {
	return ["chat/completions", "responses", "messages"]
		.find((end) => url.split("?")[0].endsWith(`/${end}`))
		?.split("/")[0];
}

export class ScriptedModel {
	// `steps`: calls, one after the other: {tool, args}, where the host's name for the tool ends with
	// `tool`. After them the model says DONE.
	static async start(steps) {
		const model = new ScriptedModel();
		model.steps = steps;
		model.results = []; // texts of what the calls brought, as the host shows them to a model
		model.toolNames = [];
		model.count = 0;
		model.server = createServer((request, response) => model.#serve(request, response));
		await new Promise((listening) => model.server.listen(0, "127.0.0.1", listening));
		model.url = `http://127.0.0.1:${model.server.address().port}`;
		return model;
	}

	stop() {
		this.server.closeAllConnections();
		return new Promise((stopped) => this.server.close(stopped));
	}

	async #serve(request, response) {
		const chunks = [];
		for await (const chunk of request) chunks.push(chunk);
		const kind = request.method === "POST" ? kindOf(request.url) : undefined;
		if (!kind) {
			response.writeHead(request.url.includes("/models") ? 200 : 404);
			response.end(JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model" }] }));
			return;
		}
		const answer = this.#answer(readers[kind](JSON.parse(Buffer.concat(chunks).toString())));
		response.writeHead(200, { "content-type": "text/event-stream" });
		for (const [type, data] of writers[kind](++this.count, answer)) {
			const text = typeof data === "string" ? data : JSON.stringify(data);
			response.write(`${type ? `event: ${type}\n` : ""}data: ${text}\n\n`);
		}
		response.end();
	}

	// Hosts ask for titles too, without tools.
	#answer({ tools, results }) {
		if (tools.length === 0) return { text: "a title" };
		this.toolNames = tools.map(({ name }) => name);
		if (results.length > this.results.length) this.results = results;
		const step = this.steps[results.length];
		if (!step) return { text: "DONE" };
		const call = tools.find(({ name }) => new RegExp(`${step.tool}$`).test(name));
		if (!call) return { text: `STUCK: no tool ${step.tool} among ${this.toolNames}` };
		return { call, args: step.args ?? {} };
	}
}

// A scripted model: an OpenAI-compatible server on loopback whose answers a test decides.
import { createServer } from "node:http";

// Text of a message, whatever shape its content has.
export function textOf(message) {
	const { content } = message;
	if (typeof content === "string") return content;
	return (content ?? []).map((part) => part.text ?? "").join("\n");
}

export class Model {
	// `steps`: for each turn a text, or an array of { tool, args } to call; after them "done". Or a
	// function of a request and its turn that gives one.
	static async start(steps) {
		const model = new Model();
		model.requests = []; // bodies, as Pi sent them
		model.steps = steps;
		model.next = []; // steps that come before those, whatever turn it is
		model.server = createServer((request, response) => model.#serve(request, response));
		await new Promise((listening) => model.server.listen(0, "127.0.0.1", listening));
		model.url = `http://127.0.0.1:${model.server.address().port}/v1`;
		return model;
	}

	// The turns of a conversation are counted in the request itself. Pi's own requests have tools.
	#step({ messages, tools }) {
		if (!tools) return "an answer without tools";
		const turn = messages.filter(({ role }) => role === "assistant").length;
		return this.next.shift() ?? this.#planned({ messages, tools }, turn) ?? "done";
	}

	#planned(request, turn) {
		return typeof this.steps === "function" ? this.steps(request, turn) : this.steps[turn];
	}

	#serve(request, response) {
		const chunks = [];
		request.on("data", (chunk) => chunks.push(chunk));
		request.on("end", () => {
			const body = JSON.parse(Buffer.concat(chunks).toString());
			this.requests.push(body);
			this.#answer(this.#step(body), response);
		});
	}

	#answer(step, response) {
		const send = (delta, finish_reason = null) =>
			response.write(
				`data: ${JSON.stringify({
					id: `chat-${this.requests.length}`,
					object: "chat.completion.chunk",
					created: 0,
					model: "scripted",
					choices: [{ index: 0, delta, finish_reason }],
				})}\n\n`,
			);
		response.writeHead(200, { "content-type": "text/event-stream" });
		send({ role: "assistant", content: typeof step === "string" ? step : "" });
		if (typeof step === "string") {
			send({}, "stop");
		} else {
			const calls = step.map(({ tool, args = {} }, index) => ({
				index,
				id: `call_${this.requests.length}_${index}`,
				type: "function",
				function: { name: tool, arguments: JSON.stringify(args) },
			}));
			send({ tool_calls: calls });
			send({}, "tool_calls");
		}
		response.end("data: [DONE]\n\n");
	}

	// Messages of role `tool` in the last request: what the model was told by tools.
	toolTexts() {
		const { messages } = this.requests.at(-1);
		return messages.filter(({ role }) => role === "tool").map(textOf);
	}

	toolNames(request = this.requests.at(-1)) {
		return (request.tools ?? []).map((tool) => tool.function.name);
	}

	async stop() {
		this.server.closeAllConnections();
		await new Promise((closed) => this.server.close(closed));
	}
}

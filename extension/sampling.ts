// Sampling: a server asks for an answer of the user's model (sampling/createMessage). The user sees
// the request before it is sent and the answer before the server gets it.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { askerOf, type Dialogs, type Ui } from "./dialogs.ts";
import { framed, quoted } from "./shown_text.ts";
import type { Json } from "./wire.ts";

type Model = NonNullable<ExtensionContext["model"]>;
type Registry = ExtensionContext["modelRegistry"];
type Message = Parameters<Registry["complete"]>[1]["messages"][number];

interface SamplingMessage {
	role: "user" | "assistant";
	content: Part | Part[];
}
type Part = { type: string; text?: string; data?: string; mimeType?: string };

const messagesShownMax = 20;
const invalidParams = -32602;
const usage = {
	input: 0,
	output: 0,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 0,
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

function partsOf({ content }: SamplingMessage): Part[] {
	return Array.isArray(content) ? content : [content];
}

function textOf(parts: readonly { type: string }[]): string {
	const texts = parts.map((part) => ("text" in part ? String(part.text) : `[${part.type}]`));
	return texts.join("\n");
}

// Pi's models take text and images of a user, and text of the assistant.
function toPi(message: SamplingMessage, model: Model): Message {
	const content = partsOf(message).map((part) => {
		if (part.type === "text") return { type: "text" as const, text: part.text ?? "" };
		if (part.type === "image" && message.role === "user") {
			return { type: "image" as const, data: part.data ?? "", mimeType: part.mimeType ?? "" };
		}
		throw new Error(`sampling with ${part.type} content is not supported`);
	});
	if (message.role === "user") return { role: "user", content, timestamp: Date.now() };
	const { api, provider, id } = model;
	const texts = content.filter((part) => part.type === "text");
	const made = { api, provider, model: id, usage, stopReason: "stop" as const };
	return { role: "assistant", content: texts, ...made, timestamp: Date.now() };
}

// The first hint that a model with credentials fits, else the model of the session.
function choose(params: Json, pi: Registry, current: Model | undefined): Model {
	const preferences = (params["modelPreferences"] ?? {}) as { hints?: { name?: string }[] };
	const models = pi.getAvailable();
	for (const { name = "" } of preferences.hints ?? []) {
		const wanted = name.toLowerCase();
		const fits = ({ provider, id }: Model) => `${provider}/${id}`.toLowerCase().includes(wanted);
		const found = name ? models.find(fits) : undefined;
		if (found) return found;
	}
	const model = current ?? models[0];
	if (!model) throw new Error("there is no model to sample with");
	return model;
}

function hasContent(message: Partial<SamplingMessage> | null): boolean {
	return message?.content instanceof Object;
}

function messagesOf(params: Json): SamplingMessage[] {
	const { messages } = params;
	if (Array.isArray(messages) && messages.every(hasContent)) return messages;
	throw new Invalid("the sampling request has no messages, or one without content");
}

// What would be sent, each text marked as not ours.
function requestShown(systemPrompt: string | undefined, messages: SamplingMessage[]): string[] {
	const said = messages
		.slice(0, messagesShownMax)
		.map((message) => quoted(`${message.role}: ${textOf(partsOf(message))}`));
	const more = messages.length - said.length;
	if (more > 0) said.push(`… (${more} more messages)`);
	return systemPrompt ? [quoted(`system: ${systemPrompt}`), ...said] : said;
}

export class Sampling {
	readonly #ctx: Pick<ExtensionContext, "modelRegistry" | "model">;
	readonly #dialogs: Dialogs | undefined;

	// Without dialogs the user has agreed beforehand (samplingAutoApprove).
	constructor(ctx: ExtensionContext, dialogs: Dialogs | undefined) {
		this.#ctx = ctx;
		this.#dialogs = dialogs;
	}

	// `params` of sampling/createMessage; gives its result.
	answer(params: Json, withdrawn: AbortSignal): Promise<Json> {
		if (!this.#dialogs) return this.#answer(params, undefined, withdrawn);
		return this.#dialogs.inTurn(withdrawn, (ui) => this.#answer(params, ui, withdrawn));
	}

	async #answer(params: Json, ui: Ui | undefined, signal: AbortSignal): Promise<Json> {
		const { modelRegistry } = this.#ctx;
		if (params["tools"] !== undefined) throw new Error("sampling with tools is not supported");
		const messages = messagesOf(params);
		const model = choose(params, modelRegistry, this.#ctx.model);
		const name = `${model.provider}/${model.id}`;
		const server = askerOf(params) ?? "(unknown)";
		const systemPrompt = params["systemPrompt"] as string | undefined;
		const shown = requestShown(systemPrompt, messages);
		const ask = framed(`MCP server ${server} wants to ask ${name}`, ...shown);
		await consent(ui, ask, "Ask the model");

		const temperature = params["temperature"] as number | undefined;
		const answer = await modelRegistry.complete(
			model,
			{
				...(systemPrompt === undefined ? {} : { systemPrompt }),
				messages: messages.map((message) => toPi(message, model)),
			},
			{
				maxTokens: params["maxTokens"] as number,
				signal,
				...(temperature === undefined ? {} : { temperature }),
			},
		);
		if (answer.stopReason === "error" || answer.stopReason === "aborted") {
			throw new Error(answer.errorMessage ?? "the model gave no answer");
		}
		const text = textOf(answer.content.filter(({ type }) => type === "text"));
		await consent(ui, framed(`MCP server ${server} will get this answer`, quoted(text)), "Send it");
		return {
			role: "assistant",
			content: { type: "text", text },
			model: name,
			stopReason: answer.stopReason === "length" ? "maxTokens" : "endTurn",
		};
	}
}

async function consent(ui: Ui | undefined, title: string, yes: string): Promise<void> {
	if (!ui) return;
	const chosen = await ui.select(title, [yes, "Deny"]);
	if (chosen !== yes) throw new Refused();
}

class Invalid extends Error {
	readonly code = invalidParams;
}

// MCP gives a user's refusal this code.
export class Refused extends Error {
	readonly code = -1;
	constructor() {
		super("User rejected sampling request");
	}
}

// A small host around a client library: asks the model and runs the tools that it wants, until it
// wants none. Results go to the model as the library gives them, whole.
const [url] = process.argv.slice(2);

async function ask(messages, tools) {
	const answer = await fetch(`${url}/v1/chat/completions`, {
		method: "POST",
		body: JSON.stringify({ messages, tools }),
	});
	return (await answer.json()).choices[0].message;
}

// `call`: (name, arguments) to the result of a tool.
export async function converse({ instructions, tools, call }) {
	const offered = tools.map((tool) => ({ type: "function", function: tool }));
	const messages = [
		{ role: "system", content: instructions ?? "" },
		{ role: "user", content: "go" },
	];
	for (;;) {
		const message = await ask(messages, offered);
		messages.push(message);
		if (!message.tool_calls) return console.log(message.content);
		for (const { id, function: wanted } of message.tool_calls) {
			const result = await call(wanted.name, JSON.parse(wanted.arguments));
			messages.push({ role: "tool", tool_call_id: id, content: JSON.stringify(result) });
		}
	}
}

export const info = { name: "client", version: "1" };
export const capabilities = { elicitation: { form: {} } };
export const accepted = () => ({ action: "accept", content: { name: "Ann" } });

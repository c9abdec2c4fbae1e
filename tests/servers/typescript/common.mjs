// What both servers and both clients of the TypeScript SDK share: the words of ../common.json, and
// the run of its jobs.
import { appendFileSync, readFileSync } from "node:fs";

const common = JSON.parse(readFileSync(new URL("../common.json", import.meta.url), "utf8"));
export const picture = common.jobs.find((job) => job.picture).picture;
export const info = { name: "common", version: "1.0.0" };
export const text = (words) => ({ content: [{ type: "text", text: words }] });
export const weather = (city) => ({
	city,
	degrees: -3.5,
	wind: { knots: 12, from: "NE" },
	warnings: [],
});
export const question = "Who is it?";
export const person = {
	type: "object",
	properties: { name: { type: "string", title: "Name" }, age: { type: "integer", minimum: 0 } },
	required: ["name", "age"],
};
export const thought = {
	maxTokens: 50,
	messages: [{ role: "user", content: { type: "text", text: "What is six times seven?" } }],
};
export const answered = ({ action, content }) =>
	text(`${action}: ${content?.name}, ${content?.age}`);

// Resolves never; writes down when it is ended.
export function wait(signal) {
	appendFileSync(process.env.MARKS, "waiting\n");
	return new Promise((_, ended) =>
		signal.addEventListener("abort", () => {
			appendFileSync(process.env.MARKS, "cancelled\n");
			ended(signal.reason);
		}),
	);
}

export const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };

// What came in during one job; the handlers of a client write into it.
let record;
export const step = ({ progress, total, message }) =>
	record.progress.push({ progress, total, message });
export const logged = ({ params }) => record.logs.push(params);
const answers = {
	"elicitation/create": common.answers.elicitation,
	"sampling/createMessage": common.answers.sampling,
	"roots/list": { roots: common.answers.roots },
};
// For the client's fallback handler: requests as they arrived, without a schema's choice.
export async function answer({ method, params }) {
	if (method !== "roots/list") record.asked.push({ method, params });
	return answers[method];
}

// Each job by `request`, which takes method and params and gives the result as it arrived. Before
// 2026-07-28 some servers log nothing until they are told a level.
export async function runJobs(request, era) {
	const setLevel = () => request("logging/setLevel", { level: "info" });
	if (era === "legacy") await setLevel().catch(() => {}); // one without logs refuses it
	const { tools } = await request("tools/list", {});
	const skipped = (process.env.SKIP ?? "").split(",");
	const jobs = {};
	for (const { tool, args, through, expect } of common.jobs) {
		if (through || skipped.includes(tool)) continue;
		record = jobs[tool] = { progress: [], logs: [], asked: [] };
		try {
			const _meta = { progressToken: `of ${tool}` };
			record.result = await request("tools/call", { name: tool, arguments: args, _meta });
		} catch (error) {
			record.error = String(error.stack);
		}
		const missing = () =>
			["logs", "progress"].some((name) => record[name].length < (expect[name]?.length ?? 0));
		for (let turn = 0; missing() && turn < 50; turn += 1) {
			await new Promise((later) => setTimeout(later, 10)); // they may come behind the result
		}
	}
	process.stdout.write(JSON.stringify({ tools, jobs }));
}

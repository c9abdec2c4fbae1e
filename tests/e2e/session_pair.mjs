// Two sessions of one home in one shared process.
import assert from "node:assert/strict";
import { Home, Host } from "./harness.mjs";

export class Pair {
	static async start(servers) {
		const pair = new Pair();
		pair.home = new Home().share();
		pair.home.configure(servers, { approveTools: false });
		pair.hosts = [await Host.connect(pair.home), await Host.connect(pair.home)];
		return pair;
	}

	// The same tool in each session, at the same time; fails where one of them fails.
	async both(tool, argsOf) {
		const answers = await Promise.all(
			this.hosts.map((host, index) => host.mcp({ tool, args: argsOf(index) })),
		);
		for (const { isError, text } of answers) assert.equal(isError, false, text);
		return answers.map(({ text }) => text);
	}

	async close() {
		for (const host of this.hosts) await host.close();
		await this.home.allGone(20);
		this.home.remove();
	}
}

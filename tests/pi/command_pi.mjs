// A Pi whose commands are tried: lines are typed, dialogs are answered one after the other.
import assert from "node:assert/strict";
import { Model } from "./model.mjs";
import { Pi, PiHome } from "./pi.mjs";

const dialogs = ["select", "input", "editor"];

export class CommandPi {
	// `prepare` gets the home before Pi starts; the other options are those of Pi.
	static async start(servers, { prepare, steps = [], ...options } = {}) {
		const place = new CommandPi();
		place.model = await Model.start(steps);
		place.home = new PiHome(place.model).withCache();
		place.home.configure(servers);
		await prepare?.(place.home);
		place.pi = new Pi(place.home, options);
		return place;
	}

	// Types a line; each dialog gets the next answer (a function is given the dialog). Gives the
	// notice that ends it.
	async run(line, pattern, ...answers) {
		const from = this.pi.events.length;
		this.pi.send({ id: "c", type: "prompt", message: line });
		return this.answered(from, pattern, answers);
	}

	async answered(from, pattern, answers) {
		const isDialog = ({ type, method }) =>
			type === "extension_ui_request" && dialogs.includes(method);
		let at = from;
		for (const answer of answers) {
			const dialog = await this.pi.event(`a dialog (${this.said(from)})`, isDialog, at);
			at = this.pi.events.indexOf(dialog) + 1;
			this.pi.reply(dialog, typeof answer === "function" ? answer(dialog) : answer);
		}
		return this.pi.notice(pattern, from);
	}

	said(from) {
		return JSON.stringify(this.pi.shown("notify", from).map(({ message }) => message));
	}

	async end() {
		await this.pi.close();
		await this.model.stop();
		const left = this.home.processes();
		this.home.remove();
		assert.deepEqual(left, [], "Pi left processes behind");
	}
}

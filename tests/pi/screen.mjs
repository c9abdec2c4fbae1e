// Pi's interactive user interface in a terminal of its own (tmux).
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { until } from "../e2e/harness.mjs";
import { commandLine } from "./pi.mjs";

// A terminal of this many columns in which Pi runs, the newest or the `version` of the options.
export class Screen {
	constructor(home, columns, options = {}) {
		this.home = home;
		// Not the socket of a screen before: its server may be on its way out and take the new session.
		this.socket = join(mkdtempSync(join(home.root, "tmux-")), "socket");
		const env = { ...home.env, TERM: "xterm-256color", LANG: "C.UTF-8" };
		const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
		const size = ["-x", String(columns), "-y", "50"];
		const command = ["env", "-i", ...variables, ...commandLine(options)];
		this.tmux("-u", "new-session", "-d", ...size, "-c", home.project, ...command);
	}

	tmux(...args) {
		const env = { ...process.env, LANG: "C.UTF-8", TERM: "xterm-256color" };
		return execFileSync("tmux", ["-S", this.socket, ...args], { encoding: "utf8", env });
	}

	get text() {
		return this.tmux("capture-pane", "-p");
	}

	async shows(pattern) {
		await until(String(pattern), () => pattern.test(this.text), 60).catch((error) => {
			throw new Error(`${error.message}; the screen:\n${this.text}`);
		});
	}

	// What stands on the screen once `holds` is true of it and a second look sees the same: a terminal
	// shows a page that is being drawn with parts of the one before it.
	async drawn(what, holds) {
		let seen;
		const isDrawn = () => {
			const before = seen;
			seen = this.text;
			return seen === before && holds(seen);
		};
		await until(what, isDrawn, 60).catch((error) => {
			throw new Error(`${error.message}; the screen:\n${seen}`);
		});
		return seen;
	}

	// Types a line and presses Enter until the editor has let go of it: a list of completions takes
	// the first one. Not again at once: a slow Pi would take that for an answer to what it shows next.
	async enter(line, pattern) {
		this.tmux("send-keys", "-l", line);
		const inEditor = () => this.text.trimEnd().split("\n").slice(-14).join().includes(line);
		await until("the line in the editor", inEditor);
		let pressed = 0;
		await until("the editor to take the line", () => {
			if (inEditor() && Date.now() - pressed > 2000) {
				this.tmux("send-keys", "Enter");
				pressed = Date.now();
			}
			return !inEditor();
		});
		await this.shows(pattern);
	}

	// Keys as tmux calls them: "Down", "C-s"; `text` is typed as it is.
	keys(...names) {
		this.tmux("send-keys", ...names);
	}

	type(text) {
		this.tmux("send-keys", "-l", text);
	}

	resize(columns) {
		this.tmux("resize-window", "-x", String(columns), "-y", "50");
	}

	get widest() {
		return Math.max(...this.text.split("\n").map((line) => line.length));
	}

	// A tmux whose program has ended has ended too: that is not an error here, and what a test failed
	// of is not hidden by it.
	close() {
		try {
			this.tmux("kill-server");
		} catch (error) {
			const isGone = /no server running|error connecting|lost server/.test(error.stderr);
			if (!isGone) throw error;
		}
	}
}

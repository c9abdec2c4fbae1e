// The panel of /mcp: servers and their tools, and what can be done with them.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { type ManageAction, textOf, type ToolAnswer } from "./gateway.ts";
import { PanelModel } from "./panel_model.ts";
import { type PanelTheme, renderPanel, type Terminal } from "./panel_view.ts";
import type { Session } from "./session.ts";

const pageRows = 10;

interface Keyboard extends Terminal {
	matchesKey(data: string, key: string): boolean;
	decodeKittyPrintable?(data: string): string | undefined;
}

// Pi's terminal library, under the name it has in this line of Pi.
async function loadKeyboard(): Promise<Keyboard> {
	const names: string[] = ["@earendil-works/pi-tui", "@mariozechner/pi-tui"];
	for (const name of names) {
		try {
			return (await import(name)) as Keyboard;
		} catch {
			// the other one
		}
	}
	throw new Error("this Pi has no terminal library for the panel; use /mcp status");
}

class Panel {
	readonly #session: Session;
	readonly #keyboard: Keyboard;
	readonly #theme: PanelTheme;
	readonly #redraw: () => void;
	// Closes the panel; with the name of a server that is to be logged in to.
	readonly #close: (server: string | undefined) => void;
	readonly #model = new PanelModel();
	readonly #unwatch: () => void;
	#message = "";
	#log: string[] | undefined; // shown instead of the list
	#logTop = 0;
	#isLeaving = false; // the next Escape gives up what was changed

	constructor(
		session: Session,
		keyboard: Keyboard,
		screen: {
			theme: PanelTheme;
			redraw: () => void;
			close: (server: string | undefined) => void;
		},
	) {
		this.#session = session;
		this.#keyboard = keyboard;
		this.#theme = screen.theme;
		this.#redraw = screen.redraw;
		this.#close = screen.close;
		this.#unwatch = session.watch(() => this.#start(this.refresh()));
	}

	async refresh(): Promise<void> {
		const gateway = await this.#session.gateway();
		this.#model.update(await this.#session.status(), await gateway.knownTools());
		this.#redraw();
	}

	// For Pi's terminal interface.
	render(width: number): string[] {
		const view = {
			model: this.#model,
			message: this.#message,
			log: this.#log?.slice(this.#logTop),
		};
		return renderPanel(view, width, this.#theme, this.#keyboard);
	}

	invalidate(): void {} // nothing is kept between renderings

	dispose(): void {
		this.#unwatch();
	}

	handleInput(data: string): void {
		const is = (...keys: string[]) => keys.some((key) => this.#keyboard.matchesKey(data, key));
		if (is("escape", "ctrl+c")) return this.#leave();
		this.#isLeaving = false;
		if (is("up")) this.#move(-1);
		else if (is("down")) this.#move(1);
		else if (is("pageUp")) this.#move(-pageRows);
		else if (is("pageDown")) this.#move(pageRows);
		else if (!this.#log) this.#edit(data, is);
		this.#redraw();
	}

	#edit(data: string, is: (key: string) => boolean): void {
		const server = this.#model.current?.server;
		if (is("enter")) this.#model.toggleOpen();
		else if (is("space")) this.#model.toggleDirect();
		else if (is("backspace")) this.#model.filter = this.#model.filter.slice(0, -1);
		else if (is("ctrl+s")) this.#start(this.#save());
		else if (server && is("ctrl+r")) this.#start(this.#reconnect(server.name));
		else if (server && is("ctrl+d")) {
			const action = server.status === "disabled" ? "enable" : "disable";
			this.#start(this.#manage({ action, server: server.name }).then(() => {}));
		} else if (server && is("ctrl+l")) this.#start(this.#showLog(server.name));
		else if (server && is("ctrl+a")) this.#close(server.name);
		else this.#type(data);
	}

	#type(data: string): void {
		const text = this.#keyboard.decodeKittyPrintable?.(data) ?? data;
		if (/^[^\p{Cc}]+$/u.test(text)) this.#model.filter += text;
	}

	#move(by: number): void {
		if (!this.#log) return this.#model.move(by);
		const last = Math.max(0, this.#log.length - 1);
		this.#logTop = Math.max(0, Math.min(this.#logTop + by, last));
	}

	// One Escape at a time: the log, the filter, the panel.
	#leave(): void {
		if (this.#log) this.#log = undefined;
		else if (this.#model.filter) this.#model.filter = "";
		else if (this.#model.isChanged && !this.#isLeaving) {
			this.#isLeaving = true;
			this.#message = "Not saved: ctrl+s saves, esc again gives the changes up";
		} else return this.#close(undefined);
		this.#redraw();
	}

	// What goes on meanwhile may end the panel or Pi; a failure is shown, no more.
	#start(work: Promise<void>): void {
		void work
			.catch((error: Error) => {
				this.#message = error.message;
			})
			.then(() => this.#redraw());
	}

	async #reconnect(server: string): Promise<void> {
		this.#message = `reconnecting ${server}...`;
		const gateway = await this.#session.gateway();
		this.#tell(await gateway.call("mcp", { action: "reconnect", server }));
		await this.refresh();
	}

	async #manage(action: ManageAction): Promise<boolean> {
		const gateway = await this.#session.gateway();
		const answer = await gateway.manage(action);
		this.#tell(answer);
		await this.refresh();
		return !answer.isError;
	}

	async #save(): Promise<void> {
		for (const change of this.#model.changes) {
			const done = await this.#manage(change);
			if (!done) return;
			this.#model.saved(change.server);
		}
	}

	async #showLog(server: string): Promise<void> {
		const gateway = await this.#session.gateway();
		this.#log = textOf(await gateway.manage({ action: "logs", server })).split("\n");
		this.#logTop = 0;
	}

	#tell(answer: ToolAnswer): void {
		this.#message = textOf(answer);
	}
}

// Shows the panel until it is closed. Gives the server to log in to, if that is what ended it.
export async function openPanel(
	session: Session,
	ctx: ExtensionCommandContext,
): Promise<string | undefined> {
	const keyboard = await loadKeyboard();
	return ctx.ui.custom<string | undefined>(async (tui, theme, _keybindings, done) => {
		const panel = new Panel(session, keyboard, {
			theme,
			redraw: () => tui.requestRender(),
			close: done,
		});
		await panel.refresh();
		return panel;
	});
}

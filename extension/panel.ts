// The panel of /mcp: servers and their tools, and what can be done with them.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import {
	forbiddenText,
	type ManageAction,
	type Scope,
	type ServerState,
	textOf,
	type ToolAnswer,
} from "./gateway.ts";
import { PanelModel, type Save } from "./panel_model.ts";
import { Pager, type Terminal } from "./panel_text.ts";
import { type PanelTheme, renderPanel } from "./panel_view.ts";
import type { Session } from "./session.ts";
import { oneLine, shownLine } from "./shown_text.ts";

const pageRows = 10;

// What the user goes on with once the panel is closed.
export interface Leaving {
	to: "log in" | "connect"; // connecting asks about a server that needs trust
	server: string;
}

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

// What saves: `mcp.panel.save` in Pi's keybindings.json, a key or several, as for pi-mcp-adapter.
// An empty list: none. Older Pis do not tell what the user has bound.
function saveKeysOf(keybindings: unknown): string[] {
	type Bound = Record<string, string | string[] | undefined>;
	const { getUserBindings } = (keybindings ?? {}) as { getUserBindings?: () => Bound };
	const bound = getUserBindings?.call(keybindings)["mcp.panel.save"];
	return bound === undefined ? ["ctrl+s"] : [bound].flat();
}

// Text that the terminal gives as pasted, or what a key writes; undefined for any other key.
function writtenBy(data: string, keyboard: Keyboard): string | undefined {
	const [, pasted] = /^\u001b\[200~(.*)\u001b\[201~$/s.exec(data) ?? [];
	if (pasted !== undefined) return oneLine(pasted);
	const text = keyboard.decodeKittyPrintable?.(data) ?? data;
	return /^[^\p{Cc}]+$/u.test(text) ? text : undefined;
}

class Panel {
	// Without it Pi's own list of messages takes Page Up and Page Down.
	readonly capturesViewportInput = true;
	readonly #session: Session;
	readonly #keyboard: Keyboard;
	readonly #theme: PanelTheme;
	readonly #saveKeys: string[];
	readonly #redraw: () => void;
	readonly #close: (leaving: Leaving | undefined) => void;
	readonly #model = new PanelModel();
	readonly #unwatch: () => void;
	#message = "";
	#text: Pager | undefined; // shown instead of the list
	#unreadable: string[] = [];
	#asked = ""; // the key that gives up what was changed when it is pressed again
	#disabling: string | undefined; // the server that the user is asked about
	#saved: Promise<void> = Promise.resolve(); // one save after the other

	constructor(
		session: Session,
		keyboard: Keyboard,
		screen: {
			theme: PanelTheme;
			keybindings: unknown;
			redraw: () => void;
			close: (leaving: Leaving | undefined) => void;
		},
	) {
		this.#session = session;
		this.#keyboard = keyboard;
		this.#theme = screen.theme;
		this.#saveKeys = saveKeysOf(screen.keybindings);
		this.#redraw = screen.redraw;
		this.#close = screen.close;
		this.#unwatch = session.watch(() => this.#start(this.refresh()));
	}

	async refresh(): Promise<void> {
		const gateway = await this.#session.gateway();
		const [servers, tools] = [await this.#session.status(), await gateway.knownTools()];
		const isEmpty = servers.length === 0;
		this.#unreadable = isEmpty ? ((await gateway.state()).settings.unreadable ?? []) : [];
		this.#model.update(servers, tools, this.#session.takenNames());
		this.#redraw();
	}

	// For Pi's terminal interface.
	render(width: number): string[] {
		const [saveKey] = this.#saveKeys;
		const shown = { message: this.#message, text: this.#text, unreadable: this.#unreadable };
		const view = { model: this.#model, saveKey, ...shown };
		return renderPanel(view, width, this.#theme, this.#keyboard);
	}

	invalidate(): void {} // nothing is kept between renderings

	dispose(): void {
		this.#unwatch();
	}

	handleInput(data: string): void {
		const is = (...keys: string[]) => keys.some((key) => this.#keyboard.matchesKey(data, key));
		if (this.#disabling !== undefined) return this.#decide(this.#disabling, data);
		if (is("escape", "ctrl+c")) return this.#leave();
		if (is("up")) this.#move(-1);
		else if (is("down")) this.#move(1);
		else if (is("pageUp")) this.#move(-pageRows);
		else if (is("pageDown")) this.#move(pageRows);
		else if (!this.#text) this.#edit(data, is);
		this.#redraw();
	}

	// What was said stays until something else is done.
	#edit(data: string, is: (...keys: string[]) => boolean): void {
		const server = this.#model.current?.server;
		if (is("ctrl+o")) return this.#showMessage();
		if (server?.status === "needs trust" && is("enter", "ctrl+r", "ctrl+d", "ctrl+a")) {
			return this.#askAbout(server);
		}
		if (server && is("ctrl+a")) return this.#logIn(server);
		this.#asked = "";
		this.#message = "";
		if (is("enter")) this.#model.toggleOpen();
		else if (is("space")) this.#message = this.#model.toggleDirect();
		else if (is("backspace")) this.#model.filter = this.#model.filter.slice(0, -1);
		else if (is(...this.#saveKeys)) this.#start(this.#save());
		else if (server && is("ctrl+r")) this.#start(this.#reconnect(server));
		else if (server && is("ctrl+d")) this.#toggleUse(server);
		else if (server && is("ctrl+l")) this.#start(this.#showLog(server.name));
		else this.#model.filter += writtenBy(data, this.#keyboard) ?? "";
	}

	// Of a server of the project there is nothing to choose.
	#toggleUse({ name, status, project }: ServerState): void {
		if (status === "disabled") this.#start(this.#manage({ action: "enable", server: name }));
		else if (project) this.#start(this.#manage({ action: "disable", server: name }));
		else {
			this.#disabling = name;
			const keys = "e everywhere, p in this project only, esc not at all";
			this.#message = `Disable ${shownLine(name)}: ${keys}`;
		}
	}

	#decide(server: string, key: string): void {
		const scopes: Record<string, Scope> = { e: "everywhere", p: "here" };
		const scope = scopes[writtenBy(key, this.#keyboard)?.toLowerCase() ?? ""];
		this.#disabling = undefined;
		this.#message = "";
		if (scope) this.#start(this.#manage({ action: "disable", server, scope }));
		this.#redraw();
	}

	#move(by: number): void {
		this.#asked = "";
		if (this.#text) this.#text.move(by);
		else this.#model.move(by);
	}

	// One Escape at a time: the text, the filter, the panel.
	#leave(): void {
		if (this.#text) this.#text = undefined;
		else if (this.#model.filter) {
			this.#model.filter = "";
			this.#message = "";
		} else if (this.#mayLose("esc", "")) return this.#close(undefined);
		this.#redraw();
	}

	#logIn({ name, remote, status }: ServerState): void {
		this.#message = "";
		if (!remote) {
			this.#message = `${name} is a program on this machine: there is nothing to log in to`;
		} else if (status === "disabled") {
			this.#message = `${name} is disabled: ctrl+d enables it, then log in`;
		} else if (this.#mayLose("ctrl+a", " and logs in")) {
			this.#close({ to: "log in", server: name });
		}
	}

	// Nothing else can be done with a server that needs trust.
	#askAbout({ name, forbidden }: ServerState): void {
		this.#message = "";
		if (forbidden) this.#message = forbiddenText(name);
		else if (this.#mayLose("enter", " and asks about the server")) {
			this.#close({ to: "connect", server: name });
		}
	}

	// True when nothing is to be saved, or the user was asked and pressed the key again.
	#mayLose(key: string, then: string): boolean {
		if (!this.#model.isChanged || this.#asked === key) return true;
		this.#asked = key;
		const [saveKey] = this.#saveKeys;
		const saves = saveKey ? `${saveKey} saves, ` : "";
		this.#message = `Not saved: ${saves}${key} again gives the changes up${then}`;
		return false;
	}

	#showMessage(): void {
		if (this.#message) this.#text = new Pager(this.#message);
	}

	// What goes on meanwhile may end the panel or Pi; a failure is shown, no more.
	#start(work: Promise<unknown>): void {
		void work
			.catch((error: Error) => {
				this.#message = error.message;
			})
			.then(() => this.#redraw());
	}

	async #reconnect({ name, status }: ServerState): Promise<void> {
		if (status === "disabled") {
			this.#message = `${name} is disabled: ctrl+d enables it, then reconnect`;
			return;
		}
		this.#message = `reconnecting ${name}...`;
		const gateway = await this.#session.gateway();
		this.#message = textOf(await gateway.call("mcp", { action: "reconnect", server: name }));
		await this.refresh();
	}

	async #manage(action: ManageAction): Promise<ToolAnswer> {
		const gateway = await this.#session.gateway();
		const answer = await gateway.manage(action);
		this.#message = textOf(answer);
		await this.refresh();
		return answer;
	}

	#save(): Promise<void> {
		const { saves } = this.#model; // what is changed from now on is for the next one
		this.#saved = this.#saved.catch(() => {}).then(() => this.#saveAll(saves));
		return this.#saved;
	}

	async #saveAll(saves: Save[]): Promise<void> {
		const said: string[] = [];
		for (const save of saves) {
			const answer = await this.#manage(save.change);
			said.push(textOf(answer));
			if (answer.isError) break;
			this.#model.saved(save);
		}
		this.#message = said.join("\n") || "Nothing was changed: space makes a tool direct";
	}

	async #showLog(server: string): Promise<void> {
		const gateway = await this.#session.gateway();
		this.#text = new Pager(textOf(await gateway.manage({ action: "logs", server })));
	}
}

// Shows the panel until it is closed. Gives what the user goes on with, if that is what ended it.
export async function openPanel(
	session: Session,
	ctx: ExtensionCommandContext,
): Promise<Leaving | undefined> {
	const keyboard = await loadKeyboard();
	return ctx.ui.custom<Leaving | undefined>(async (tui, theme, keybindings, done) => {
		const panel = new Panel(session, keyboard, {
			theme,
			keybindings,
			redraw: () => tui.requestRender(),
			close: done,
		});
		await panel.refresh();
		return panel;
	});
}

#include "cli/show/typescript_client.h"

#include <set>
#include <string_view>

#include "base/text.h"
#include "json/document.h"
#include "schema/declarations.h"

namespace pi_mcp::cli {
namespace {

// Names that stand in the two texts below, and what they use.
const std::set<std::string> own_names = {"ContentBlock",
                                         "ToolResult",
                                         "StructuredResult",
                                         "ToolError",
                                         "ClientOptions",
                                         "Error",
                                         "Promise",
                                         "Child",
                                         "Readable",
                                         "JSON",
                                         "String"};

constexpr std::string_view result_types = R"ts(/** A piece of what a tool gives. */
export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource_link"; uri: string; name: string; description?: string; mimeType?: string }
  | {
      type: "resource";
      resource: { uri: string; mimeType?: string; text?: string; blob?: string };
    };

export interface ToolResult {
  content: ContentBlock[];
  structuredContent?: unknown;
  _meta?: { [key: string]: unknown };
}

/** Of a tool that says what its results look like. */
export interface StructuredResult<T> extends ToolResult {
  structuredContent: T;
}

)ts";

// Runs `pi-mcp call`. Node.js, Bun and Deno have process.getBuiltinModule(), so that the file
// compiles without their types.
constexpr std::string_view client_runtime = R"ts(export interface ClientOptions {
  /** How pi-mcp is started; ["pi-mcp"] by default. */
  command?: string[];
  /** The working directory, which decides which project's servers there are. */
  cwd?: string;
  /** The environment of pi-mcp and its servers; that of this process by default. */
  env?: { [name: string]: string | undefined };
  /** How long a call may take. */
  timeoutSeconds?: number;
}

/** A tool has failed, or it could not be called. */
export class ToolError extends Error {
  /** The exit status of pi-mcp; 1 when the tool itself reports an error. */
  readonly status: number;
  /** What the tool said. */
  readonly result: ToolResult | undefined;

  constructor(message: string, status: number, result?: ToolResult) {
    super(message);
    this.name = "ToolError";
    this.status = status;
    this.result = result;
  }
}

/** All texts of a result. */
export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

interface Readable {
  setEncoding(encoding: "utf8"): unknown;
  on(event: "data", listener: (text: string) => void): unknown;
}
interface Child {
  stdin: { on(event: "error", listener: () => void): unknown; end(text: string): unknown };
  stdout: Readable;
  stderr: Readable;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close", listener: (status: number | null) => void): unknown;
}
declare const process: { getBuiltinModule(name: string): unknown };

function run(words: string[], options: ClientOptions, input: string) {
  const { spawn } = process.getBuiltinModule("node:child_process") as {
    spawn(command: string, words: string[], options: object): Child;
  };
  return new Promise<{ status: number; out: string; said: string }>((resolve, reject) => {
    const [program = "pi-mcp", ...before] = options.command ?? [];
    const where = {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.env === undefined ? {} : { env: options.env }),
    };
    const child = spawn(program, [...before, ...words], where);
    let out = "";
    let said = "";
    child.stdout.setEncoding("utf8");
    child.stderr.setEncoding("utf8");
    child.stdout.on("data", (text) => {
      out += text;
    });
    child.stderr.on("data", (text) => {
      said += text;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status: status ?? 130, out, said }));
    child.stdin.on("error", () => {}); // pi-mcp has ended; its status says why
    child.stdin.end(input);
  });
}

async function call<T extends ToolResult>(
  options: ClientOptions,
  server: string,
  tool: string,
  args: unknown,
): Promise<T> {
  const limit = options.timeoutSeconds;
  const words = ["--json", "--quiet", ...(limit === undefined ? [] : ["--timeout", `${limit}`])];
  words.push("call", "--server", server, "--tool", tool, "-");
  const { status, out, said } = await run(words, options, JSON.stringify(args));
  let answer: (T & { message?: string }) | undefined;
  try {
    answer = JSON.parse(out);
  } catch {
    answer = undefined;
  }
  if (status === 0 && answer !== undefined) {
    return answer;
  }
  const result = Array.isArray(answer?.content) ? answer : undefined;
  const why = result === undefined ? (answer?.message ?? said.trim()) : textOf(result);
  throw new ToolError(`${server}.${tool}: ${why}`, status, result);
}

)ts";

struct EmittedTool {
  const catalog::CatalogTool* tool = nullptr;
  std::string input;   // a type
  std::string output;  // the same
  bool may_be_empty = false;
};

// Whether {} is what such a schema wants.
bool takes_nothing(json::Value schema) {
  for (const std::string_view keyword : {"$ref", "allOf", "anyOf", "oneOf"}) {
    if (schema.find(keyword)) {
      return false;
    }
  }
  return schema.find("required").size() == 0;
}

EmittedTool emit_tool(schema::Declarations& file,
                      const std::string& server,
                      const catalog::CatalogTool& tool) {
  const std::string name = server + schema::pascal_case(tool.original);
  EmittedTool emitted{.tool = &tool, .input = {}, .output = "ToolResult", .may_be_empty = false};
  const Result<json::Document> input = json::Document::parse_view(
      tool.input_schema.view().empty() ? "{\"type\":\"object\"}" : tool.input_schema.view());
  if (input) {
    emitted.input = file.take_name(name + "Input");
    emitted.may_be_empty = takes_nothing(input->root());
    file.declare(emitted.input, input->root());
  }
  const Result<json::Document> others =
      json::Document::parse("{" + std::string(tool.others.view()) + "}");
  if (const json::Value output = others ? others->root().find("outputSchema") : json::Value()) {
    const std::string type = file.take_name(name + "Output");
    file.declare(type, output);
    emitted.output = "StructuredResult<" + type + ">";
  }
  return emitted;
}

std::string parameters_of(const EmittedTool& tool) {
  return "args" + std::string(tool.may_be_empty ? "?" : "") + ": " + tool.input;
}

std::string client_of(const EmittedServer& server,
                      const std::string& tools,
                      const std::vector<EmittedTool>& emitted,
                      const std::string& function) {
  std::string out = "export function " + function + "(options: ClientOptions = {}): " + tools +
                    " {\n  return {\n";
  for (const EmittedTool& tool : emitted) {
    out += "    [" + schema::string_literal(tool.tool->original) + "]: (args" +
           (tool.may_be_empty ? " = {}" : "") + ") =>\n      call(options, " +
           schema::string_literal(server.name) + ", " +
           schema::string_literal(tool.tool->original) + ", args),\n";
  }
  return out + "  };\n}\n\n";
}

}  // namespace

TypeScriptFile typescript_file(const std::vector<EmittedServer>& servers, bool with_client) {
  schema::Declarations file(own_names);
  std::string interfaces;
  std::vector<std::string> names;
  for (const EmittedServer& server : servers) {
    const std::string prefix = schema::pascal_case(server.name);
    const std::string tools = file.take_name(prefix + "Tools");
    std::vector<EmittedTool> emitted;
    for (const catalog::CatalogTool& tool : server.tools) {
      if (!tool.is_resource()) {
        emitted.push_back(emit_tool(file, prefix, tool));
      }
    }
    interfaces += "export interface " + tools + " {\n";
    for (const EmittedTool& tool : emitted) {
      interfaces += schema::doc_comment(tool.tool->description, {}, 2) + "  " +
                    schema::member_name(tool.tool->original) + "(" + parameters_of(tool) +
                    "): Promise<" + tool.output + ">;\n";
    }
    interfaces += "}\n\n";
    if (with_client) {
      interfaces += client_of(server, tools, emitted, file.take_name("create" + prefix + "Client"));
    }
    names.push_back(text::printable_line(server.name));
  }
  std::string out = "// Made by: pi-mcp emit-ts " + text::join(names, " ") + "\n";
  for (const std::string& cut : file.cuts()) {
    out += "// Wider than its schema: " + text::printable_line(cut) + "\n";
  }
  out += "\n" + std::string(result_types) + file.text() + interfaces +
         std::string(with_client ? client_runtime : "");
  out.pop_back();
  return {.text = std::move(out), .cuts = file.cuts()};
}

}  // namespace pi_mcp::cli

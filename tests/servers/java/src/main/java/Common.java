// The common server on the Java SDK: Common COMMON_JSON TRANSPORT [PORT]; ../../../../../common.json.

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpStatelessServerFeatures;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletSseServerTransportProvider;
import io.modelcontextprotocol.server.transport.HttpServletStatelessServerTransport;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.*;
import jakarta.servlet.Servlet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.catalina.startup.Tomcat;

public class Common {
	interface Run extends BiFunction<McpSyncServerExchange, CallToolRequest, CallToolResult> {}

	record Entry(Tool tool, Run run) {}

	static final String PERSON =
			"{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
					+ "\"age\":{\"type\":\"integer\"}},\"required\":[\"name\",\"age\"]}";
	static final String WEATHER =
			"{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"},"
					+ "\"degrees\":{\"type\":\"number\"}},\"required\":[\"city\",\"degrees\"]}";

	static CallToolResult text(String words) {
		return CallToolResult.builder().addTextContent(words).build();
	}

	static Map<String, Object> schema(String... members) {
		Map<String, Object> properties = new java.util.LinkedHashMap<>();
		for (int i = 0; i < members.length; i += 2) properties.put(members[i], Map.of("type", members[i + 1]));
		return Map.of("type", "object", "properties", properties);
	}

	@SuppressWarnings("unchecked")
	static Map<String, Object> read(String json) throws java.io.IOException {
		return McpJsonDefaults.getMapper().readValue(json, Map.class);
	}

	static Entry entry(String name, Map<String, Object> schema, Run run) {
		return new Entry(Tool.builder(name, schema).description("Does " + name + ".").build(), run);
	}

	// What works without a session too.
	static List<Entry> plain(String picture) throws java.io.IOException {
		List<Entry> all = new ArrayList<>();
		Tool hello = Tool.builder("hello", schema("name", "string")).title("Say hello")
				.description("Greets a person.").build();
		all.add(new Entry(hello, (exchange, call) -> text("Hello, " + call.arguments().get("name") + "!")));
		Tool weather = Tool.builder("weather", schema("city", "string"))
				.description("Weather of a city.").outputSchema(read(WEATHER)).build();
		all.add(new Entry(weather, (exchange, call) -> CallToolResult.builder()
				.structuredContent(Map.of("city", call.arguments().get("city"), "degrees", -3.5,
						"wind", Map.of("knots", 12, "from", "NE"), "warnings", List.of()))
				.addTextContent("cold").build()));
		all.add(entry("picture", schema(), (exchange, call) -> CallToolResult.builder()
				.addTextContent("one point")
				.addContent(ImageContent.builder(picture, "image/png").build()).build()));
		all.add(entry("fail", schema(), (exchange, call) -> CallToolResult.builder()
				.addTextContent("the printer has no paper").isError(true).build()));
		return all;
	}

	static List<Entry> asking() throws java.io.IOException {
		List<Entry> all = new ArrayList<>();
		all.add(entry("count", schema("to", "integer"), (exchange, call) -> {
			int to = ((Number) call.arguments().get("to")).intValue();
			for (int step = 1; step <= to; ++step) {
				exchange.progressNotification(ProgressNotification.builder(call.progressToken(), step)
						.total((double) to).message("step " + step).build());
			}
			return text("counted to " + to);
		}));
		all.add(entry("log", schema(), (exchange, call) -> {
			exchange.loggingNotification(
					LoggingMessageNotification.builder(LoggingLevel.INFO, "one").build());
			exchange.loggingNotification(
					LoggingMessageNotification.builder(LoggingLevel.WARNING, "two").build());
			return text("logged");
		}));
		Map<String, Object> person = read(PERSON);
		all.add(entry("ask", schema(), (exchange, call) -> {
			ElicitResult who = exchange.createElicitation(
					ElicitFormRequest.builder("Who is it?", person).build());
			return text(who.action().name().toLowerCase() + ": " + who.content().get("name") + ", "
					+ who.content().get("age"));
		}));
		all.add(entry("think", schema(), (exchange, call) -> {
			TextContent question = TextContent.builder("What is six times seven?").build();
			CreateMessageResult answer = exchange.createMessage(CreateMessageRequest.builder(
					List.of(SamplingMessage.builder(Role.USER, question).build()), 50).build());
			return text("it thinks: " + ((TextContent) answer.content()).text());
		}));
		all.add(entry("roots", schema(), (exchange, call) -> text(exchange.listRoots().roots().stream()
				.map(Root::uri).collect(Collectors.joining(",")))));
		return all;
	}

	static Entry grow(Consumer<Entry> add) {
		return entry("grow", schema(), (exchange, call) -> {
			add.accept(entry("grown", schema(), (ignored, again) -> text("I am new")));
			return text("grown");
		});
	}

	static SyncToolSpecification withSession(Entry entry) {
		return SyncToolSpecification.builder().tool(entry.tool()).callHandler(entry.run()).build();
	}

	static McpStatelessServerFeatures.SyncToolSpecification without(Entry entry) {
		return McpStatelessServerFeatures.SyncToolSpecification.builder().tool(entry.tool())
				.callHandler((context, call) -> entry.run().apply(null, call)).build();
	}

	static void offer(McpServer.SyncSpecification<?> specification, String picture) throws Exception {
		McpSyncServer server = specification.serverInfo("common", "1.0.0")
				.capabilities(ServerCapabilities.builder().tools(true).logging().build()).build();
		for (Entry entry : plain(picture)) server.addTool(withSession(entry));
		for (Entry entry : asking()) server.addTool(withSession(entry));
		server.addTool(withSession(grow(grown -> server.addTool(withSession(grown)))));
	}

	static void listen(Servlet servlet, String port) throws Exception {
		Tomcat tomcat = new Tomcat();
		tomcat.setBaseDir(Files.createTempDirectory("common").toString());
		tomcat.setPort(Integer.parseInt(port));
		tomcat.getConnector().setProperty("address", "127.0.0.1");
		var context = tomcat.addContext("", null);
		Tomcat.addServlet(context, "mcp", servlet).setAsyncSupported(true);
		context.addServletMappingDecoded("/*", "mcp");
		tomcat.start();
		tomcat.getServer().await();
	}

	public static void main(String[] words) throws Exception {
		var found = Pattern.compile("\"picture\": \"([^\"]+)\"").matcher(Files.readString(Path.of(words[0])));
		if (!found.find()) throw new IllegalStateException("no picture");
		String picture = found.group(1);
		switch (words[1]) {
			case "stdio" ->
				offer(McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper())), picture);
			case "http" -> {
				var link = HttpServletStreamableServerTransportProvider.builder().mcpEndpoint("/mcp").build();
				offer(McpServer.sync(link), picture);
				listen(link, words[2]);
			}
			case "sse" -> {
				var link = HttpServletSseServerTransportProvider.builder().messageEndpoint("/message").build();
				offer(McpServer.sync(link), picture);
				listen(link, words[2]);
			}
			default -> {
				var link = HttpServletStatelessServerTransport.builder().messageEndpoint("/mcp").build();
				var server = McpServer.sync(link).serverInfo("common", "1.0.0")
						.capabilities(ServerCapabilities.builder().tools(true).build()).build();
				for (Entry entry : plain(picture)) server.addTool(without(entry));
				server.addTool(without(grow(grown -> server.addTool(without(grown)))));
				listen(link, words[2]);
			}
		}
	}
}

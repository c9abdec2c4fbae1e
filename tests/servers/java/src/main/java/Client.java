// The client of the Java SDK for the jobs of ../../../../common.json, as that says:
// Client COMMON_JSON ERA TRANSPORT TARGET... It prints what its types hold of a message, which is
// all that a server on the same SDK can send.

import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientSseClientTransport;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.*;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Mono;

public class Client {
	static final Duration LIMIT = Duration.ofSeconds(60);
	static final McpJsonMapper JSON = McpJsonDefaults.getMapper();

	// What came in during one job.
	static class Record {
		final Map<String, List<Object>> came = new LinkedHashMap<>();

		Record() {
			for (String name : List.of("progress", "logs", "asked")) {
				came.put(name, new ArrayList<>());
			}
		}

		synchronized void add(String name, Object what) {
			came.get(name).add(what);
			notifyAll();
		}

		// Waits for notifications that may come behind the result, for a moment.
		synchronized Map<String, Object> complete(Map<String, Object> expected) throws Exception {
			long end = System.nanoTime() + 2_000_000_000L;
			while (missing(expected, "progress") || missing(expected, "logs")) {
				long left = (end - System.nanoTime()) / 1_000_000;
				if (left <= 0) break;
				wait(left);
			}
			Map<String, Object> copy = new LinkedHashMap<>();
			came.forEach((name, list) -> copy.put(name, List.copyOf(list)));
			return copy;
		}

		boolean missing(Map<String, Object> expected, String name) {
			var wanted = (List<?>) expected.getOrDefault(name, List.of());
			return came.get(name).size() < wanted.size();
		}
	}

	static volatile Record current = new Record();

	static Mono<Void> came(String name, Object what) {
		return Mono.fromRunnable(() -> current.add(name, what));
	}

	static <T> Mono<T> asked(String method, Object params, T answer) {
		return came("asked", Map.of("method", method, "params", params)).thenReturn(answer);
	}

	@SuppressWarnings("unchecked")
	static Map<String, Object> map(Object value) {
		return (Map<String, Object>) value;
	}

	static McpClientTransport link(String transport, List<String> target) {
		if (transport.equals("stdio")) {
			var parameters = ServerParameters.builder(target.get(0))
					.args(target.subList(1, target.size())).env(System.getenv()).build();
			return new StdioClientTransport(parameters, JSON);
		}
		URI url = URI.create(target.get(0));
		String base = url.getScheme() + "://" + url.getAuthority();
		if (transport.equals("sse")) {
			return HttpClientSseClientTransport.builder(base).sseEndpoint(url.getPath()).build();
		}
		return HttpClientStreamableHttpTransport.builder(base).endpoint(url.getPath()).build();
	}

	// Its synchronous client gives each notification to a thread of its own, so that their order
	// is lost; this one calls as they arrive.
	static McpAsyncClient client(McpClientTransport link, Map<String, Object> answers) {
		var elicited = JSON.convertValue(answers.get("elicitation"), ElicitResult.class);
		var sampled = JSON.convertValue(answers.get("sampling"), CreateMessageResult.class);
		var roots = JSON.convertValue(answers.get("roots"), Root[].class);
		return McpClient.async(link).requestTimeout(LIMIT).initializationTimeout(LIMIT)
				.clientInfo(Implementation.builder("common", "1.0.0").build())
				.capabilities(ClientCapabilities.builder().elicitation(true, false).sampling()
						.roots(true).build())
				.roots(roots)
				.elicitation(params -> asked("elicitation/create", params, elicited))
				.sampling(params -> asked("sampling/createMessage", params, sampled))
				.loggingConsumer(params -> came("logs", params))
				.progressConsumer(params -> came("progress", params))
				.build();
	}

	static Map<String, Object> run(McpAsyncClient client, Map<String, Object> job)
			throws Exception {
		Record record = current = new Record();
		String tool = (String) job.get("tool");
		Map<String, Object> outcome = new LinkedHashMap<>();
		try {
			outcome.put("result", client.callTool(CallToolRequest.builder(tool)
					.arguments(map(job.get("args"))).progressToken("of " + tool)
					.build()).block(LIMIT));
		} catch (RuntimeException error) { // the job's outcome, whatever it is
			outcome.put("error", error.toString());
		}
		outcome.putAll(record.complete(map(job.get("expect"))));
		return outcome;
	}

	static String runAll(String[] words) throws Exception {
		String text = Files.readString(Path.of(words[0]));
		Map<String, Object> common = map(JSON.readValue(text, Map.class));
		if (!words[1].equals("legacy")) throw new IllegalArgumentException("no era " + words[1]);
		var skipped = List.of(System.getenv().getOrDefault("SKIP", "").split(","));
		var link = link(words[2], List.of(words).subList(3, words.length));
		McpAsyncClient client = client(link, map(common.get("answers")));
		client.initialize().block(LIMIT);
		if (client.getServerCapabilities().logging() != null) {
			client.setLoggingLevel(LoggingLevel.INFO).block(LIMIT);
		}
		var tools = client.listTools().block(LIMIT).tools();
		Map<String, Object> jobs = new LinkedHashMap<>();
		for (Object one : (List<?>) common.get("jobs")) {
			Map<String, Object> job = map(one);
			String tool = (String) job.get("tool");
			if (job.containsKey("through") || skipped.contains(tool)) continue;
			jobs.put(tool, run(client, job));
		}
		client.closeGracefully().block(LIMIT);
		return JSON.writeValueAsString(Map.of("tools", tools, "jobs", jobs));
	}

	public static void main(String[] words) {
		int status = 1;
		try {
			new PrintStream(System.out, true, StandardCharsets.UTF_8).println(runAll(words));
			status = 0;
		} catch (Exception error) {
			error.printStackTrace();
		}
		System.exit(status); // threads of the client may go on
	}
}

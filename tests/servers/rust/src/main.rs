//! The common server on rmcp: common COMMON_JSON TRANSPORT [PORT]; ../../common.json.
#![allow(deprecated)] // sampling, roots and logging, which revision 2026-07-28 discourages

use std::{io::Write, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt, elicit_safe,
    handler::server::{
        router::tool::{ToolRoute, ToolRouter},
        tool::{InputResponses, ToolCallContext},
        wrapper::{Json, Parameters},
    },
    model::*,
    service::RequestContext,
    tool, tool_router,
    transport::{
        stdio,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::RwLock;

type Answer = Result<CallToolResult, ErrorData>;

fn text(words: impl Into<String>) -> Answer {
    Ok(CallToolResult::success(vec![ContentBlock::text(words)]))
}

fn failed(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn mark(word: &str) {
    let path = std::env::var("MARKS").expect("MARKS");
    let file = std::fs::File::options().append(true).create(true).open(path);
    writeln!(file.expect("a file for marks"), "{word}").expect("a mark");
}

#[derive(Deserialize, JsonSchema)]
struct Named {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Place {
    city: String,
}

#[derive(Deserialize, JsonSchema)]
struct Limit {
    to: u32,
}

#[derive(Serialize, JsonSchema)]
struct Wind {
    knots: u32,
    from: String,
}

#[derive(Serialize, JsonSchema)]
struct Weather {
    city: String,
    degrees: f64,
    wind: Wind,
    warnings: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Person {
    name: String,
    age: u32,
}
elicit_safe!(Person);

#[derive(Clone)]
struct Common {
    router: Arc<RwLock<ToolRouter<Common>>>, // of all sessions
    picture: String,
}

#[tool_router]
impl Common {
    #[tool(title = "Say hello", description = "Greets a person.")]
    fn hello(&self, Parameters(Named { name }): Parameters<Named>) -> Answer {
        text(format!("Hello, {name}!"))
    }

    #[tool(description = "Weather of a city.")]
    fn weather(&self, Parameters(Place { city }): Parameters<Place>) -> Json<Weather> {
        let wind = Wind { knots: 12, from: "NE".into() };
        Json(Weather { city, degrees: -3.5, wind, warnings: vec![] })
    }

    #[tool(description = "A picture of one point.")]
    fn picture(&self) -> Answer {
        let image = ContentBlock::image(self.picture.clone(), "image/png");
        Ok(CallToolResult::success(vec![ContentBlock::text("one point"), image]))
    }

    #[tool(description = "Fails.")]
    fn fail(&self) -> Answer {
        Ok(CallToolResult::error(vec![ContentBlock::text("the printer has no paper")]))
    }

    #[tool(description = "Counts and reports each step.")]
    async fn count(
        &self,
        Parameters(Limit { to }): Parameters<Limit>,
        context: RequestContext<RoleServer>,
    ) -> Answer {
        let token = context.meta.get_progress_token().ok_or_else(|| failed("no token"))?;
        for step in 1..=to {
            let told = ProgressNotificationParam::new(token.clone(), step.into());
            let told = told.with_total(to.into()).with_message(format!("step {step}"));
            context.peer.notify_progress(told).await.map_err(failed)?;
        }
        text(format!("counted to {to}"))
    }

    #[tool(description = "Logs two messages.")]
    async fn log(&self, context: RequestContext<RoleServer>) -> Answer {
        let messages =
            [(LoggingLevel::Info, json!("one")), (LoggingLevel::Warning, json!({"is": "two"}))];
        for (level, data) in messages {
            let message = LoggingMessageNotificationParam::new(level, data);
            context.peer.notify_logging_message(message).await.map_err(failed)?;
        }
        text("logged")
    }

    #[tool(description = "Asks who it is.")]
    async fn ask(&self, context: RequestContext<RoleServer>) -> Answer {
        let who = context.peer.elicit::<Person>("Who is it?").await.map_err(failed)?;
        let who = who.ok_or_else(|| failed("no content"))?;
        text(format!("accept: {}, {}", who.name, who.age))
    }

    #[tool(description = "Needs to know who it is.")]
    fn form(
        &self,
        InputResponses(responses): InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(who) = responses.as_ref().and_then(|all| all.get("who")) {
            let (name, age) = (&who["content"]["name"], &who["content"]["age"]);
            let words = format!("accept: {}, {age}", name.as_str().unwrap_or_default());
            return text(words).map(Into::into);
        }
        let schema = json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
            "required": ["name", "age"],
        });
        let question = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: "Who is it?".into(),
            requested_schema: serde_json::from_value(schema).map_err(failed)?,
        };
        let mut requests = InputRequests::new();
        requests.insert("who".into(), InputRequest::Elicitation(ElicitRequest::new(question)));
        Ok(InputRequiredResult::new(Some(requests), None).into())
    }

    #[tool(description = "Asks the host's model.")]
    async fn think(&self, context: RequestContext<RoleServer>) -> Answer {
        let question = vec![SamplingMessage::user_text("What is six times seven?")];
        let asked = CreateMessageRequestParams::new(question, 50);
        let answer = context.peer.create_message(asked).await.map_err(failed)?;
        let said = answer.message.content.into_vec();
        let words = said.first().and_then(|block| block.as_text()).map(|block| &block.text);
        text(format!("it thinks: {}", words.ok_or_else(|| failed("no text"))?))
    }

    #[tool(description = "The roots of the host.")]
    async fn roots(&self, context: RequestContext<RoleServer>) -> Answer {
        let listed = context.peer.list_roots().await.map_err(failed)?;
        text(listed.roots.iter().map(|root| root.uri.clone()).collect::<Vec<_>>().join(","))
    }

    #[tool(description = "Adds a tool.")]
    async fn grow(&self, context: RequestContext<RoleServer>) -> Answer {
        let schema = json!({"type": "object"}).as_object().cloned().unwrap_or_default();
        let grown = Tool::new("grown", "Is there after grow.", Arc::new(schema));
        let route = ToolRoute::new_dyn(grown, |_| Box::pin(async { text("I am new").map(Into::into) }));
        self.router.write().await.add_route(route);
        context.peer.notify_tool_list_changed().await.map_err(failed)?;
        text("grown")
    }

    #[tool(description = "Waits until it is cancelled.")]
    async fn wait(&self, context: RequestContext<RoleServer>) -> Answer {
        mark("waiting");
        context.ct.cancelled().await;
        mark("cancelled");
        text("cancelled")
    }
}

impl ServerHandler for Common {
    fn get_info(&self) -> ServerInfo {
        let offers = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_logging()
            .build();
        ServerInfo::new(offers)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let router = self.router.read().await.clone();
        router.call(ToolCallContext::new(self, request, context)).await
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.router.read().await.list_all();
        Ok(ListToolsResult { tools, ..Default::default() })
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let read: Value = serde_json::from_str(&std::fs::read_to_string(&words[1])?)?;
    let jobs = read["jobs"].as_array().ok_or("no jobs")?;
    let picture = jobs.iter().find_map(|job| job["picture"].as_str()).ok_or("no picture")?;
    let router = Arc::new(RwLock::new(Common::tool_router()));
    let common = Common { router, picture: picture.into() };
    if words[2] == "stdio" {
        common.serve(stdio()).await?.waiting().await?;
        return Ok(());
    }
    let config =
        StreamableHttpServerConfig::default().with_legacy_session_mode(words[2] == "http");
    let service: StreamableHttpService<Common, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(common.clone()), Default::default(), config);
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{}", words[3])).await?;
    axum::serve(listener, router).await?;
    Ok(())
}

//! The client of rmcp: client COMMON_JSON ERA TRANSPORT TARGET...; ../../../common.json.
#![allow(deprecated)] // sampling, roots and logging, which revision 2026-07-28 discourages

use std::{env, error::Error, time::Duration};

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::*,
    service::{
        ClientLifecycleMode, ClientServiceExt, NotificationContext, RequestContext, RunningService,
    },
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use tokio::{process::Command, sync::watch, time::timeout};

const CALL: Duration = Duration::from_secs(60);
const LATE: Duration = Duration::from_secs(2);

type Failed = Box<dyn Error>;

/// What came in during one job.
#[derive(Default, Serialize)]
struct Record {
    progress: Vec<Value>,
    logs: Vec<Value>,
    asked: Vec<Value>,
}

struct Host {
    answers: Value,
    record: watch::Sender<Record>,
}

fn plain(received: impl Serialize) -> Value {
    serde_json::to_value(received).expect("what came as JSON is JSON again")
}

impl Host {
    fn answer<T: DeserializeOwned>(answer: Value) -> Result<T, ErrorData> {
        serde_json::from_value(answer)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// rmcp takes `_meta` out of the params that it gives to a handler.
    fn asked(&self, method: &str, params: impl Serialize, context: &RequestContext<RoleClient>) {
        let mut params = plain(params);
        if !context.meta.is_empty() {
            params["_meta"] = plain(&context.meta);
        }
        let question = json!({"method": method, "params": params});
        self.record.send_modify(|record| record.asked.push(question));
    }
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientInfo {
        let offers = json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {}});
        let offers = serde_json::from_value(offers).expect("capabilities");
        ClientInfo::new(offers, Implementation::new("common", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.asked("elicitation/create", params, &context);
        Self::answer(self.answers["elicitation"].clone())
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.asked("sampling/createMessage", params, &context);
        Self::answer(self.answers["sampling"].clone())
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Self::answer(json!({"roots": self.answers["roots"]}))
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.record.send_modify(|record| record.progress.push(plain(params)));
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.record.send_modify(|record| record.logs.push(plain(params)));
    }
}

type Client = RunningService<RoleClient, Host>;

async fn connected(words: &[String], host: Host) -> Result<Client, Failed> {
    let lifecycle = match words[0].as_str() {
        "legacy" => ClientLifecycleMode::Initialize,
        _ => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: None,
        },
    };
    if words[1] == "stdio" {
        let mut command = Command::new(&words[2]);
        command.args(&words[3..]);
        let child = TokioChildProcess::new(command)?;
        return Ok(host.serve_with_lifecycle(child, lifecycle).await?);
    }
    let link = StreamableHttpClientTransport::from_uri(words[2].as_str());
    Ok(host.serve_with_lifecycle(link, lifecycle).await?)
}

async fn run_job(client: &Client, legacy: bool, job: &Value) -> Result<Value, Failed> {
    let record = &client.service().record;
    record.send_replace(Record::default());
    let name = job["tool"].as_str().ok_or("no tool")?.to_string();
    let mut params = CallToolRequestParams::new(name);
    params.arguments = job["args"].as_object().cloned();
    if !legacy {
        params.meta.get_or_insert_default().set_log_level(LoggingLevel::Info);
    }
    let outcome = match timeout(CALL, client.call_tool(params)).await {
        Ok(Ok(result)) => ("result", plain(result)),
        Ok(Err(error)) => ("error", json!(error.to_string())),
        Err(late) => ("error", json!(late.to_string())),
    };
    let expected = |name: &str| job["expect"][name].as_array().map_or(0, Vec::len);
    let (steps, lines) = (expected("progress"), expected("logs"));
    // They may come behind the result; what never comes is for the comparison to say.
    let complete = |now: &Record| now.progress.len() >= steps && now.logs.len() >= lines;
    let mut changes = record.subscribe();
    let _ = timeout(LATE, changes.wait_for(complete)).await;
    let mut done = plain(&*record.borrow());
    done[outcome.0] = outcome.1;
    Ok(done)
}

// rmcp begins a task for each notification; one thread runs them in the order in which they came.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failed> {
    let words: Vec<String> = env::args().skip(1).collect();
    let common: Value = serde_json::from_str(&std::fs::read_to_string(&words[0])?)?;
    let skip = env::var("SKIP").unwrap_or_default();
    let skipped: Vec<&str> = skip.split(',').collect();
    let record = watch::Sender::new(Record::default());
    let client =
        connected(&words[1..], Host { answers: common["answers"].clone(), record }).await?;
    let legacy = words[1] == "legacy";
    if legacy {
        // A server without logs refuses it.
        let _ = client.set_level(SetLevelRequestParams::new(LoggingLevel::Info)).await;
    }
    let tools = client.list_all_tools().await?;
    let mut jobs = Map::new();
    for job in common["jobs"].as_array().ok_or("no jobs")? {
        let tool = job["tool"].as_str().ok_or("no tool")?;
        if job["through"].is_null() && !skipped.contains(&tool) {
            jobs.insert(tool.into(), run_job(&client, legacy, job).await?);
        }
    }
    client.cancel().await?;
    println!("{}", json!({"tools": tools, "jobs": jobs}));
    Ok(())
}

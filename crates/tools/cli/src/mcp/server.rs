//! The protocol's side of the server: lists the tools and calls them.

use super::answers::Answers;
use super::process::Scope;
use super::tools::{self, TOOLS};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};

/// The instructions for assistants.
const INSTRUCTIONS: &str = "texunit executes CUDA programs and PTX kernels on the CPU, with the bits of an NVIDIA GPU; there is no \
    card. Use `check` after each change of a PTX file, `launch` for a kernel described by a job file, `run` for a CUDA \
    program, and `explain_code` for each code of a diagnostic, fault or finding. Paths are relative to the first allowed \
    folder. Long answers have `more`: ask for the next page with `page`.";

#[derive(Clone, Debug)]
pub(super) struct Server {
    scope: Scope,
    answers: Arc<Mutex<Answers>>,
}

impl Server {
    pub(super) fn new(scope: Scope) -> Self {
        Self { scope, answers: Arc::default() }
    }

    /// Calls a tool. The error is a message for the assistant.
    fn call(&self, name: &str, arguments: &Value) -> Result<Value, String> {
        let tool = TOOLS.iter().find(|tool| tool.name == name);
        let tool = tool.ok_or_else(|| format!("there is no tool `{name}`"))?;
        tools::misused(tool, arguments)?;
        let answers = || self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if tool.name == "page" {
            let number = |key: &str| arguments[key].as_u64().unwrap_or(0);
            return answers().page(number("answer"), number("page"));
        }
        Ok(answers().first(tools::call(&self.scope, name, arguments)?))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("texunit", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |tool: &'static tools::Entry| {
            let schema = tools::schema(tool).as_object().cloned().unwrap_or_default();
            let hints = ToolAnnotations::new()
                .read_only(tool.only_reads)
                .destructive(false)
                .open_world(false);
            Tool::new(tool.name.as_str(), tool.description.as_str(), Arc::new(schema))
                .with_annotations(hints)
        };
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let server = self.clone();
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let name = request.name.into_owned();
        // The process runs on another thread, so that the server stays responsive.
        let called = tokio::task::spawn_blocking(move || server.call(&name, &arguments)).await;
        Ok(match called.unwrap_or_else(|error| Err(format!("internal error: {error}"))) {
            Ok(value) => CallToolResult::structured(value),
            Err(why) => CallToolResult::structured_error(json!({ "error": why })),
        }
        .into())
    }
}

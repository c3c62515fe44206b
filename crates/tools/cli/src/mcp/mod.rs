//! `texunit mcp`: a server of the Model Context Protocol over standard input and output, for
//! assistants that write kernels.
//!
//! The protocol is implemented by the crate `rmcp` (`server`). Each tool (`tools`) is a texunit
//! command that runs in a process of its own (`process`), so that a time or memory limit, a crash
//! or a fault ends that process and not the server. `paths` rejects files outside of the allowed
//! folders. Answers are JSON, with long lists in pages (`answers`).

mod answers;
mod capabilities;
mod paths;
mod process;
mod server;
mod tools;

use crate::args::integer;
use clap::Args;
use paths::Allowed;
use process::Scope;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `texunit mcp`.
#[derive(Clone, Debug, Args)]
pub struct McpArgs {
    /// A folder that tools may read and write; may be given more than once. Default: the current
    /// folder.
    #[arg(long, value_name = "DIR")]
    pub allow: Vec<PathBuf>,
    /// Seconds after which a program or launch is ended.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, allow_negative_numbers = true,
          value_parser = integer::<u64>("seconds", 1..=86400))]
    pub timeout: u64,
    /// Maximum bytes of memory of each process that a tool starts.
    #[arg(long, value_name = "BYTES", default_value_t = 8 << 30, allow_negative_numbers = true,
          value_parser = integer::<u64>("bytes", (64 << 20)..=u64::MAX))]
    pub memory_limit: u64,
}

/// Serves until standard input ends; returns the exit code.
pub fn run(args: &McpArgs) -> u8 {
    let here = [PathBuf::from(".")];
    let folders = if args.allow.is_empty() { &here[..] } else { &args.allow };
    let allowed = match Allowed::new(folders) {
        Ok(allowed) => allowed,
        Err(why) => return crate::usage_error("mcp", &why),
    };
    // The limit applies to this process and all processes that it starts.
    if let Err(why) = process::limit_memory(args.memory_limit) {
        return crate::out::error(format_args!("--memory-limit: {why}"), crate::USAGE);
    }
    let server = server::Server::new(Scope { allowed, time: Duration::from_secs(args.timeout) });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return crate::out::error(error, crate::USAGE),
    };
    let served = runtime.block_on(async {
        match server.serve(rmcp::transport::stdio()).await {
            Ok(running) => running.waiting().await.map(drop).map_err(|error| error.to_string()),
            // The client has disconnected before the first request.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    });
    // A thread may be blocked on standard input, and is not waited for.
    runtime.shutdown_background();
    match served {
        Ok(()) => 0,
        Err(why) => crate::out::error(why, crate::FAILED),
    }
}

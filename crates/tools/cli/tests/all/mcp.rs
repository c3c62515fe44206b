//! Tests `texunit mcp` with a client: correcting a wrong kernel step by step, and refused calls.

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use texunit_testkit::TempDir;

/// A client with the server's process.
struct Client {
    service: RunningService<RoleClient, ()>,
    server: tokio::process::Child,
}

impl Client {
    async fn new(folder: &Path, options: &[&str]) -> Self {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_texunit"));
        command.arg("mcp").args(options).current_dir(folder).kill_on_drop(true);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let streams = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
        Self { service: ().serve(streams).await.unwrap(), server }
    }

    /// The result of a tool, and whether it is an error.
    async fn call(&self, name: &'static str, arguments: Value) -> (Value, bool) {
        let arguments = arguments.as_object().cloned().unwrap();
        let call = CallToolRequestParams::new(name).with_arguments(arguments);
        let result = self.service.call_tool(call).await.unwrap();
        let value = result.structured_content.unwrap();
        // Clients without structured content read the result as text.
        let text = json!(result.content)[0]["text"].as_str().unwrap().to_owned();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        (value, result.is_error == Some(true))
    }

    async fn fine(&self, name: &'static str, arguments: Value) -> Value {
        let (value, is_error) = self.call(name, arguments).await;
        assert!(!is_error, "{name}: {value}");
        value
    }

    async fn refused(&self, name: &'static str, arguments: Value) -> String {
        let (value, is_error) = self.call(name, arguments).await;
        assert!(is_error, "{name}: {value}");
        value["error"].as_str().unwrap().to_owned()
    }

    /// The server ends when its input ends.
    async fn end(mut self) {
        self.service.cancel().await.unwrap();
        assert!(self.server.wait().await.unwrap().success());
    }
}

fn block_on(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

/// A kernel with three errors: an unknown suffix of `st`, a missing bound, and rows exchanged with
/// columns.
const WRONG: &str = include_str!("ptx/mcp_wrong.ptx");

const JOB: &str = "ptx = \"k.ptx\"
kernel = \"scale\"
grid = [1]
block = [64]
[params.out]
buffer = { zeros = 128 }
[params.in]
buffer = { zeros = 4096 }
";

fn at<'a>(value: &'a Value, list: &str) -> &'a Value {
    &value[list][0]
}

#[test]
fn from_a_wrong_kernel_to_the_mended_one() {
    let folder = TempDir::new("mcp");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("k.ptx", WRONG);
    write("job.toml", JOB);
    block_on(async {
        let client = Client::new(&folder, &[]).await;
        let tools = client.service.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        let expected = [
            "check",
            "run",
            "launch",
            "explain",
            "debug",
            "profile",
            "explain_code",
            "capabilities",
            "page",
        ];
        assert_eq!(names, expected);
        assert!(tools.iter().all(|tool| tool.input_schema["type"] == "object"));
        // The checker names the suffix, and its code has an explanation.
        let checked = client.fine("check", json!({ "path": "k.ptx" })).await;
        let diagnostic = at(&checked, "diagnostics");
        assert_eq!((&checked["ok"], &diagnostic["line"]), (&json!(false), &json!(17)), "{checked}");
        let code = diagnostic["code"].as_str().unwrap();
        let explained = client.fine("explain_code", json!({ "code": code })).await;
        assert_eq!(at(&explained, "codes")["code"], code, "{explained}");
        write("k.ptx", &WRONG.replace("globl", "global"));
        assert_eq!(client.fine("check", json!({ "path": "k.ptx" })).await["ok"], true);
        // The launch reports the thread and line of the access beyond the bound.
        let launched = client.fine("launch", json!({ "job": "job.toml", "checks": "all" })).await;
        let fault = at(&launched, "findings");
        assert_eq!(
            (&launched["ok"], &fault["kind"]),
            (&json!(false), &json!("out-of-bounds")),
            "{launched}"
        );
        assert_eq!(
            (&fault["thread"][0], &fault["at"]["line"]),
            (&json!(32), &json!(17)),
            "{launched}"
        );
        let bound = WRONG.replace("globl", "global").replace(
            "  ld.param.u64 %rd0",
            "  setp.ge.u32 %p0, %r0, 32;\n  @%p0 ret;\n  ld.param.u64 %rd0",
        );
        write("k.ptx", &bound);
        let launched = client.fine("launch", json!({ "job": "job.toml" })).await;
        assert_eq!(launched["ok"], true, "{launched}");
        // At its store, the debugger shows the value, and which thread wrote the word.
        let commands = ["break ptx:19", "run", "print %r0", "stepi", "last-write *(int *)%rd5"];
        let debugged =
            client.fine("debug", json!({ "job": "job.toml", "commands": commands })).await;
        let output = debugged["output"].to_string();
        assert!(output.contains("Breakpoint 1") && output.contains("$1 = 0"), "{debugged}");
        // The profile has a sector for each lane; a correct row access has four.
        let sectors = async || {
            let counted = client.fine("profile", json!({ "job": "job.toml" })).await;
            at(&counted, "counts")["totals"]["global_load"]["sectors"].clone()
        };
        assert_eq!(sectors().await, 32);
        write("k.ptx", &bound.replace("%r0, 32;\n  add", "%r0, 4;\n  add"));
        assert_eq!(sectors().await, 4);
        client.end().await;
    });
}

#[test]
fn what_is_outside_or_takes_too_long_is_refused() {
    let folder = TempDir::new("mcp");
    let (inside, outside) = (folder.join("in"), folder.join("out"));
    std::fs::create_dir(&inside).unwrap();
    std::fs::create_dir(&outside).unwrap();
    // 300,000 warps of 1,800,000 instructions each: no warp executes so many that its loop counts
    // as endless.
    let long = WRONG.replace("  st.globl.u32 [%rd5], %r1;\n", "  mov.u32 %r2, 0;\nagain:\n  add.u32 %r2, %r2, 1;\n  setp.lt.u32 %p0, %r2, 600000;\n  @%p0 bra again;\n");
    std::fs::write(inside.join("k.ptx"), long).unwrap();
    std::fs::write(
        inside.join("job.toml"),
        JOB.replace("grid = [1]", "grid = [300000]").replace("block = [64]", "block = [32]"),
    )
    .unwrap();
    std::fs::write(inside.join("leaving.toml"), JOB.replace("k.ptx", "../out/k.ptx")).unwrap();
    std::fs::write(outside.join("k.ptx"), WRONG).unwrap();
    std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
    let allowed = inside.to_str().unwrap().to_owned();
    block_on(async {
        let client = Client::new(&folder, &["--allow", &allowed, "--timeout", "1"]).await;
        for path in
            ["../out/k.ptx", "link/k.ptx", outside.join("k.ptx").to_str().unwrap(), "/etc/passwd"]
        {
            let why = client.refused("check", json!({ "path": path })).await;
            assert!(why.contains("outside"), "{path}: {why}");
        }
        let why = client.refused("launch", json!({ "job": "leaving.toml" })).await;
        assert!(why.contains("outside"), "{why}");
        let why =
            client.refused("launch", json!({ "job": "job.toml", "out": "/tmp/elsewhere" })).await;
        assert!(why.contains("outside"), "{why}");
        let why = client.refused("run", json!({ "program": "/bin/true" })).await;
        assert!(why.contains("outside"), "{why}");
        let why = client.refused("launch", json!({ "job": "job.toml" })).await;
        assert!(why.contains("--timeout"), "{why}");
        // Unknown arguments of tools.
        for (tool, arguments) in [
            ("check", json!({})),
            ("check", json!({ "path": 3 })),
            ("check", json!({ "path": "k.ptx", "more": 1 })),
            ("launch", json!({ "job": "job.toml", "checks": "--out=/x" })),
            ("explain_code", json!({ "code": "--help" })),
            ("explain_code", json!({ "code": "E9999" })),
            ("page", json!({ "answer": 9, "page": 1 })),
            ("debug", json!({ "job": "job.toml", "commands": ["source /etc/passwd"] })),
            ("debug", json!({ "job": "job.toml", "commands": ["dir /etc"] })),
            ("undo", json!({})),
        ] {
            assert_ne!(client.refused(tool, arguments).await, "");
        }
        client.end().await;
    });
}

#[test]
fn fetches_are_explained_and_capabilities_listed() {
    let folder = TempDir::new("mcp");
    let examples =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples").canonicalize().unwrap();
    let allowed = examples.to_str().unwrap().to_owned();
    block_on(async {
        let client = Client::new(&folder, &["--allow", &allowed]).await;
        let explained =
            client.fine("explain", json!({ "job": "bicubic/job.toml", "thread": [5, 7] })).await;
        let first = at(&explained, "accesses");
        assert!(first.to_string().contains("tex.2d.v4.f32.f32"), "{explained}");
        let forms = client
            .fine("capabilities", json!({ "what": "instructions", "name": "tex.grad" }))
            .await;
        assert!(!at(&forms, "instructions").is_null(), "{forms}");
        let functions = client.fine("capabilities", json!({ "what": "functions" })).await;
        let more = &functions["more"];
        assert!(more["pages"].as_u64().unwrap() > 1, "{functions}");
        let page = client.fine("page", json!({ "answer": more["answer"], "page": 2 })).await;
        assert_ne!(page["functions"], functions["functions"]);
        let has = client
            .fine("capabilities", json!({ "what": "functions", "name": "cuLaunchKernel" }))
            .await;
        assert_eq!(has["available"], true);
        let not =
            client.fine("capabilities", json!({ "what": "unexecuted", "name": "tcgen05" })).await;
        assert_eq!(at(&not, "unexecuted")["code"], "E0406");
        client.end().await;
    });
}

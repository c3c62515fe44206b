//! `texunit report`: how it recognises files, what the page contains for each, and the page's size.

use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};
use texunit_testkit::TempDir;

fn report(folder: &TempDir, files: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    command.arg("report").args(files.iter().map(|file| folder.join(file)));
    command.arg("-o").arg(folder.join("page.html")).output().unwrap()
}

fn page(folder: &TempDir, files: &[&str]) -> String {
    let done = report(folder, files);
    assert!(done.status.success(), "{done:?}");
    std::fs::read_to_string(folder.join("page.html")).unwrap()
}

fn write(folder: &TempDir, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// A report of a kernel with a finding in a source.
fn of_run(source: &str) -> serde_json::Value {
    json!({
        "texunit": "0.1.0",
        "run": { "command": ["./blur", "<in>"], "exit_code": 0, "milliseconds": 12.5 },
        "devices": ["sm_86"], "launches": 3, "processes": [{ "pid": 1 }], "api_errors": [], "allocations": [],
        "kernels": [
            { "name": "fast", "launches": 1, "threads": 32, "milliseconds": 1.0, "thread_instructions": 9000, "fetches": 0 },
            { "name": "slow", "launches": 2, "threads": 64, "milliseconds": 7.0, "thread_instructions": 500, "fetches": 4 },
        ],
        "fidelity": { "measured_on": "H200", "instructions": [
            { "kernel": "slow", "opcode": "ex2.approx.f32", "class": "assumed", "line": 7, "count": 2, "register": null,
              "reaches": ["output", "branch"] },
            { "kernel": "slow", "opcode": "add.f32", "class": "specified", "line": 8, "count": 5, "register": null },
        ] },
        "faults": [],
        "findings": [{ "level": "warning", "kind": "race", "message": "two threads <meet>", "help": "wait", "notes": [],
            "count": 4, "function": "slow", "block": [1, 0, 0], "thread": [5, 0, 0],
            "place": { "frames": [{ "file": source, "line": 2, "function": "slow", "text": "  x[0] = 1;" }],
                "ptx": { "file": "k.ptx", "line": 9, "column": 1, "text": "st.global.u32" } } }],
    })
}

fn tracefile(source: &str) -> String {
    format!("TN:\nSF:{source}\nDA:1,64\nDA:2,0\nend_of_record\n")
}

#[test]
fn a_page_has_what_its_files_have() {
    let folder = TempDir::new("report");
    let source = folder.text("k.cu");
    write(&folder, "k.cu", "int a & b;\n  x[0] = 1;\nend\n");
    write(&folder, "r.data", &of_run(&source).to_string());
    write(&folder, "c.data", &tracefile(&source));
    let page = page(&folder, &["c.data", "r.data"]);
    // The kernels are ordered by time, or by counts.
    let (slow, fast) =
        (page.find("<code>slow</code>").unwrap(), page.find("<code>fast</code>").unwrap());
    assert!(slow < fast);
    assert!(page.rfind("<code>fast</code>").unwrap() > fast);
    for part in [
        "two threads &lt;meet&gt;",
        "int a &amp; b;",
        "class=\"finding warning\"",
        "href=\"#s0-2\"",
        "id=\"s0-2\" class=\"cn\"",
        "output, branch",
        "./blur &lt;in&gt;",
        "12.5 ms",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(
        !page.contains("<script") && !page.contains("http:") && !page.contains("https:"),
        "{page}"
    );
}

#[test]
fn sources_that_are_not_there_are_said() {
    let folder = TempDir::new("report");
    write(&folder, "c.info", &tracefile("/nowhere/k.cu"));
    let page = page(&folder, &["c.info"]);
    assert!(page.contains("is not on this machine") && page.contains("id=\"s0-2\""), "{page}");
}

#[test]
fn what_is_not_whole_is_refused_with_its_name() {
    let folder = TempDir::new("report");
    let whole = of_run("k.cu").to_string();
    write(&folder, "half.json", &whole[..whole.len() / 2]);
    write(&folder, "half.info", "TN:\nSF:a.cu\nDA:1,2\n");
    write(&folder, "else.json", "{\"a\": 1}");
    write(&folder, "empty.json", "");
    write(&folder, "text.md", "# Words\n");
    write(&folder, "good.info", &tracefile("k.cu"));
    std::fs::create_dir(folder.join("folder")).unwrap();
    for (name, why) in [
        ("half.json", "truncated"),
        ("half.info", "truncated"),
        ("else.json", "expected a report"),
        ("empty.json", "empty"),
        ("text.md", "expected a report"),
        ("folder", "no recorded launch"),
        ("absent.json", "No such file"),
    ] {
        let done = report(&folder, &["good.info", name]);
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{name}: {said}");
        assert!(said.contains(&format!("{name}: ")) && said.contains(why), "{name}: {said}");
        assert!(!folder.join("page.html").exists());
    }
}

#[test]
fn recorded_textures_are_shown_with_their_fetches() {
    let folder = TempDir::new("report");
    let job = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/bicubic/job.toml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    command.arg("report").arg(job).arg("-o").arg(folder.join("page.html"));
    assert!(command.status().unwrap().success());
    let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(
        page.contains("src=\"data:image/png;base64,")
            && page.contains("<code>tex.2d.v4.f32.f32</code>"),
        "{page}"
    );
}

/// 200 kernels of 300 lines each, from a profile and a report.
#[test]
fn pages_of_many_kernels_stay_small() {
    let folder = TempDir::new("report");
    let (mut tracefile, mut kernels) = (String::new(), Vec::new());
    for kernel in 0..200 {
        write(
            &folder,
            &format!("k{kernel}.cu"),
            &"    float sum = a[threadIdx.x] * 0.5f + b[threadIdx.x];\n".repeat(300),
        );
        writeln!(tracefile, "TN:\nSF:{}", folder.text(&format!("k{kernel}.cu"))).unwrap();
        (1..=300).for_each(|line| writeln!(tracefile, "DA:{line},{}", line * 977).unwrap());
        tracefile += "end_of_record\n";
        kernels.push(json!({ "name": format!("kernel_{kernel}"), "launches": kernel, "threads": 1024, "milliseconds": kernel,
            "thread_instructions": kernel * 1000, "fetches": 1 }));
    }
    let mut run = of_run("k.cu");
    run["kernels"] = json!(kernels);
    write(&folder, "r.json", &run.to_string());
    write(&folder, "c.info", &tracefile);
    let page = page(&folder, &["r.json", "c.info"]);
    assert!(page.len() <= 5 << 20, "{}", page.len());
    assert!(page.contains("kernel_199") && page.contains("left out: "));
}

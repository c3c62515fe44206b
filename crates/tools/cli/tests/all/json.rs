//! `--format json` always prints one object (tests/cli has such reports); and exit codes of wrong
//! usage.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use texunit_testkit::{TempDir, skipped};

/// Runs the program in tests/cli; returns its output and the output folder.
fn texunit(name: &str, args: &[&str]) -> (Output, TempDir) {
    let folder = TempDir::new(&format!("json-{name}"));
    let out = folder.text("out");
    let output = Command::new(env!("CARGO_BIN_EXE_texunit"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/cli"))
        .args(args)
        .args(if args.first() == Some(&"launch") { vec!["--out", &out] } else { vec![] })
        .output()
        .unwrap();
    (output, folder)
}

fn launch(job: &str, args: &[&str]) -> (Value, Option<i32>, TempDir) {
    let args = [&["launch", job, "--format", "json"], args].concat();
    let (output, folder) = texunit(job, &args);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1);
    (serde_json::from_str(&text).unwrap(), output.status.code(), folder)
}

/// `%clock` is not compiled: it is interpreted between compiled blocks.
#[test]
fn what_was_interpreted_is_in_the_report_and_in_the_text() {
    let folder = TempDir::new("json-interpreted");
    folder.file(
        "k.ptx",
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 to)\n{\n\
         .reg .u32 %r<4>; .reg .pred %p; .reg .u64 %rd;\n.loc 1 3 1\nmov.u32 %r1, 0; mov.u32 %r2, 0;\n\
         L:\n.loc 1 4 7\nmov.u32 %r3, %clock;\n.loc 1 5 1\nxor.b32 %r2, %r2, %r3;\n\
         add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, 50;\n@%p bra L;\n\
         ld.param.u64 %rd, [to];\nst.global.u32 [%rd], %r2;\nret;\n}\n.file 1 \"k.cu\"\n",
    );
    let job = "ptx = \"k.ptx\"\nkernel = \"k\"\ngrid = 1\nblock = 32\n[params.0]\nbuffer = { size = 4 }\n";
    folder.file("k.toml", job);
    let run = |jit: &str, options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
        command.current_dir(&*folder).args(["launch", "k.toml"]).args(options);
        let output = command.env("TEXUNIT_JIT", jit).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let title = "interpreted in the middle of machine code:";
    let off = run("off", &["--quiet", "--interpreted"]);
    assert_eq!(off, format!("{title} nothing\n"));
    assert_eq!(run("always", &["--quiet"]), "");
    let text = run("always", &["--quiet", "--interpreted"]);
    let report: Value = serde_json::from_str(&run("always", &["--format", "json"])).unwrap();
    let rows = report["interpreted"].as_array().unwrap();
    let clock = rows.iter().find(|row| row["instruction"] == "mov.u32 %r3, %clock;");
    let Some(row) = clock else {
        assert_eq!(text, off);
        return skipped("no machine code is made here: no AVX2, or TEXUNIT_SIMD says so");
    };
    assert_eq!((&row["line"], &row["column"]), (&json!(11), &json!(1)));
    // The first execution may precede compilation.
    let count = row["count"].as_u64().unwrap();
    assert!((49..=51).contains(&count), "{count}");
    assert_eq!((&row["frames"][0]["file"], &row["frames"][0]["line"]), (&json!("k.cu"), &json!(4)));
    let line = format!("\n{count:>12}  mov.u32 %r3, %clock;  k.cu:4:7 in k (k.ptx:11:1)\n");
    assert!(text.starts_with(title) && text.contains(&line), "{text}");
}

/// Every instruction form of the kernel and its callees has a performance class, whatever the
/// device.
#[test]
fn what_is_known_of_instructions() {
    let folder = TempDir::new("json-fidelity");
    folder.file(
        "k.ptx",
        ".version 8.0\n.target sm_80\n.address_size 64\n.func f(.reg .f64 %a)\n{\n.reg .f64 %d;\n\
         rsqrt.approx.f64 %d, %a;\nret;\n}\n.visible .entry k()\n{\n.reg .u32 %r; .reg .f32 %f; .reg .f64 %d; .reg .pred %p;\n\
         setp.eq.u32 %p, 1, 0;\nmov.u32 %r, %tid.x; mov.u32 %r, %clock;\n@!%p\trcp.approx.ftz.f32 %f, 0f40400000;\n\
         rcp.approx.ftz.f32 %f, %f;\nmov.f64 %d, 0d4000000000000000;\ncall f, (%d);\nret;\n}\n\
         .visible .entry other() { trap; }\n",
    );
    folder.file("k.toml", "ptx = \"k.ptx\"\nkernel = \"k\"\ngrid = 1\nblock = 32\n");
    let run = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
        let output = command
            .current_dir(&*folder)
            .args(["launch", "k.toml"])
            .args(options)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let json = |options: &[&str]| {
        let [text, _] = run(&[&["--format", "json"], options].concat());
        serde_json::from_str::<Value>(&text).unwrap()["fidelity"].clone()
    };
    let row = |opcode: &str, line: u32, count: u32, class: &str, register: Option<&str>| {
        json!({
            "kernel": "k", "function": "k", "opcode": opcode, "line": line, "count": count, "class": class, "register": register,
            "reaches": [],
        })
    };
    let rows = |reciprocal: &str, root: &str| {
        json!({ "measured_on": "NVIDIA H200", "instructions": [
            row("rsqrt.approx.f64", 7, 1, root, None),
            row("ret", 8, 2, "specified", None),
            row("setp.eq.u32", 13, 1, "specified", None),
            row("mov.u32", 14, 1, "specified", None),
            row("mov.u32", 14, 1, "not_card", Some("%clock")),
            row("rcp.approx.ftz.f32", 15, 2, reciprocal, None),
            row("mov.f64", 17, 1, "specified", None),
            row("call", 18, 1, "specified", None),
        ]})
    };
    assert_eq!(json(&["--arch", "sm_86"]), rows("measured", "assumed"));
    assert_eq!(json(&["--approx", "rounded"]), rows("not_card", "not_card"));
    let note = "note: 1 instruction is assumed: rsqrt.approx.f64 (line 7); 1 instruction is known to differ from a card: \
                mov.u32 of %clock (line 14)\n";
    assert_eq!(run(&[])[1], note);
    assert_eq!(run(&["--quiet"])[1], "");
}

/// Each deprecated name gives one warning, with the changes for all its places.
#[test]
fn old_names_are_warnings_with_a_fix() {
    let cli = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/cli");
    let folder = TempDir::new("json-old-names");
    std::fs::create_dir(folder.join("explain")).unwrap();
    for name in ["gradients.ptx", "explain/grid.png"] {
        std::fs::copy(cli.join(name), folder.join(name)).unwrap();
    }
    let run = |text: &str| {
        folder.file("job.toml", text);
        let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
        command.current_dir(&*folder).args(["launch", "job.toml", "--format", "json"]);
        let output = command.output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]), "{text}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let text = std::fs::read_to_string(cli.join("old-names.toml")).unwrap();
    let mut text = text.replace("\"bothe\"", "\"both\"");
    let report = run(&text);
    let warnings = report["warnings"].as_array().unwrap();
    let told: Vec<_> =
        warnings.iter().map(|w| [&w["code"], &w["severity"], &w["message"]]).collect();
    let expected = [
        "`read` is called `read_mode`",
        "`filter` is called `filter_mode`",
        "`mip_filter` is called `mipmap_filter_mode`",
        "`normalized` is called `normalized_coords`",
    ];
    let expected = expected.map(|message| [json!("J0012"), json!("warning"), json!(message)]);
    assert_eq!(told, expected.each_ref().map(|row| row.each_ref()));
    // After the fixes, the job has no warnings and the same results.
    let number = |edit: &Value, key: &str| edit[key].as_u64().unwrap() as usize;
    let place = |edit: &Value, line: &str, column: &str| {
        let before: usize = text.lines().take(number(edit, line) - 1).map(|l| l.len() + 1).sum();
        before + number(edit, column) - 1
    };
    let mut edits: Vec<_> = warnings
        .iter()
        .flat_map(|w| w["fix"].as_array().unwrap())
        .map(|edit| {
            let range = place(edit, "line", "column")..place(edit, "end_line", "end_column");
            (range, edit["text"].as_str().unwrap())
        })
        .collect();
    assert_eq!(edits.len(), 6);
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    for (range, new) in edits {
        text.replace_range(range, new);
    }
    let again = run(&text);
    assert_eq!((&again["warnings"], &again["fetches"]), (&json!([]), &report["fetches"]), "{text}");
}

#[test]
fn gradients_by_txd_are_counted() {
    let (report, _, _) = launch("via-txd.toml", &[]);
    assert_eq!((&report["gradients"], &report["fetches"]), (&json!(null), &json!(6)));
    let (output, _) = texunit("via-txd.toml", &["launch", "via-txd.toml", "--via-txd"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let line = "gradients: 3 by TXD, 3 by the unit: TXD has no 3d coordinates (3)";
    assert_eq!(text.lines().nth(1), Some(line), "{text}");
}

#[test]
fn accesses_past_the_end_are_faults_or_counted() {
    let run = |bounds: &str, format: &str| {
        let args = ["launch", "fault-store.toml", "--bounds", bounds, "--format", format];
        let (output, folder) = texunit(&format!("{bounds}-{format}"), &args);
        let written = std::fs::read(folder.join("out/out.raw")).ok().map(|bytes| bytes.len());
        (String::from_utf8(output.stdout).unwrap(), output.status.code(), written)
    };
    let (text, code, written) = run("exact", "json");
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &report["fault"]["unnoticed"], written), (Some(1), &json!(true), None));
    let help = report["fault"]["help"].as_str().unwrap();
    assert!(help.contains("--bounds hardware"), "{help}");
    let (text, code, written) = run("hardware", "json");
    let report: Value = serde_json::from_str(&text).unwrap();
    // 64 bytes are 16 words, and 32 threads store one each.
    assert_eq!((code, &report["accesses_past_end"]), (Some(0), &json!(16)));
    assert_eq!(written, Some(64), "no more than the buffer has");
    let (text, _, _) = run("hardware", "human");
    assert!(text.contains(", 16 accesses past the end of an object"), "{text}");
}

#[test]
fn a_job_that_is_not_there() {
    let (report, code, _) = launch("no-such.toml", &[]);
    assert_eq!(code, Some(1));
    assert_eq!(report["errors"][0]["message"], json!("`no-such.toml`: no such file"));
    assert_eq!(report["errors"][0]["file"], json!("no-such.toml"));
    assert_eq!(report["kernel"], json!(null));
    let (report, _, _) = launch("files/warning.toml", &[]);
    assert_eq!(report["warnings"].as_array().map(Vec::len), Some(1), "{report}");
}

#[test]
fn usage() {
    for args in [
        &["launch"][..],
        &["launch", "a.toml", "--colour"],
        &["launch", "a.toml", "--threads", "many"],
        &["launch", "a.toml", "--max-steps", "0"],
        &["launch", "a.toml", "--format", "xml"],
        &["launch", "a.toml", "--arch", "sm_7"],
        &["lunch", "a.toml"],
        &[],
    ] {
        let (output, _) = texunit("usage", args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{args:?}");
    }
    let (output, _) = texunit("usage", &["--version"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, format!("texunit {}\n", env!("CARGO_PKG_VERSION")).into_bytes());
}

/// An output that cannot be written is an error, and leaves no partial file.
#[test]
fn output_folder_is_a_file() {
    let folder = TempDir::new("json-file");
    let file = folder.file("file", b"here");
    let output = Command::new(env!("CARGO_BIN_EXE_texunit"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/cli"))
        .args(["launch", "ok-fill.toml", "--out", file.to_str().unwrap()])
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("error: cannot write"), "{message}");
    assert_eq!(std::fs::read(&file).unwrap(), b"here");
}

/// Failures are reported on standard error, even if standard output is full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_hides_nothing() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_texunit"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/cli"))
        .args(["launch", "fault-talks.toml"])
        .stdout(full)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("error[trap]") && text.contains("cannot print the report"), "{text}");
}

/// An output folder that cannot be created is reported before the launch.
#[test]
fn the_output_folder_is_checked_first() {
    let folder = TempDir::new("json-plain");
    let file = folder.file("file", b"here");
    for out in [file.clone(), file.join("below")] {
        let output = Command::new(env!("CARGO_BIN_EXE_texunit"))
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/cli"))
            .args(["launch", "ok-fill.toml", "--format", "json", "--out"])
            .arg(&out)
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(report["instructions"], json!(null), "it was launched");
        let error = &report["errors"][0];
        assert_eq!(error["file"].as_str(), file.to_str());
        assert!(error["message"].as_str().unwrap().ends_with("expected a folder"), "{error}");
    }
}

/// A bad fetch can be a fault instead of a finding.
#[test]
fn bad_fetches_are_faults_on_request() {
    let (report, code, _) = launch("bad-fetch-geometry.toml", &["--bad-fetch", "fault"]);
    assert_eq!((code, &report["fault"]["kind"]), (Some(1), &json!("texture")));
    assert_eq!((&report["findings"], &report["fault"]["line"]), (&json!(null), &json!(61)));
}

/// Suppressed findings are counted; `--gen-suppressions` writes what suppresses them.
#[test]
fn findings_are_suppressed() {
    let (report, code, _) = launch("checks.toml", &["--check", "sync", "--gen-suppressions"]);
    assert_eq!(code, Some(1));
    let finding = &report["findings"][0];
    assert!(finding["suppression"].as_str().unwrap().contains("at: *checks.ptx:11\n"), "{finding}");
    let all = ["--check", "sync", "--suppressions", "checks.supp"];
    let (report, code, _) = launch("checks.toml", &all);
    assert_eq!((code, &report["findings"]), (Some(0), &json!([])));
    assert_eq!((&report["findings_suppressed"], &report["succeeded"]), (&json!(2), &json!(true)));
    let (report, code, _) = launch("checks.toml", &[]);
    assert_eq!((code, &report["findings"]), (Some(0), &json!(null)));
}

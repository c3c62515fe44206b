//! Runs the kernels of `bench/kernels` on this machine, for `bench/kernels.sh` and `bench/versus.sh
//! --kernels`.
//!
//!     kernels list                           names, and the kind of OpenCL twin, a line of JSON
//!     each
//!     kernels describe NAME DIR              writes the buffers of a case to files, and prints it
//!     as JSON
//!     kernels serve NAME [--threads N]       loads and launches it once, prints the times as a
//!     line of JSON,
//!                                            and then the times of N more runs for each line `N`
//!                                            of standard input
//!
//! `TEXUNIT_CHECK=race` etc. enables checks (docs/checks.md) and prints their findings.
//! `TEXUNIT_PROFILE=1` enables profiling (docs/profile.md). `--small` selects the size for tests.
//! `TEXUNIT_SIMD` and `TEXUNIT_JIT` select the execution tier. Times are those of launches only;
//! buffers that a kernel writes are restored before the next run. Exit codes: 0; 1 a result is
//! wrong or a launch fails; 2 wrong usage.
#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs)]

mod suite;

use serde_json::{Value as Json, json};
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use suite::{
    Case, Check, RunStats, Session, Size, Value, case, differences, digest, expected, names,
};
use texunit_bench::memory;

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut size = Size::Full;
    words.retain(|word| {
        let is_small = word == "--small";
        if is_small {
            size = Size::Small;
        }
        !is_small
    });
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["list"] => list(),
        ["describe", name, folder] => find(name, size).and_then(|case| describe(&case, folder)),
        ["serve", name] => find(name, size).and_then(|case| serve(&case, 1)),
        ["serve", name, "--threads", threads] => match threads.parse() {
            Ok(threads) => find(name, size).and_then(|case| serve(&case, threads)),
            Err(_) => return usage(),
        },
        _ => return usage(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("kernels: {why}");
            ExitCode::from(1)
        }
    }
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: kernels list | describe NAME DIR | serve NAME [--threads N]   [--small]\nNAME: {}",
        names().collect::<Vec<_>>().join(", ")
    );
    ExitCode::from(2)
}

fn find(name: &str, size: Size) -> Result<Case, String> {
    case(name, size).ok_or_else(|| format!("there is no kernel {name}"))
}

fn list() -> Result<(), String> {
    for name in names() {
        let case = find(name, Size::Small)?;
        say(&json!({ "name": name, "twin": case.twin.name(), "texture": case.texture.is_some() }))?;
    }
    Ok(())
}

/// Prints a line of JSON, and flushes it because the caller waits for it.
fn say(line: &Json) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|e| e.to_string())
}

fn values(values: &[Value]) -> Json {
    let value = |value: &Value| match *value {
        Value::Buffer(number) => json!(["buffer", number]),
        Value::Texture => json!(["texture", 0]),
        Value::U32(value) => json!(["u32", value]),
        Value::F32(value) => json!(["f32", value]),
    };
    values.iter().map(value).collect()
}

fn check(check: Check) -> Json {
    match check {
        Check::Scratch => json!("scratch"),
        Check::Equal => json!("equal"),
        Check::Close(absolute, relative) => json!({ "absolute": absolute, "relative": relative }),
        Check::Mostly(share) => json!({ "share": share }),
    }
}

fn describe(case: &Case, folder: &str) -> Result<(), String> {
    let expected = expected(case)?;
    let mut expected = expected.iter();
    let mut buffers = Vec::new();
    for buffer in &case.buffers {
        let file = Path::new(folder).join(format!("{}.{}", case.name, buffer.name));
        let write = |file: &Path, bytes: &[u8]| {
            std::fs::write(file, bytes).map_err(|e| format!("{}: {e}", file.display()))
        };
        write(&file, &buffer.data.bytes)?;
        let mut line =
            json!({ "name": buffer.name, "type": buffer.data.dtype.name(), "file": file });
        if let Some(how) = buffer.written {
            line["check"] = check(how);
            if how != Check::Scratch {
                let data = expected.next().ok_or("the plain loop has too few buffers")?;
                let file = file.with_extension(format!("{}.expected", buffer.name));
                write(&file, &data.bytes)?;
                line["expected"] = json!(file);
            }
        }
        buffers.push(line);
    }
    let launch = |l: &suite::Launch| json!({ "kernel": l.kernel, "grid": l.grid, "block": l.block, "args": values(&l.args) });
    let texture =
        case.texture.map(|t| json!({ "buffer": t.buffer, "extent": t.extent, "linear": t.linear }));
    say(&json!({
        "name": case.name,
        "twin": case.twin.name(),
        "buffers": buffers,
        "texture": texture,
        "launches": case.launches.iter().map(launch).collect::<Json>(),
        "plain": values(&case.plain),
    }))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn serve(case: &Case, threads: usize) -> Result<(), String> {
    let expected = expected(case)?;
    let mut session = Session::new(case, threads)?;
    // The peak is reset, so that the reported peak is that of loading and launching.
    let before = reset_peak();
    let load = session.load()?;
    let RunStats { time, warp_instructions, thread_instructions } = session.run()?;
    let taken = memory("VmHWM:").zip(before).map(|(peak, before)| peak - before);
    let results = session.results();
    for ((name, check, found), expected) in results.iter().zip(&expected) {
        if let Some(wrong) = differences(name, *check, found, expected) {
            return Err(format!("{}: {wrong}", case.name));
        }
    }
    let all = case.buffers.iter().map(|buffer| buffer.data.bytes.len());
    say(&json!({
        "name": case.name,
        "threads": threads,
        "load_ms": milliseconds(load),
        "first_ms": milliseconds(time),
        "digest": format!("{:016x}", digest(&results)),
        "warp_instructions": warp_instructions,
        "thread_instructions": thread_instructions,
        "data_mib": all.sum::<usize>() as f64 / 1_048_576.0,
        "taken_mib": taken,
        "findings": session.findings(),
    }))?;
    drop((results, expected));
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| e.to_string())?;
        let count: u32 = line.trim().parse().map_err(|_| format!("`{line}` is no number"))?;
        let mut times = Vec::new();
        for _ in 0..count {
            session.restore()?;
            times.push(milliseconds(session.run()?.time));
        }
        say(&json!({ "ms": times }))?;
    }
    Ok(())
}

/// Resets the peak memory of this process to the current memory, and returns that in MiB.
fn reset_peak() -> Option<f64> {
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    memory("VmRSS:")
}

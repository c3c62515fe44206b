//! Reasons for refused calls: `--report-api-errors`, `--trace api` and the report.

use crate::commands::{NVCC, Row, SHARED, STATIC, same};
use crate::process::{Ended, run, succeed};
use crate::program::{VARIANTS, build};
use crate::tools::Setup;
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

pub(crate) const TESTS: &[Row] = &[
    ("reasons on standard error", NVCC, reasons),
    ("reasons in trace and report", NVCC, trace_and_report),
    ("no reason is missing in programs with errors", NVCC, programs),
    ("every function of the runtime called wrongly", NVCC, runtime),
];

/// The refusals on standard error.
fn told(ended: &Ended) -> Vec<String> {
    let lines = ended.stderr.lines().filter_map(|line| line.strip_prefix("texunit: "));
    let of_call = |line: &&str| {
        let (name, rest) = line.split_once(": ").unwrap_or_default();
        name.starts_with("cu") && rest.starts_with("cu") | rest.starts_with("CUDA_ERROR")
    };
    lines.filter(of_call).map(without_addresses).collect()
}

/// Replaces long hexadecimal numbers, which differ between runs, by `0x..`.
fn without_addresses(text: &str) -> String {
    let word = |word: &str| match word.strip_prefix("0x") {
        Some(digits) if digits.trim_end_matches([',', ':', ')']).len() > 6 => {
            let end = digits.trim_start_matches(|c: char| c.is_ascii_hexdigit());
            format!("0x..{end}")
        }
        _ => word.to_owned(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// One line with call and reason for each error of the program (refused.txt, with addresses as
/// `0x..`), for every runtime and for functions found through the driver; no lines without the
/// option.
fn reasons(setup: &Setup) -> Result<(), Failed> {
    let refused = std::fs::read_to_string(setup.cases().join("commands/refused.txt"))?;
    let refused: Vec<&str> = refused.lines().collect();
    for variant in [SHARED, STATIC] {
        let program = build(setup, &setup.cases().join("commands/refused.cu"), variant, &[])?;
        let ended = run(setup.run().arg("--report-api-errors").arg(&program), &program)?;
        same(told(&ended), refused.iter().map(|&line| line.to_owned()).collect(), &ended)?;
        let plain = run(setup.run().arg(&program), &program)?;
        same(told(&plain), Vec::new(), &plain)?;
        same(&plain.stdout, &ended.stdout, &ended)?;
        let by_variable =
            run(setup.run().arg(&program).env("TEXUNIT_REPORT_API_ERRORS", "1"), &program)?;
        same(told(&by_variable).len(), refused.len(), &by_variable)?;
    }
    Ok(())
}

/// The trace gives every refusal, and the report each reason once with a count.
fn trace_and_report(setup: &Setup) -> Result<(), Failed> {
    let program = build(setup, &setup.cases().join("commands/refused.cu"), SHARED, &[])?;
    let report = program.with_extension("refused.json");
    let mut command = setup.run();
    command.args(["--trace", "api", "--report"]).arg(&report).arg(&program);
    let ended = run(&mut command, &program)?;
    let pitch = "pitchInBytes 20 is not a multiple of 32, the texture pitch alignment \
                 (CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT)";
    for line in [
        format!("texunit: cudaCreateTextureObject = cudaErrorInvalidValue: {pitch}"),
        format!(" = CUDA_ERROR_INVALID_VALUE: {pitch}"),
    ] {
        if !ended.stderr.contains(&line) {
            return Err(format!("{line} is missing: {ended:?}").into());
        }
    }
    let json: Value = serde_json::from_slice(&std::fs::read(&report)?)?;
    let refused = find(&json, "api_errors").and_then(Value::as_array);
    let refused = refused.ok_or_else(|| format!("no refused calls: {json:#}"))?;
    let of = |reason: &str| {
        let found =
            refused.iter().find(|one| one["reason"].as_str().is_some_and(|r| r.contains(reason)));
        found.ok_or_else(|| format!("{reason}: {json:#}"))
    };
    let one = of("pitchInBytes 20")?;
    same(&one["function"], &Value::from("cudaCreateTextureObject"), &ended)?;
    same(&one["code"], &Value::from("cudaErrorInvalidValue"), &ended)?;
    let many = of("device 9 does not exist")?;
    same(&many["count"], &Value::from(26), &ended)
}

/// A member of a JSON value at any depth.
fn find<'a>(json: &'a Value, name: &str) -> Option<&'a Value> {
    match json {
        Value::Object(all) => all.get(name).or_else(|| all.values().find_map(|v| find(v, name))),
        Value::Array(all) => all.iter().find_map(|value| find(value, name)),
        _ => None,
    }
}

/// The messages of refused runtime calls in a trace, and those messages that are too vague.
fn reasons_of_runtime(ended: &Ended) -> (BTreeSet<&str>, Vec<&str>) {
    let lines = ended.stderr.lines().filter(|line| line.starts_with("texunit: cuda"));
    let refused: BTreeSet<&str> = lines.filter(|line| line.contains(" = cudaError")).collect();
    let is_poor = |line: &&str| {
        let reason = line.split_once(" = cudaError").and_then(|(_, rest)| rest.split_once(": "));
        let reason = reason.map_or("", |(_, reason)| reason);
        let is_short = reason.len() < 9 || !reason.contains(' ') || reason.trim() != reason;
        is_short || reason.contains("a member of a structure")
    };
    let poor = refused.iter().copied().filter(is_poor).collect();
    (refused, poor)
}

/// In programs that make many errors, each refused call has a specific reason.
fn programs(setup: &Setup) -> Result<(), Failed> {
    let mut all = 0;
    for name in ["errors", "texture_descriptors", "copies", "memory_kinds", "functions"] {
        let source = setup.cases().join(format!("{name}.cu"));
        let program = build(setup, &source, VARIANTS[0], &[])?;
        let ended = run(setup.run().args(["--trace", "api"]).arg(&program), &program)?;
        let (refused, poor) = reasons_of_runtime(&ended);
        same(poor, Vec::new(), &ended)?;
        all += refused.len();
    }
    if all < 40 { Err(format!("{all} refused calls only").into()) } else { Ok(()) }
}

/// The runtime's functions with a letter for each parameter: `p` a pointer, `a` an address, `h` a
/// handle, `c` a function, `n` a number, `s` a structure, which is passed differently.
fn signatures(setup: &Setup) -> Vec<(String, String)> {
    let file = setup.root.join("crates/cuda/cudart/data/runtime-functions.txt");
    let text = std::fs::read_to_string(file).unwrap();
    let own = text.lines().filter_map(|line| {
        let line = line.strip_prefix("13:").unwrap_or(line).strip_prefix("fn ")?;
        let (name, parameters) = line.strip_suffix(')')?.split_once('(')?;
        name.starts_with("cuda").then(|| (name.to_owned(), kinds(parameters).collect()))
    });
    own.chain(listed(setup)).collect()
}

/// The letters for parameters, given as `name: type, name: type`.
fn kinds(parameters: &str) -> impl Iterator<Item = char> {
    parameters.split(": ").skip(1).map(|ty| {
        let is = |names: &[&str]| names.iter().any(|name| ty.starts_with(name));
        match ty {
            _ if is(&["Out<", "In<", "InOut<", "Raw", "Text", "*"]) => 'p',
            _ if is(&["CUdeviceptr", "u64"]) => 'a',
            _ if is(&["CUhostFn", "CUstreamCallback", "CUlogs", "CUasync"]) => 'c',
            _ if is(&["cudaExtent", "cudaPitchedPtr", "cudaPos", "Dim3"]) => 's',
            _ if is(&["CUdevice"]) => 'n',
            _ if is(&["CU", "Stream", "Array", "Mipmap"]) => 'h',
            _ => 'n',
        }
    })
}

/// The functions of CUDA 13 that only call one of the driver, as `runtime-api.txt` lists them.
fn listed(setup: &Setup) -> Vec<(String, String)> {
    let read = |file| std::fs::read_to_string(setup.root.join("crates/cuda").join(file)).unwrap();
    let driver: String = read("cuda-abi/data/driver-functions.txt");
    let function = |line: &str| {
        let [symbol, versions, _, call] = line.split(' ').collect::<Vec<_>>()[..] else {
            return None;
        };
        let call = call.rsplit('|').next().filter(|_| versions.contains("13"))?;
        let (name, arguments) = call.strip_suffix(')')?.split_once('(')?;
        let name = format!("fn {}(", name.rsplit(':').next()?);
        let (_, parameters) = driver.lines().find_map(|line| line.split_once(&name)).unwrap();
        let kinds = arguments.split(',').zip(kinds(parameters)).filter(|(name, _)| *name != "0");
        let kinds = kinds.map(|(name, kind)| if name.starts_with('@') { 'p' } else { kind });
        Some((symbol.to_owned(), kinds.collect()))
    };
    read("cudart/data/runtime-api.txt").lines().filter_map(function).collect()
}

/// Calls each function with zeros only, and with each argument wrong in turn.
fn runtime(setup: &Setup) -> Result<(), Failed> {
    let rows: Vec<String> = signatures(setup)
        .into_iter()
        .filter(|(_, types)| !types.is_empty())
        .map(|(name, types)| format!("{{\"{name}\", \"{types}\"}},\n"))
        .collect();
    if rows.len() < 250 {
        return Err(format!("{} functions only", rows.len()).into());
    }
    let source = setup.build.join("runtime_calls.c");
    std::fs::write(source.with_extension("h"), rows.concat())?;
    let template = setup.cases().join("commands/runtime_calls.c");
    let program = setup.build.join("runtime_calls");
    let mut cc = Command::new("cc");
    cc.arg("-w").arg("-I").arg(&setup.build).arg(template).arg("-ldl").arg("-o").arg(&program);
    succeed(&mut cc, &program)?;
    let ended = succeed(setup.run().args(["--trace", "api"]).arg(&program), &program)?;
    let (refused, poor) = reasons_of_runtime(&ended);
    same(poor, Vec::new(), &ended)?;
    if refused.len() < 300 {
        return Err(format!("{} refused calls only: {refused:?}", refused.len()).into());
    }
    Ok(())
}

//! Why calls are refused: `--report-api-errors`, `--trace api` and the report.

use crate::commands::{SHARED, STATIC, Test, same};
use crate::process::{Ended, run};
use crate::program::{VARIANTS, build};
use crate::tools::Setup;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

pub(crate) fn trials(setup: &Setup) -> Vec<Trial> {
    let tests: [(&str, Test); 3] = [
        ("reasons on standard error", reasons),
        ("reasons in trace and report", trace_and_report),
        ("no reason is missing in programs with errors", programs),
    ];
    let skipped = !setup.has(&["nvcc"]);
    let make = |(name, test): (&str, Test)| {
        let setup = setup.clone();
        Trial::test(format!("refused/{name}"), move || test(&setup)).with_ignored_flag(skipped)
    };
    tests.into_iter().map(make).collect()
}

/// What `refused.cu` is refused, in its order. Addresses are `0x..`.
const REFUSED: &[&str] = &[
    "cudaCreateTextureObject: cudaErrorInvalidValue: pitchInBytes 20 is not a multiple of 32, the texture pitch alignment (CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT)",
    "cudaCreateTextureObject: cudaErrorInvalidFilterSetting: filterMode is cudaFilterModeLinear, and the elements are 32-bit integers, which are not filtered: use cudaFilterModePoint",
    "cudaCreateTextureObject: cudaErrorInvalidValue: devPtr 0x.. is not a multiple of 512, the texture alignment (CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)",
    "cudaDestroyTextureObject: cudaErrorInvalidValue: texObject 0x4d is not a texture object: it was destroyed, or never was one",
    "cudaMemcpy: cudaErrorInvalidValue: dst 0x..: 1000 bytes pass the end of the allocation, in which 256 are left (number 1: 256 bytes of device memory (cuMemAlloc) from 0x.. on)",
    "cudaMemcpy: cudaErrorInvalidMemcpyDirection: kind 9 is not a cudaMemcpyKind: those are 0 to 4",
    "cudaMemcpy2D: cudaErrorInvalidPitchValue: width 16 is more than dpitch 8",
    "cudaMemcpyToSymbol: cudaErrorInvalidValue: count 16 from offset 4 on passes the end of the variable, which has 16 bytes",
    "cudaLaunchKernel: cudaErrorInvalidConfiguration: blockDim.x 1025 is not from 1 to 1024, the sizes on this device",
    "cudaLaunchKernel: cudaErrorInvalidValue: sharedMem 100000 is more than 49152, the dynamic shared memory of kernel `fill(int*, int)` (beside 0 bytes of static); CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES (cudaFuncAttributeMaxDynamicSharedMemorySize) raises that up to 101376",
    "cudaLaunchKernel: cudaErrorInvalidDeviceFunction: func 0x.. is not a `__global__` function that the program has registered, nor a handle of one",
    "cudaSetDevice: cudaErrorInvalidDevice: device 9 does not exist: there is one device, 0",
    "cudaStreamSynchronize: cudaErrorInvalidResourceHandle: stream 0x1234 is not a stream: it was destroyed, or never was one",
    "cudaMalloc: cudaErrorMemoryAllocation: size 35184372088832 is more than 12884901616, what is left of the device's 12884901888 bytes of memory",
    "cudaFree: cudaErrorInvalidValue: devPtr 0x.. is not memory that was allocated or registered",
    "cudaGraphCreate: cudaErrorNotSupported: texunit does not provide cudaGraphCreate (docs/cuda-api.md has what it provides)",
    "cudaSetDevice: cudaErrorInvalidDevice: device 9 does not exist: there is one device, 0 (for the 10th time)",
    "cudaDeviceSynchronize: cudaErrorIllegalAddress: this context has ended by a fault of kernel `fill(int*, int)` at ptx:35:1 in fill(int*, int): store of 4 bytes at .global address 0x10, out of bounds: nothing is near this address",
];

/// The refusals that standard error tells of.
fn told(ended: &Ended) -> Vec<String> {
    let lines = ended.stderr.lines().filter_map(|line| line.strip_prefix("texunit: "));
    let of_call = |line: &&str| {
        let (name, rest) = line.split_once(": ").unwrap_or_default();
        name.starts_with("cu") && rest.starts_with("cu") | rest.starts_with("CUDA_ERROR")
    };
    lines.filter(of_call).map(without_addresses).collect()
}

/// Long numbers in hexadecimal, which differ from run to run, as `0x..`.
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

/// One line for each mistake, of the call of the program, with its reason: whatever runtime it has, and as a driver's
/// library finds it. Without the option there are none.
fn reasons(setup: &Setup) -> Result<(), Failed> {
    for variant in [SHARED, STATIC] {
        let program = build(setup, &setup.cases().join("commands/refused.cu"), variant, &[])?;
        let ended = run(setup.run().arg("--report-api-errors").arg(&program), &program)?;
        same(told(&ended), REFUSED.iter().map(|&line| line.to_owned()).collect(), &ended)?;
        let plain = run(setup.run().arg(&program), &program)?;
        same(told(&plain), Vec::new(), &plain)?;
        same(&plain.stdout, &ended.stdout, &ended)?;
        let by_variable =
            run(setup.run().arg(&program).env("TEXUNIT_REPORT_API_ERRORS", "1"), &program)?;
        same(told(&by_variable).len(), REFUSED.len(), &by_variable)?;
    }
    Ok(())
}

/// The trace says each time why, the report once for each reason and how often.
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

/// A member of a JSON value, however deep.
fn find<'a>(json: &'a Value, name: &str) -> Option<&'a Value> {
    match json {
        Value::Object(all) => all.get(name).or_else(|| all.values().find_map(|v| find(v, name))),
        Value::Array(all) => all.iter().find_map(|value| find(value, name)),
        _ => None,
    }
}

/// Programs that make many mistakes: each line of the trace with an error has a reason that says something.
fn programs(setup: &Setup) -> Result<(), Failed> {
    for name in ["errors", "texture_descriptors", "copies", "memory_kinds", "functions"] {
        let source = setup.cases().join(format!("{name}.cu"));
        let program = build(setup, &source, VARIANTS[0], &[])?;
        let ended = run(setup.run().args(["--trace", "api"]).arg(&program), &program)?;
        let mut refused = 0;
        for line in ended.stderr.lines().filter(|line| line.starts_with("texunit: cuda")) {
            let Some((call, rest)) = line.split_once(" = cudaError") else { continue };
            refused += 1;
            let reason = rest.split_once(": ").map_or("", |(_, reason)| reason);
            if reason.len() < 12 || reason.contains("a member of a structure") {
                return Err(format!("{name}: {call}: no reason: {line}").into());
            }
        }
        if refused < 2 && name == "errors" {
            return Err(format!("{name}: {refused} refused calls: {ended:?}").into());
        }
    }
    Ok(())
}

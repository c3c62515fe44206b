//! Settings by environment variables: traces, the report, strictness. Each test runs in a separate
//! process, which is this program started with the name of an ignored test.

use crate::world::*;
use std::ffi::CStr;
use std::io::Write;
use std::process::Command;
use std::ptr::{null, null_mut};
use texunit_cuda_abi::{CUDA_TEXTURE_DESC, CUresult};
use texunit_testkit::{TempDir, skipped};

functions! {
    cuDeviceGetPCIBusId(name: *mut u8, len: i32, device: i32);
}

/// `look` fetches a texel and copies it to the same location of a surface; `prints` prints a line a
/// hundred times.
const PTX: &CStr = ptx!("../ptx/settings.ptx");

/// `beyond` stores a word for each thread.
const BEYOND: &CStr = ptx!("../ptx/settings_beyond.ptx");

/// `wrong` fetches from a texture and by an address, and stores the sum of the results.
const WRONG: &CStr = ptx!("../ptx/settings_wrong.ptx");

/// Runs an ignored test of this file with a variable set; returns standard output and standard
/// error.
fn child(test: &str, variables: &[(&str, &str)]) -> (String, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([&format!("settings::{test}"), "--exact", "--ignored", "--nocapture"]);
    for name in ["TRACE", "REPORT", "STRICT", "DEVICE", "BOUNDS", "BAD_FETCH", "CHECK"] {
        command.env_remove(format!("TEXUNIT_{name}"));
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{out}\n{err}");
    (out, err)
}

fn load(text: &CStr) -> *mut std::ffi::c_void {
    let mut module = null_mut();
    ok!(cuModuleLoadData(&raw mut module, text.as_ptr().cast()));
    module
}

#[test]
#[ignore = "a child process of others"]
fn looks() {
    let world = World::new();
    let module = load(PTX);
    let mut look = null_mut();
    ok!(cuModuleGetFunction(&raw mut look, module, c"look".as_ptr()));
    upload(world.array, &[1.5; 64]);
    let (mut texture, mut surface) = (world.texture, world.surface);
    let mut params = [(&raw mut texture).cast::<u8>(), (&raw mut surface).cast()];
    let params = params.as_mut_ptr();
    ok!(cuLaunchKernel(look, 1, 1, 1, 4, 1, 1, 0, null_mut(), params, null_mut()));
    ok!(cuCtxSynchronize());
    assert_eq!(World::launch(world.bad), CUresult::SUCCESS);
    fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
}

#[test]
fn launches_and_fetches_are_traced() {
    let (_, quiet) = child("looks", &[]);
    assert!(!quiet.contains("launch look") && !quiet.contains("fetch look"), "{quiet}");
    // A fault is always printed with its location.
    assert!(quiet.contains("CUDA_ERROR_ILLEGAL_ADDRESS") && quiet.contains("bad"), "{quiet}");
    let (_, launches) = child("looks", &[("TEXUNIT_TRACE", "launch")]);
    let line = launches.lines().find(|line| line.contains("launch look")).unwrap();
    assert!(line.contains("grid 1x1x1 block 4x1x1 shared 0+0"), "{line}");
    assert!(line.contains("4 fetches, 8 surface accesses"), "{line}");
    let line = launches.lines().find(|line| line.contains("launch bad")).unwrap();
    assert!(line.contains(", fault: "), "{line}");
    assert!(!launches.contains("fetch look"));
    let (_, fetches) = child("looks", &[("TEXUNIT_TRACE", "fetch")]);
    let of = |word: &str| fetches.lines().filter(|line| line.contains(word)).collect::<Vec<_>>();
    for thread in 0..4 {
        let place = format!("fetch look CTA (0, 0, 0) thread ({thread}, 0, 0)");
        let lines = of(&place);
        assert_eq!(lines.len(), 3, "{fetches}");
        let x = format!("{{{thread}, 1}}] -> {{1.5, 0, 0, ");
        assert!(lines[0].contains("tex.2d.v4.f32.s32") && lines[0].contains(&x), "{}", lines[0]);
        // 1.5 is 0x3fc00000; x is in bytes.
        let x = format!("{{{}, 1}}]: {{0x3fc00000}}", 4 * thread);
        for (line, word) in lines[1..].iter().zip(["suld.b.2d", "sust.b.2d"]) {
            assert!(line.contains(word) && line.contains(&x), "{line}");
        }
    }
    let (_, calls) = child("looks", &[("TEXUNIT_TRACE", "api")]);
    assert!(calls.contains("cuLaunchKernel(f=0x") && calls.contains(") = CUDA_SUCCESS"), "{calls}");
    assert!(calls.contains("cuCtxSynchronize() = CUDA_ERROR_ILLEGAL_ADDRESS"), "{calls}");
}

/// `clocks` reads `%clock`, which is not compiled, in a loop.
const CLOCKS: &CStr = ptx!("../ptx/settings_clocks.ptx");

#[test]
#[ignore = "a child process of others"]
fn looks_at_clocks() {
    let _world = World::new();
    let mut function = null_mut();
    ok!(cuModuleGetFunction(&raw mut function, load(CLOCKS), c"clocks".as_ptr()));
    for _ in 0..2 {
        assert_eq!(World::launch(function), CUresult::SUCCESS);
    }
    ok!(cuCtxSynchronize());
}

#[test]
fn a_report_says_what_was_interpreted() {
    let folder = TempDir::new("interpreted");
    let file = folder.join("report.json");
    let path = file.to_str().unwrap();
    child("looks_at_clocks", &[("TEXUNIT_REPORT", path), ("TEXUNIT_JIT", "always")]);
    let text = std::fs::read_to_string(&file).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = report["kernels"][0]["interpreted"].as_array().unwrap();
    let clock = |row: &&serde_json::Value| row["instruction"] == "mov.u32 %r2, %clock;";
    let Some(row) = rows.iter().find(clock) else {
        assert!(rows.is_empty(), "{text}");
        return skipped("no machine code is made here: no AVX2, or TEXUNIT_SIMD says so");
    };
    // A hundred times in each of two launches, except for the first, which may precede compilation.
    let (count, line) = (row["count"].as_u64().unwrap(), &row["place"]["ptx"]["line"]);
    assert!((198..=202).contains(&count) && line == 11, "{text}");
}

#[test]
fn a_report_says_what_is_known_of_instructions() {
    let folder = TempDir::new("fidelity");
    let file = folder.join("report.json");
    child("looks_at_clocks", &[("TEXUNIT_REPORT", file.to_str().unwrap())]);
    let text = std::fs::read_to_string(&file).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = report["fidelity"]["instructions"].as_array().unwrap();
    let short = |row: &serde_json::Value| {
        let part = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
        format!("{} {} {} {}", part("opcode"), row["line"], part("class"), part("register"))
    };
    let found: Vec<_> = rows.iter().map(short).collect();
    assert_eq!(
        found,
        [
            "mov.u32 9 specified -",
            "mov.u32 11 not_card %clock",
            "add.u32 12 specified -",
            "setp.lt.u32 13 specified -",
            "bra 14 specified -",
            "ret 15 specified -"
        ]
    );
}

#[test]
fn a_report_counts_accesses() {
    let folder = TempDir::new("report");
    let file = folder.join("report.json");
    child("looks", &[("TEXUNIT_REPORT", file.to_str().unwrap())]);
    let text = std::fs::read_to_string(&file).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["launches"], 2, "{text}");
    assert_eq!(report["fetches"], 4, "{text}");
    assert_eq!(report["surface_accesses"], 8, "{text}");
    let rows = report["accesses"].as_array().unwrap();
    let found: Vec<_> = rows
        .iter()
        .map(|row| {
            assert!(row["format"].as_str().is_some_and(|f| f.contains("32")), "{row}");
            let geometry = row["geometry"].as_str().unwrap();
            (row["kind"].as_str().unwrap(), geometry, row["count"].as_u64().unwrap())
        })
        .collect();
    let mut wanted = vec![("surface", ".2d", 8), ("texture", ".2d", 4)];
    wanted.retain(|row| !found.contains(row));
    assert!(wanted.is_empty() && found.len() == 2, "{text}");
    let of = |name: &str| {
        let kernels = report["kernels"].as_array().unwrap();
        kernels.iter().find(|kernel| kernel["name"] == name).unwrap().clone()
    };
    assert_eq!(of("look")["accesses"], report["accesses"]);
    assert_eq!(of("bad")["accesses"], serde_json::json!([]));
    assert_eq!(report["faults"][0]["kernel"], "bad");
    assert_eq!(report["faults"][0]["code"], "CUDA_ERROR_ILLEGAL_ADDRESS");
}

/// Launches 32 threads over an allocation of 100 bytes, which a GPU rounds up to 512 bytes (128
/// words).
#[test]
#[ignore = "a child process of others"]
fn goes_beyond() {
    let world = World::new();
    let module = load(BEYOND);
    let mut beyond = null_mut();
    ok!(cuModuleGetFunction(&raw mut beyond, module, c"beyond".as_ptr()));
    let mut to = 0_u64;
    ok!(cuMemAlloc_v2(&raw mut to, 100));
    let mut params = [(&raw mut to).cast::<u8>()];
    let params = params.as_mut_ptr();
    ok!(cuLaunchKernel(beyond, 1, 1, 1, 32, 1, 1, 0, null_mut(), params, null_mut()));
    // SAFETY: the call takes no pointers.
    let code = unsafe { cuCtxSynchronize() };
    writeln!(std::io::stdout(), "after it: {}", code.name()).unwrap();
    assert!(!world.context.is_null());
}

#[test]
fn bounds_are_exact_or_those_of_hardware() {
    for value in ["", "exact", "loose"] {
        let (out, err) = child("goes_beyond", &[("TEXUNIT_BOUNDS", value)]);
        assert!(out.contains("after it: CUDA_ERROR_ILLEGAL_ADDRESS"), "{out}");
        assert!(err.contains("--bounds hardware"), "{err}");
        assert_eq!(err.contains("`loose`"), value == "loose", "{err}");
    }
    let folder = TempDir::new("bounds");
    let file = folder.join("report.json");
    let report = ("TEXUNIT_REPORT", file.to_str().unwrap());
    let (out, _) = child("goes_beyond", &[("TEXUNIT_BOUNDS", "hardware"), report]);
    assert!(out.contains("after it: CUDA_SUCCESS"), "{out}");
    let text = std::fs::read_to_string(&file).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    // Only 25 of the 32 words that the warp accesses are inside the allocation.
    assert_eq!(report["accesses_past_end"], 7, "{text}");
    assert_eq!(report["kernels"][0]["accesses_past_end"], 7, "{text}");
    assert_eq!(report["faults"], serde_json::json!([]));
}

/// Launches twice with fetches that do not match their texture.
#[test]
#[ignore = "a child process of others"]
fn fetches_badly() {
    let world = World::new();
    let module = load(WRONG);
    let mut wrong = null_mut();
    ok!(cuModuleGetFunction(&raw mut wrong, module, c"wrong".as_ptr()));
    let (mut texture, mut out) = (world.texture, 0_u64);
    ok!(cuMemAlloc_v2(&raw mut out, 4));
    let mut params = [(&raw mut texture).cast::<u8>(), (&raw mut out).cast()];
    let params = params.as_mut_ptr();
    // SAFETY: the parameters are those of the kernel.
    let codes = [(); 2].map(|()| unsafe {
        cuLaunchKernel(wrong, 1, 1, 1, 32, 1, 1, 0, null_mut(), params, null_mut());
        cuCtxSynchronize()
    });
    writeln!(std::io::stdout(), "after it: {}", codes[1].name()).unwrap();
}

/// Each pair of instruction and object is reported once, in every form of report, whatever is
/// checked.
#[test]
fn fetches_that_no_texture_fits_go_on_and_are_told() {
    let finding = "error[texture-bad-fetch]";
    for more in [None, Some(("TEXUNIT_BAD_FETCH", "zero")), Some(("TEXUNIT_CHECK", "sync"))] {
        let folder = TempDir::new("bad-fetch");
        for (form, kind) in [
            ("json", "\"kind\": \"texture-bad-fetch\""),
            ("sarif", "\"ruleId\": \"texture-bad-fetch\""),
            ("xml", "type=\"texture-bad-fetch\""),
            ("github", "texunit%3A texture-bad-fetch"),
        ] {
            let file = folder.join(format!("report.{form}"));
            let report = ("TEXUNIT_REPORT", file.to_str().unwrap());
            let variables: Vec<_> = more.into_iter().chain([report]).collect();
            let (out, err) = child("fetches_badly", &variables);
            assert!(out.contains("after it: CUDA_SUCCESS"), "{out}");
            assert_eq!(err.matches(finding).count(), 2, "{err}");
            let call = "cudaMalloc3DArray with a depth";
            assert!(err.contains(call) && err.contains("TEXUNIT_BAD_FETCH=fault"), "{err}");
            assert!(err.contains("checks: 2 findings (2 errors), 4 times in all"), "{err}");
            let text = std::fs::read_to_string(&file).unwrap();
            assert_eq!(text.matches(kind).count(), 2, "{text}");
            if form == "json" {
                let report: serde_json::Value = serde_json::from_str(&text).unwrap();
                let found = report["findings"].as_array().unwrap();
                let of = |key: &str| found.iter().map(|f| f[key].clone()).collect::<Vec<_>>();
                assert_eq!(of("check"), ["texture", "texture"], "{text}");
                assert_eq!(of("count"), [2, 2], "{text}");
                assert!(found[0]["object"].as_str().unwrap().contains("is a 2D array"), "{text}");
                assert!(found[0]["help"].as_str().unwrap().contains(call), "{text}");
                assert_eq!(report["faults"], serde_json::json!([]));
            }
        }
    }
}

#[test]
fn fetches_that_no_texture_fits_can_be_faults() {
    let (out, err) = child("fetches_badly", &[("TEXUNIT_BAD_FETCH", " fault")]);
    assert!(out.contains("after it: CUDA_ERROR_LAUNCH_FAILED"), "{out}");
    assert!(err.contains("error[texture]: the instruction has .3d geometry"), "{err}");
    assert!(!err.contains("texture-bad-fetch]"), "{err}");
    let (out, err) = child("fetches_badly", &[("TEXUNIT_BAD_FETCH", "none")]);
    assert!(out.contains("after it: CUDA_SUCCESS") && err.contains("`none`"), "{out}\n{err}");
}

/// Messages are lost if standard error cannot be written; the program continues.
#[test]
fn a_full_standard_error_does_not_end_the_program() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full");
    let Ok(full) = full() else { return skipped("there is no /dev/full") };
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["settings::looks", "--exact", "--ignored"])
        .env("TEXUNIT_TRACE", "api,launch,fetch");
    let output = command.stderr(full).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
#[ignore = "a child process of others"]
fn has_no_device() {
    fails!(NO_DEVICE, crate::common::cuInit(0));
    let mut count = 7;
    fails!(NO_DEVICE, cuDeviceGetCount(&raw mut count));
}

#[test]
fn devices_that_cannot_be() {
    let many = "sm_75,".repeat(33);
    for (variable, value, said) in [
        ("TEXUNIT_DEVICE", " ,", "names no device"),
        ("TEXUNIT_DEVICE", "sm_7", "unknown device `sm_7`"),
        ("TEXUNIT_DEVICE", &many, "33"),
        ("CUDA_VISIBLE_DEVICES", "1,0", "`1,0`, so the program sees none of 1 device"),
        ("CUDA_VISIBLE_DEVICES", "", ""),
    ] {
        let (_, err) = child("has_no_device", &[(variable, value)]);
        assert!(err.contains(said), "{value}: {err}");
    }
}

/// Values of an NVIDIA H200 with driver 580.159.04, CUDA 13.0, 2026-11-28.
#[test]
#[ignore = "a child process of others"]
fn is_an_h200() {
    let context = context();
    let (mut name, mut bus, mut memory) = ([0_u8; 32], [0_u8; 32], 0);
    ok!(cuDeviceGetName(name.as_mut_ptr(), 32, 0));
    ok!(cuDeviceGetPCIBusId(bus.as_mut_ptr(), 32, 0));
    ok!(cuDeviceTotalMem_v2(&raw mut memory, 0));
    assert!(name.starts_with(b"NVIDIA H200\0") && bus.starts_with(b"0000:00:06.0\0"));
    assert_eq!(memory, 150_109_880_320);
    for (attribute, wanted) in
        [(16, 132), (33, 0), (34, 6), (38, 62_914_560), (126, 4), (102, 1), (107, 0)]
    {
        let mut value = 7;
        ok!(cuDeviceGetAttribute(&raw mut value, attribute, 0));
        assert_eq!(value, wanted, "{attribute}");
    }
    fails!(INVALID_VALUE, cuDeviceGetAttribute(&mut 0, 148, 0));
    ok!(crate::common::cuCtxDestroy_v2(context));
}

#[test]
fn the_card_that_was_measured() {
    child("is_an_h200", &[("TEXUNIT_DEVICE", "h200")]);
}

#[test]
#[ignore = "a child process of others"]
fn makes_textures_that_pass_the_end() {
    context();
    let mut memory = 0;
    ok!(cuMemAlloc_v2(&raw mut memory, 512));
    for size in [512, 516, 1024] {
        let resource = linear(memory, size);
        let (mut texture, how) = (0, CUDA_TEXTURE_DESC::default());
        ok!(cuTexObjectCreate(&raw mut texture, &raw const resource, &raw const how, null()));
    }
}

#[test]
fn textures_that_pass_the_end_of_memory_are_told_once() {
    let (_, err) = child("makes_textures_that_pass_the_end", &[]);
    assert_eq!(err.matches("the allocation ends after 512").count(), 1, "{err}");
    assert!(err.contains("has 516 bytes"), "{err}");
}

const NEWER_DEVICE: &CStr = c".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }\n";
/// The header of PTX as nvcc 13.5 generates it.
const NEWEST: &CStr = c".version 9.5\n.target sm_75\n.address_size 64\n.entry k() { ret; }\n";
const LATER: &CStr = c".version 9.6\n.target sm_75\n.address_size 64\n.entry k() { ret; }\n";

#[test]
#[ignore = "a child process of others"]
fn loads_what_is_newer() {
    context();
    load(NEWEST);
    load(NEWER_DEVICE);
}

#[test]
#[ignore = "a child process of others"]
fn is_refused_what_is_newer() {
    context();
    load(NEWEST);
    let mut module = null_mut();
    let at = &raw mut module;
    fails!(NO_BINARY_FOR_GPU, cuModuleLoadData(at, NEWER_DEVICE.as_ptr().cast()));
    fails!(UNSUPPORTED_PTX_VERSION, cuModuleLoadData(at, LATER.as_ptr().cast()));
}

#[test]
fn a_strict_device_refuses_what_is_newer() {
    let (_, warned) = child("loads_what_is_newer", &[]);
    assert_eq!(warned.matches("warning").count(), 1, "{warned}");
    let program = std::env::current_exe().unwrap();
    let newer = format!(" in {} is for sm_90, and the device is an sm_86: ", program.display());
    assert!(warned.contains(&newer) && warned.contains("--device sm_90"), "{warned}");
    let (_, silent) = child("loads_what_is_newer", &[("TEXUNIT_DEVICE", "sm_90")]);
    assert!(!silent.contains("warning"), "{silent}");
    child("is_refused_what_is_newer", &[("TEXUNIT_STRICT", "1")]);
}

#[test]
fn what_is_not_executed_is_named() {
    let text = c"
.version 8.0
.target sm_90a
.address_size 64
.entry beyond()
{
    wgmma.fence.sync.aligned;
    ret;
}
.entry good() { ret; }
";
    context();
    let module = load(text);
    let mut f = null_mut();
    ok!(cuModuleGetFunction(&raw mut f, module, c"beyond".as_ptr()));
    assert_eq!(World::launch(f), CUresult::NOT_SUPPORTED);
    // The context is still usable, and so are the module's other kernels.
    ok!(cuModuleGetFunction(&raw mut f, module, c"good".as_ptr()));
    assert_eq!(World::launch(f), CUresult::SUCCESS);
    ok!(cuCtxSynchronize());
}

/// The limit for the size of the printf buffer (`CU_LIMIT_PRINTF_FIFO_SIZE`).
const FIFO: u32 = 1;

#[test]
#[ignore = "a child process of others"]
fn prints() {
    context();
    let module = load(PTX);
    let mut f = null_mut();
    ok!(cuModuleGetFunction(&raw mut f, module, c"prints".as_ptr()));
    if std::env::var_os("TEXUNIT_TEST_FIFO").is_some() {
        ok!(cuCtxSetLimit(FIFO, 64));
    }
    assert_eq!(World::launch(f), CUresult::SUCCESS);
}

#[test]
fn printed_text_is_limited() {
    let (out, _) = child("prints", &[]);
    assert_eq!(out.matches("fifoline").count(), 100, "{out}");
    let (out, _) = child("prints", &[("TEXUNIT_TEST_FIFO", "1")]);
    let lines = out.matches("fifoline").count();
    assert!((1..=64 / 9).contains(&lines), "{lines} lines: {out}");
}

/// A fatbin with PTX and optionally machine code of an architecture, whose contents are never read.
fn fatbin(text: &CStr, ptx: u32, machine: Option<u32>) -> Vec<u8> {
    let entry = |kind: u16, architecture: u32, payload: &[u8]| {
        let mut bytes = vec![0; 64];
        bytes[..2].copy_from_slice(&kind.to_le_bytes());
        bytes[4] = 64;
        let size = payload.len().next_multiple_of(8);
        bytes[8..16].copy_from_slice(&(size as u64).to_le_bytes());
        bytes[28..32].copy_from_slice(&architecture.to_le_bytes());
        bytes.extend_from_slice(payload);
        bytes.resize(64 + size, 0);
        bytes
    };
    let mut entries = entry(1, ptx, text.to_bytes());
    entries.extend(machine.into_iter().flat_map(|sm| entry(2, sm, b"\x7fELF")));
    let mut all = 0xba55_ed50_u32.to_le_bytes().to_vec();
    all.extend([1, 0, 16, 0]);
    all.extend((entries.len() as u64).to_le_bytes());
    all.extend(entries);
    all
}

/// PTX for a target, of which one is older than the device. Each has an empty kernel, an empty
/// kernel without parameters (which may be empty in the source, too), and a kernel that is not
/// empty.
fn text_for(target: &str) -> std::ffi::CString {
    let text = format!(
        ".version 7.8\n.target {target}\n.address_size 64\n.visible .entry empty_{target}(.param .u64 p)          {{ ret; }}\n.visible .entry bare_{target}() {{ ret; }}\n.visible .entry full_{target}() {{ .reg .u32 %r<2>; mov.u32 %r1, 0; ret; }}\n"
    );
    std::ffi::CString::new(text).unwrap()
}

#[test]
#[ignore = "a child process of others"]
fn runs_texts_of_two_targets() {
    context();
    let machine = std::env::var("TEXUNIT_TEST_MACHINE").ok().and_then(|sm| sm.parse().ok());
    for (target, ptx) in [("sm_86", 86), ("sm_75", 75)] {
        let (image, mut module) = (fatbin(&text_for(target), ptx, machine), null_mut());
        ok!(cuModuleLoadData(&raw mut module, image.as_ptr().cast()));
        for kernel in ["full", "empty", "empty", "bare"] {
            let name = std::ffi::CString::new(format!("{kernel}_{target}")).unwrap();
            let (mut function, mut p) = (null_mut(), 0_u64);
            ok!(cuModuleGetFunction(&raw mut function, module, name.as_ptr()));
            let mut params = [(&raw mut p).cast::<u8>()];
            let params = if kernel == "empty" { params.as_mut_ptr() } else { null_mut() };
            ok!(cuLaunchKernel(function, 3, 1, 1, 40, 1, 1, 0, null_mut(), params, null_mut()));
        }
    }
}

#[test]
fn ptx_that_is_older_than_the_device_is_noted() {
    let test = "runs_texts_of_two_targets";
    let folder = TempDir::new("older");
    let file = folder.join("report.json");
    let report = ("TEXUNIT_REPORT", file.to_str().unwrap());
    let variables = [("TEXUNIT_TRACE", "launch"), report, ("TEXUNIT_TEST_MACHINE", "86")];
    let (_, said) = child(test, &variables);
    let text = std::fs::read_to_string(&file).unwrap();
    // If a GPU accepts the PTX, its kernel is empty on it as well.
    for machine in ["", "75", "90"] {
        let (_, said) = child(test, &[("TEXUNIT_TEST_MACHINE", machine)]);
        assert!(!said.contains("is empty"), "{machine}: {said}");
    }
    // Printed once for two launches, and not for kernels that are newer or not empty.
    let warnings: Vec<_> = said.lines().filter(|line| line.contains("is empty")).collect();
    let [warning] = warnings[..] else { panic!("{said}") };
    assert!(warning.contains("warning: kernel `empty_sm_75` is empty, though"), "{warning}");
    assert!(warning.contains("`-arch=compute_86`") && warning.contains("TEXUNIT_DEVICE=sm_75"));
    for line in said.lines().filter(|line| line.contains("texunit: launch ")) {
        assert_eq!(line.contains(", PTX for sm_75"), line.contains("_sm_75 "), "{line}");
    }
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let kernels = report["kernels"].as_array().unwrap();
    assert_eq!(kernels.len(), 6);
    for kernel in kernels {
        let old = kernel["name"].as_str().unwrap().ends_with("sm_75");
        let wanted = if old { serde_json::json!("sm_75") } else { serde_json::Value::Null };
        assert_eq!(kernel["ptx_older_than_device"], wanted);
    }
    // On a device of that architecture no text is older.
    let (_, said) = child(test, &[("TEXUNIT_TRACE", "launch"), ("TEXUNIT_DEVICE", "sm_75")]);
    assert!(!said.contains("is empty") && !said.contains("PTX for"), "{said}");
}

const MACHINE_CODE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/machine.fatbin");

#[test]
#[ignore = "a child process of others"]
fn loads_machine_code() {
    unsafe extern "C" {
        fn mmap(at: *mut u8, size: usize, rights: i32, kind: i32, file: i32, from: i64) -> *mut u8;
    }
    use std::os::fd::AsRawFd;
    context();
    let (mut module, bytes) = (null_mut(), std::fs::read(MACHINE_CODE).unwrap());
    let file = std::fs::File::open(MACHINE_CODE).unwrap();
    // SAFETY: PROT_READ, MAP_PRIVATE, at any place.
    let mapped = unsafe { mmap(null_mut(), bytes.len(), 1, 2, file.as_raw_fd(), 0) };
    assert_ne!(mapped.addr(), usize::MAX);
    // An image mapped by the dynamic linker, in memory filled by the program, and in a file named
    // by it.
    for image in [mapped, mapped, bytes.as_ptr().cast_mut()] {
        fails!(NO_BINARY_FOR_GPU, cuModuleLoadData(&raw mut module, image));
    }
    let name = std::ffi::CString::new(MACHINE_CODE).unwrap();
    fails!(NO_BINARY_FOR_GPU, cuModuleLoad(&raw mut module, name.as_ptr()));
}

#[test]
fn machine_code_is_named_by_where_it_is() {
    let (_, said) = child("loads_machine_code", &[]);
    let lines: Vec<_> = said.lines().filter(|line| line.contains("texunit runs PTX")).collect();
    let [library, bytes, file] = lines[..] else { panic!("{said}") };
    assert!(library.contains("the library /") && library.contains("machine.fatbin has"), "{said}");
    assert!(bytes.contains("the image of a module has machine code only"), "{said}");
    assert!(file.contains("machine.fatbin is machine code"), "{said}");
    assert!(lines.iter().all(|line| line.contains("`-arch=compute_86`")), "{said}");
}

//! The environment of a program: other vendors' libraries that cannot run, NVML, and `nvidia-smi`.

use crate::commands::{NVCC, Row, SHARED, STATIC, contains, program, same};
use crate::evidence::{at, code, json, text};
use crate::process::{Ended, run, succeed};
use crate::program::Variant;
use crate::tools::Setup;
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[
    ("a library that cannot run is named when it is called", &["nvcc", "include12"], foreign),
    ("PTX of a program that nvcc has linked", NVCC, relocatable),
    ("NVML says what the driver says", &[], nvml),
    ("NVML for Python", &["nvml"], pynvml),
    ("nvidia-smi", &[], smi),
];

/// A program of tests/cuda/commands in C.
fn compiled(setup: &Setup, name: &str) -> Result<PathBuf, Failed> {
    let file = setup.build.join(name);
    let source = setup.cases().join("commands").join(name).with_extension("c");
    let mut compiler = Command::new("cc");
    succeed(compiler.arg("-w").arg(source).args(["-ldl", "-o"]).arg(&file), &file)?;
    Ok(file)
}

/// Two stripped libraries that contain NVIDIA's runtime, of which one is called: it is named once
/// in every report, and the run fails.
fn foreign(setup: &Setup) -> Result<(), Failed> {
    for variant in [STATIC, Variant { major: 12, ..STATIC }] {
        foreign_of(setup, variant)?;
    }
    Ok(())
}

fn foreign_of(setup: &Setup, variant: Variant) -> Result<(), Failed> {
    let caller = compiled(setup, "library_caller")?;
    let linked = program(setup, "library_inside.cu", variant, &["-shared", "-Xcompiler", "-fPIC"])?;
    let stripped = |name: &str| -> Result<PathBuf, Failed> {
        let library = setup.build.join(name);
        succeed(Command::new("strip").arg("-o").args([&library, &linked]), &library)?;
        Ok(library.canonicalize()?)
    };
    let (called, idle) = (stripped("libcalled.so")?, stripped("libidle.so")?);
    let plus = |library: &Path| format!("+{}", library.display());
    let named = format!("the library {} cannot run", called.display());
    let words = [text(&caller), &plus(&called), text(&idle)];
    let failing = |ended: &Ended| {
        same(&*ended.stdout, "an error 0\nan error 0\nan error 0\n", ended)?;
        same(ended.stderr.matches(&named).count(), 1, ended)?;
        same(ended.stderr.contains("libidle.so"), false, ended)
    };
    failing(&code(setup, &[], &words, 0)?)?;
    let ended = code(setup, &["--error-exitcode", "9"], &words, 9)?;
    failing(&ended)?;
    contains(&ended, "texunit: 1 fault in 1 process; exit code 9 (--error-exitcode)")?;
    for form in ["json", "sarif", "xml", "github"] {
        let report = setup.build.join(format!("foreign.{form}"));
        let github = ["--report-format", "github"];
        let github = if form == "github" { &github[..] } else { &[] };
        code(setup, &[&["--report", text(&report)], github].concat(), &words, 0)?;
        let written = std::fs::read_to_string(&report)?;
        if written.matches(&named).count() != 1 && form != "xml" || !written.contains(&named) {
            return Err(format!("{form}: {written}").into());
        }
        if form == "json" {
            let json = json(&report)?;
            at(&json, "/faults/0/kind", "library")?;
            at(&json, "/processes/0/faults", 1)?;
        }
    }
    // A library that is not called, or that has symbols, is not reported, and nothing fails.
    let nine = ["--error-exitcode", "9"];
    let ended = code(setup, &nine, &[text(&caller), text(&called), text(&idle)], 0)?;
    same(&*ended.stderr, "", &ended)?;
    let ended = code(setup, &nine, &[text(&caller), &plus(&linked), text(&idle)], 0)?;
    same(&*ended.stdout, "success 42\nsuccess 42\nsuccess 42\n", &ended)?;
    same(&*ended.stderr, "", &ended)
}

/// In a program that nvcc has linked with `-rdc=true`, the section that holds PTX in other programs
/// contains only machine code.
fn relocatable(setup: &Setup) -> Result<(), Failed> {
    let both = "-gencode=arch=compute_75,code=[compute_75,sm_75]";
    for (code, has_ptx) in [(both, true), ("-gencode=arch=compute_75,code=sm_75", false)] {
        for compression in ["size", "speed", "none"] {
            let mode = format!("--compress-mode={compression}");
            let linked = program(setup, "device.cu", SHARED, &["-rdc=true", code, &mode])?;
            let ended = run(setup.run().arg(&linked), &linked)?;
            same(ended.stderr.contains("but no PTX"), !has_ptx, &ended)?;
            let recipe = "NVCC_APPEND_FLAGS=\"-gencode=arch=compute_86,code=compute_86\"";
            same(ended.stderr.contains(recipe), !has_ptx, &ended)?;
        }
    }
    // Of PTX for a newer GPU, that of the toolkit's device runtime, for the newest ones, is no
    // part.
    let newer = ["-rdc=true", "-gencode=arch=compute_90,code=compute_90", "-lcudadevrt"];
    let linked = program(setup, "device.cu", SHARED, &newer)?;
    let ended = run(setup.run().arg(&linked), &linked)?;
    same(ended.stdout.lines().next_back(), Some("144"), &ended)?;
    contains(&ended, "is for sm_90, and the device is an sm_86")
}

fn nvml(setup: &Setup) -> Result<(), Failed> {
    let client = compiled(setup, "nvml")?;
    let ended = succeed(setup.run().args(["--device", "rtx3060,h200"]).arg(&client), &client)?;
    let same_facts = "name 1, uuid 1, memory 1, bus 1, capability 1, by uuid 1, by place 1";
    let expected = format!(
        "before: 1\ninit 0, count 0 2\n  before cuInit: 0, then 0: 0 processes\nsame count: 1, same version: 1\n\
         NVIDIA GeForce RTX 3060: {same_facts}\nNVIDIA H200: {same_facts}\n  \
         with memory: 7, then 0: 1 processes, this one: 1, 64 MiB\nmemory 0, free as the driver says: 1\n\
         of another version 25, temperature 3, clock 3, fan 3, utilization 3, too short 7, no device 2\n\
         Not Supported, Unknown Error\nshutdown 0, after it 1\n"
    );
    same(&*ended.stdout, &expected, &ended)?;
    // A device that does not exist.
    let ended = run(setup.run().arg(&client).env("TEXUNIT_DEVICE", "sm_1"), &client)?;
    contains(&ended, "unknown device `sm_1`")
}

fn pynvml(setup: &Setup) -> Result<(), Failed> {
    let script = setup.cases().join("commands/nvml.py");
    let mut command = setup.run();
    command.args(["--device", "sm_86"]).arg("python3").arg(script);
    command.env("PYTHONPATH", setup.file("nvml")).env("PYTHONDONTWRITEBYTECODE", "1");
    let ended = succeed(&mut command, &setup.build.join("pynvml"))?;
    let expected = "1 999 999\n\
        NVIDIA GeForce RTX 3060 12 0 True 0\n\
        GPU-74657875-6e69-7420-6465-766963652030 00000000:01:00.0 0 0\n\
        (8, 6) 13050 5 7\n\
        [] [] 0\n\
        0 0\n\
        NVMLError_NotSupported Not Supported\n\
        NVMLError_NotSupported Not Supported\n\
        NVMLError_NotSupported Not Supported\n\
        NVMLError_NotSupported Not Supported\n\
        NVMLError_NotSupported Not Supported\n\
        NVMLError_NotSupported Not Supported\n\
        NVMLError_InvalidArgument Invalid Argument\n\
        NVMLError_NotFound Not Found\n\
        Uninitialized\n";
    same(&*ended.stdout, expected, &ended)
}

/// `nvidia-smi` is first in the PATH of the program only, and in the folder of `install-libs`.
fn smi(setup: &Setup) -> Result<(), Failed> {
    let files = setup.build.join("nvidia-smi");
    let smi = |device: &str, words: &[&str]| {
        run(setup.run().args(["--device", device, "nvidia-smi"]).args(words), &files)
    };
    let listed = "GPU 0: Tesla T4 (UUID: GPU-74657875-6e69-7420-6465-766963652030)\n\
                  GPU 1: NVIDIA H200 (UUID: GPU-74657875-6e69-7420-6465-766963652031)\n";
    let ended = smi("t4,h200", &["-L"])?;
    same(&*ended.stdout, listed, &ended)?;
    same(ended.status.code(), Some(0), &ended)?;
    let fields = "--query-gpu=index,name,memory.total,compute_cap,temperature.gpu";
    let ended = smi("t4,h200", &[fields, "--format=csv"])?;
    let csv = "index, name, memory.total [MiB], compute_cap, temperature.gpu\n\
               0, Tesla T4, 15360 MiB, 7.5, [N/A]\n1, NVIDIA H200, 143155 MiB, 9.0, [N/A]\n";
    same(&*ended.stdout, csv, &ended)?;
    for (words, expected) in [(["--frobnicate"], 2), (["--help"], 0)] {
        let ended = smi("t4", &words)?;
        same(ended.status.code(), Some(expected), &ended)?;
    }
    let script =
        "nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1; command -v nvidia-smi";
    let ended = run(setup.run().args(["sh", "-c", script]), &files)?;
    let place = setup.libraries.join("shims/nvidia-smi");
    same(&*ended.stdout, &format!("NVIDIA GeForce RTX 3060\n{}\n", place.display()), &ended)?;
    let folder = setup.build.join("installed/shims");
    let _ = std::fs::remove_dir_all(&folder);
    succeed(setup.texunit().arg("install-libs").arg(&folder), &files)?;
    let mut alone = Command::new(folder.join("shims/nvidia-smi"));
    let ended = run(alone.arg("-L").env("TEXUNIT_DEVICE", "t4,h200"), &files)?;
    same(&*ended.stdout, listed, &ended)
}

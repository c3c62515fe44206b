//! Threads load and unload libraries during redirection of runtimes: calls must succeed, memory of
//! unloaded libraries must not be written, and no thread may block forever. The libraries contain
//! an imitation of NVIDIA's runtime, with the function names of a real one.

use crate::commands::{Row, same};
use crate::process::{run, succeed};
use crate::tools::Setup;
use libtest_mimic::Failed;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use texunit_testkit::Random;

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[("threads that load libraries", &[], threads)];

/// Random schedules. `TEXUNIT_LONG_TESTS` runs many more.
fn threads(setup: &Setup) -> Result<(), Failed> {
    let folder = setup.build.join("dlopen");
    libraries(setup, &folder)?;
    let many = if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 200 } else { 1 };
    let mut random = Random::for_test(20_261_123);
    let mut seeds: Vec<u64> = (0..11 * many).map(|_| u64::from(random.u32())).collect();
    // This seed begins with a libcudart.so.12 that is not texunit's, before any library that
    // contains a runtime.
    seeds.push(3);
    for (round, seed) in seeds.into_iter().enumerate() {
        let (threads, steps) = [(8, 150), (2, 400), (1, 600), (16, 100)][round % 4];
        let mut command = setup.run();
        command.arg(folder.join("threads")).args([seed.to_string(), threads.to_string()]);
        let ended = run(command.arg(steps.to_string()).arg(&folder), &folder.join("threads"))?;
        same(&*ended.stdout, "0 wrong, some of each: 1\n", &ended)?;
        same(ended.status.code(), Some(0), &ended)?;
        same(ended.stderr.matches("cannot be replaced").count(), 0, &ended)?;
    }
    Ok(())
}

/// Builds the program and the libraries that it loads.
fn libraries(setup: &Setup, folder: &Path) -> Result<(), Failed> {
    let sources = setup.cases().join("commands");
    std::fs::create_dir_all(folder.join("other"))?;
    let runtime = folder.join("runtime.c");
    std::fs::write(&runtime, runtime_of_12(setup)?)?;
    let (gone, other) = (folder.join("gone.c"), folder.join("other.c"));
    std::fs::write(&gone, "int from_a_missing_library(void) { return 0; }\n")?;
    std::fs::write(&other, "int cudaMalloc(int x) { (void)x; return 998; }\n")?;
    let cc = |name: &str, of: &[&Path], flags: &[&str]| {
        let file = folder.join(name);
        let mut command = Command::new("cc");
        command.current_dir(folder).args(of).args(flags).arg("-o").arg(&file);
        succeed(&mut command, &file)
    };
    let library = sources.join("dlopen_library.c");
    let with_runtime = |name: &str, flags: &[&str]| {
        // Each function needs space for a jump, also the last one of the runtime, which is followed
        // by another function.
        let all = ["-shared", "-fPIC", "-fvisibility=hidden", "-falign-functions=32", "-O1", "-w"];
        cc(name, &[&runtime, &library], &[&all, flags].concat())
    };
    for name in ["libone.so", "libtwo.so", "libthree.so"] {
        with_runtime(name, &[])?;
    }
    with_runtime("libneeds.so", &["-Wl,-rpath,$ORIGIN", "-L.", "-Wl,--no-as-needed", "-lone"])?;
    cc("libgone.so", &[&gone], &["-shared", "-fPIC"])?;
    with_runtime("libmissing.so", &["-DMISSING", "-L.", "-lgone"])?;
    std::fs::remove_file(folder.join("libgone.so"))?;
    with_runtime("libundefined.so", &["-DMISSING"])?;
    cc("libnvrtc.so.99", &[&sources.join("nvrtc_stand_in.c")], &["-shared", "-fPIC"])?;
    let soname = ["-shared", "-fPIC", "-Wl,-soname,libcudart.so.12"];
    cc("other/libcudart.so.12", &[&other], &soname)?;
    cc("threads", &[&sources.join("dlopen_threads.c")], &["-O1", "-ldl", "-lpthread"])?;
    Ok(())
}

/// The functions of a runtime of CUDA 12, each of which returns 999.
fn runtime_of_12(setup: &Setup) -> Result<String, Failed> {
    let needed = setup.root.join("crates/cuda/redirect/data/needed.txt");
    let mut text = String::new();
    for line in std::fs::read_to_string(needed)?.lines().filter(|line| !line.starts_with('#')) {
        let (name, versions) = line.split_once(' ').ok_or("a name and its versions")?;
        if versions.split(',').any(|version| version == "12") {
            writeln!(text, "int {name}(void) {{ return 999; }}")?;
        }
    }
    // By this function, a runtime of CUDA 12 is recognised.
    if !text.contains("cudaGetDeviceProperties_v2") {
        text.push_str("int cudaGetDeviceProperties_v2(void) { return 999; }\n");
    }
    Ok(text)
}

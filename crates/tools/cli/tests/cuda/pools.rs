//! Packages with memory pools: blocks are named, and `--check memory` disables the pools.

use crate::commands::{NVCC, Row, SHARED, STATIC, contains, program, same};
use crate::evidence::{at, json};
use crate::process::{Ended, run, succeed};
use crate::program::Variant;
use crate::tools::Setup;
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};

/// The tests of this module.
pub(crate) const TESTS: &[Row] =
    &[("blocks of PyTorch's pool", NVCC, blocks), ("CuPy's allocator", &[], allocator)];

const NAMED: &str = "memory of the program is a block of PyTorch's memory pool";
const OFF: &str = "PyTorch's memory pool is turned off (--check)";
const VARIABLE: &str = "PYTORCH_NO_CUDA_MEMORY_CACHING";

/// The program, and the folder of a library with the name of PyTorch's.
fn pooled(setup: &Setup, variant: Variant) -> Result<(PathBuf, PathBuf), Failed> {
    let folder = setup.build.join("pools");
    std::fs::create_dir_all(&folder)?;
    let library = program(setup, "pool.cu", variant, &["-shared", "-Xcompiler", "-fPIC"])?;
    std::fs::copy(&library, folder.join("libc10_cuda.so"))?;
    let flags = ["-L", folder.to_str().unwrap(), "-lc10_cuda"];
    Ok((program(setup, "pooled.cu", variant, &flags)?, folder))
}

/// An access beyond an array is found only without the pool, and a report says so once.
fn blocks(setup: &Setup) -> Result<(), Failed> {
    for variant in [SHARED, STATIC] {
        blocks_of(setup, &pooled(setup, variant)?)?;
    }
    Ok(())
}

fn blocks_of(setup: &Setup, (program, folder): &(PathBuf, PathBuf)) -> Result<(), Failed> {
    let ended = |options: &[&str], set: Option<&str>| -> Result<Ended, Failed> {
        let mut command = setup.run();
        command.args(options).arg(program).env("LD_LIBRARY_PATH", folder);
        command.envs(set.map(|value| (VARIABLE, value)));
        Ok(run(&mut command, program)?)
    };
    let report = folder.join("report.json");
    let with_report = ["--fail-on", "warning", "--error-exitcode", "9", "--report"];
    let with_report = [&with_report[..], &[report.to_str().unwrap()]].concat();
    let pooled = ended(&with_report, None)?;
    same(&*pooled.stdout, "cudaSuccess\n", &pooled)?;
    same(pooled.stderr.matches(NAMED).count(), 1, &pooled)?;
    contains(
        &pooled,
        "`texunit run --check memory` turns the pool off, as PYTORCH_NO_CUDA_MEMORY_CACHING=1 does",
    )?;
    // A note is not a failure.
    same(pooled.status.code(), Some(0), &pooled)?;
    let found = json(&report)?;
    at(&found, "/findings/0/kind", "memory-pool")?;
    at(&found, "/findings/0/severity", "note")?;
    at(&found, "/faults", serde_json::json!([]))?;
    for list in ["memory", "all", "memcheck,init"] {
        let alone = ended(&["--check", list], None)?;
        same(&*alone.stdout, "cudaErrorIllegalAddress\n", &alone)?;
        contains(&alone, "error[out-of-bounds]: store of 4 bytes")?;
        same(alone.stderr.matches(OFF).count(), 1, &alone)?;
        same(alone.stderr.contains(NAMED), false, &alone)?;
    }
    // Pools stay enabled unless the check is requested, and if the user says so.
    for options in [&["--check", "memory", "--keep-pools"][..], &["--check", "race"]] {
        let kept = ended(options, None)?;
        same(&*kept.stdout, "cudaSuccess\n", &kept)?;
        same((kept.stderr.matches(NAMED).count(), kept.stderr.contains(OFF)), (1, false), &kept)?;
    }
    for options in [&[][..], &["--check", "memory"]] {
        let own = ended(options, Some("0"))?;
        same(&*own.stdout, "cudaErrorIllegalAddress\n", &own)?;
        same(own.stderr.contains(NAMED) || own.stderr.contains(OFF), false, &own)?;
    }
    Ok(())
}

/// What the program prints of Numba's kernel: its source, then its PTX.
const NUMBA: &str = r#"scatter
// texunit: source <cell 1>
//|\u{e9} = '\\'
//|    pass
.file 1 "/nowhere/<cell 1>"
"#;

/// The allocator of an imitation of CuPy and the linker of one of Numba, together with a
/// `sitecustomize` of the user.
fn allocator(setup: &Setup) -> Result<(), Failed> {
    let packages = setup.cases().join("commands/pools");
    let script = setup.cases().join("commands/pools.py");
    let ended = |options: &[&str], path: &Path| {
        let mut command = setup.run();
        command.args(options).arg("python3").arg(&script);
        let folders = std::env::join_paths([path, &packages]).map_err(|e| e.to_string())?;
        command.env("PYTHONPATH", folders).env("PYTHONDONTWRITEBYTECODE", "1");
        succeed(&mut command, &setup.build.join("pools.py"))
    };
    let none = Path::new("/no folder");
    let off = ended(&["--check", "memory"], none)?;
    let printed = |pool: &str| format!("{pool}\nThe user's. False\n{NUMBA}");
    same(&*off.stdout, &*printed("None pytorch,cupy 1"), &off)?;
    same(&*off.stderr, "", &off)?;
    for options in [&["--check", "all", "--keep-pools"][..], &["--check", "race"], &[]] {
        let kept = ended(options, none)?;
        same(&*kept.stdout, &*printed("a pool None None"), &kept)?;
    }
    // With Python's own `sitecustomize`, or none.
    let mut command = setup.run();
    command.args(["--check", "memory", "python3", "-c", "import sys; print(sys.flags.no_site)"]);
    let plain =
        succeed(command.env("PYTHONDONTWRITEBYTECODE", "1"), &setup.build.join("pools.py"))?;
    same((&*plain.stdout, &*plain.stderr), ("0\n", ""), &plain)
}

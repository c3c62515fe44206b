//! `texunit run --coverage`: compares the coverage of `commands/covered.cu` with a model of its
//! threads.

use crate::clients::add_python;
use crate::commands::{NVCC, Row, SHARED, STATIC, program, same};
use crate::genhtml;
use crate::process::{Ended, run, succeed};
use crate::tools::{Setup, clean};
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use texunit_coverage::{Coverage, File, lcov};

/// Name, required tools of NVIDIA, and the test.
pub(crate) const TESTS: &[Row] = &[
    ("lines and branches, of several processes", NVCC, several),
    ("a file of each process", NVCC, each),
    ("by the lines of the PTX", NVCC, by_ptx),
    ("headers of CUDA", NVCC, headers),
    ("without texunit run", NVCC, alone),
    ("places that cannot be written", NVCC, refused),
    ("programs that are ended", NVCC, ended),
    ("Numba", &["nvcc", "numba"], numba),
];

/// The counts of both directions of each line's branches.
type Branches = BTreeMap<u32, Vec<Vec<u64>>>;

/// The counts of `walk` with a number of threads, by line and by branch.
fn model(threads: u64) -> (BTreeMap<u32, u64>, Branches) {
    let walking = 20.min(threads);
    let thirds = walking.div_ceil(3);
    let turns: u64 = (0..walking).sum();
    let lines = [
        // thrice, stored
        (7, thirds),
        (9, thirds),
        (14, turns),
        // walk
        (18, threads),
        (20, threads),
        (21, threads),
        (23, walking),
        (24, thirds),
        (26, walking - thirds),
        (28, turns.max(walking)),
        (29, turns),
        (30, walking),
        (31, 0),
        (32, threads),
        // never
        (35, 0),
        (37, 0),
        (38, 0),
    ];
    let branches = [
        (21, vec![vec![threads - walking, walking]]),
        (23, vec![vec![thirds, walking - thirds]]),
        // Before the first iteration, and after each: thread 0 has no iterations.
        (28, vec![vec![1, walking - 1], vec![turns - (walking - 1), walking - 1]]),
        (30, vec![vec![walking, 0]]),
    ];
    (lines.into(), branches.into())
}

fn read(file: &Path, of: &Ended) -> Result<Coverage, Failed> {
    let text =
        std::fs::read_to_string(file).map_err(|e| format!("{}: {e} {of:?}", file.display()))?;
    Ok(lcov::parse(&text)?)
}

/// The coverage of the program's own file.
fn own(coverage: &Coverage) -> Result<&File, Failed> {
    let mut files = coverage.files.iter();
    let own = files.find(|(name, _)| Path::new(name).ends_with("tests/cuda/commands/covered.cu"));
    Ok(own.ok_or("the program is not in it")?.1)
}

/// Compares a file's coverage with launches of these numbers of threads.
fn compare(file: &File, launches: &[u64], of: &Ended) -> Result<(), Failed> {
    let mut lines = BTreeMap::new();
    let mut branches = Branches::new();
    for &threads in launches {
        let (of_lines, of_branches) = model(threads);
        for (line, lanes) in of_lines {
            *lines.entry(line).or_insert(0) += lanes;
        }
        for (line, ways) in of_branches {
            let all = branches.entry(line).or_insert_with(|| vec![vec![0; 2]; ways.len()]);
            let pairs = all.iter_mut().flatten().zip(ways.into_iter().flatten());
            pairs.for_each(|(sum, lanes)| *sum += lanes);
        }
    }
    same(&file.lines, &lines, of)?;
    let mut found = Branches::new();
    for (key, ways) in &file.branches {
        found.entry(key.line).or_default().push(ways.clone());
    }
    // The order of a line's branches depends on the compiler.
    found.values_mut().chain(branches.values_mut()).for_each(|all| all.sort_unstable());
    same(&found, &branches, of)?;
    let functions: Vec<_> =
        file.functions.iter().map(|(name, f)| (&**name, f.line, f.lanes)).collect();
    let expected = [
        ("never<float>(float*)", 35, 0),
        ("stored(int volatile*, int)", 14, lines[&14]),
        ("thrice(int)", 7, lines[&7]),
        ("walk(int volatile*, int)", 18, lines[&18]),
    ];
    same(&functions[..], &expected, of)
}

/// The path of a file that does not exist yet.
fn fresh(setup: &Setup, name: &str) -> PathBuf {
    let file = setup.build.join(format!("{name}.{}.info", std::process::id()));
    let _ = std::fs::remove_file(&file);
    file
}

/// The counts of two programs of a shell script, of which one aborts, are summed, and genhtml
/// accepts the file.
fn several(setup: &Setup) -> Result<(), Failed> {
    for variant in [SHARED, STATIC] {
        let program = program(setup, "covered.cu", variant, &["-lineinfo"])?;
        let file = fresh(setup, &format!("several-{}", variant.name()));
        let shell = format!("'{0}' 32; '{0}' 25 abort; '{0}' 7 quit", program.display());
        let mut command = setup.run();
        command.arg("--coverage").arg(&file).args(["bash", "-c", &shell]);
        let ended = succeed(&mut command, &program)?;
        same(&*ended.stdout, "cudaSuccess\ncudaSuccess\ncudaSuccess\n", &ended)?;
        compare(own(&read(&file, &ended)?)?, &[32, 25, 7, 7], &ended)?;
        // On standard output, the coverage follows the program's output.
        let ended =
            succeed(setup.run().args(["--coverage", "-"]).arg(&program).arg("32"), &program)?;
        let text = ended.stdout.strip_prefix("cudaSuccess\n").ok_or("nothing comes before it")?;
        compare(own(&lcov::parse(text)?)?, &[32], &ended)?;
        same(text.contains("/../"), false, &ended)?;
        genhtml::accepts(&file, &file.with_extension("html"))?;
    }
    Ok(())
}

/// CUDA's headers are omitted unless requested, with and without `texunit run`.
fn headers(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "named.cu", SHARED, &["-lineinfo", "-g", "-lcuda"])?;
    for toolkit in [false, true] {
        let file = fresh(setup, "headers");
        let mut command = setup.run();
        command.arg("--coverage").arg(&file);
        command.args(toolkit.then_some("--coverage-toolkit")).arg(&program).arg("texel");
        let ended = succeed(&mut command, &program)?;
        let has_header = |coverage: &Coverage| {
            coverage.files.keys().any(|name| name.ends_with("texture_indirect_functions.h"))
        };
        let coverage = read(&file, &ended)?;
        let has_own = coverage.files.keys().any(|name| name.ends_with("named.cu"));
        same((has_own, has_header(&coverage)), (true, toolkit), &ended)?;
        let mut command = Command::new(&program);
        clean(&mut command);
        command
            .env("LD_LIBRARY_PATH", &setup.libraries)
            .env("TEXUNIT_COVERAGE", &file)
            .arg("texel");
        command.envs(toolkit.then_some(("TEXUNIT_COVERAGE_TOOLKIT", "1")));
        let ended = succeed(&mut command, &program)?;
        same(has_header(&read(&file, &ended)?), toolkit, &ended)?;
    }
    Ok(())
}

/// With `%p`, each process has a file, and nothing is lost of a process that ends with `_exit`.
fn each(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "covered.cu", SHARED, &["-lineinfo"])?;
    let folder = setup.build.join("covered-each");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder)?;
    let shell = format!("'{0}' 32; '{0}' 25 abort; '{0}' 7 quit", program.display());
    let mut command = setup.run();
    command.arg("--coverage").arg(folder.join("%p.info")).args(["bash", "-c", &shell]);
    let ended = succeed(&mut command, &program)?;
    let files: Result<Vec<_>, _> =
        std::fs::read_dir(&folder)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut found = Vec::new();
    for file in files? {
        let coverage = read(&file, &ended)?;
        let own = own(&coverage)?;
        let lanes = own.functions.get("walk(int volatile*, int)").map_or(0, |walk| walk.lanes);
        found.push(lanes);
        let launches: &[u64] = if lanes == 14 { &[7, 7] } else { &[lanes] };
        compare(own, launches, &ended)?;
    }
    found.sort_unstable();
    same(&found[..], &[14, 25, 32], &ended)?;
    // A process can request coverage for itself in a run without coverage.
    let file = folder.join("own.info");
    let shell = format!("TEXUNIT_COVERAGE='{}' '{}' 32", file.display(), program.display());
    let ended = succeed(setup.run().args(["--timeout", "600", "bash", "-c", &shell]), &program)?;
    compare(own(&read(&file, &ended)?)?, &[32], &ended)
}

/// Without `.loc`, the coverage is that of the PTX, which is stored where the tracefile says.
fn by_ptx(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "covered.cu", SHARED, &[])?;
    let file = fresh(setup, "by-ptx");
    let mut command = setup.run();
    command.arg("--coverage").arg(&file).arg(&program);
    let ended = succeed(&mut command, &program)?;
    let coverage = read(&file, &ended)?;
    let (name, ptx) = coverage.files.iter().next().ok_or("it is empty")?;
    let text = std::fs::read_to_string(name)?;
    same(Path::new(name).starts_with(file.with_extension("info.ptx")), true, &ended)?;
    let walk = &ptx.functions["walk(int volatile*, int)"];
    let line = text.lines().nth(walk.line as usize - 1);
    same(line.is_some_and(|line| line.contains(".entry _Z4walkPVii(")), true, &ended)?;
    same(walk.lanes, 32, &ended)?;
    same(ptx.functions["never<float>(float*)"].lanes, 0, &ended)?;
    // Each line has an instruction or a function.
    for (&line, &lanes) in &ptx.lines {
        let text = text.lines().nth(line as usize - 1).unwrap_or_default().trim();
        let is_store = text.starts_with("st.volatile.global") && text.ends_with("%r10;");
        if is_store {
            same(lanes, 13, &ended)?;
        }
        same(text.contains(';') || text.contains('('), true, &ended)?;
    }
    // With --save-ptx, the PTX is in that option's folder.
    let folder = setup.build.join("covered-ptx");
    let mut command = setup.run();
    command.arg("--coverage").arg(&file).arg("--save-ptx").arg(&folder).arg(&program);
    let ended = succeed(&mut command, &program)?;
    let coverage = read(&file, &ended)?;
    same(coverage.files.keys().all(|name| Path::new(name).starts_with(&folder)), true, &ended)?;
    genhtml::accepts(&file, &file.with_extension("html"))?;
    Ok(())
}

/// With `LD_LIBRARY_PATH` and an environment variable only: every process writes its file at exit.
fn alone(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "covered.cu", SHARED, &["-lineinfo"])?;
    let file = fresh(setup, "alone");
    let mut command = Command::new(&program);
    clean(&mut command);
    command.env("LD_LIBRARY_PATH", &setup.libraries).env("TEXUNIT_COVERAGE", &file).arg("32");
    let ended = succeed(&mut command, &program)?;
    compare(own(&read(&file, &ended)?)?, &[32], &ended)
}

/// Runs that end by a time limit, which stops the kernel, or by a signal that cannot be handled.
fn ended(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "covered_endless.cu", SHARED, &["-lineinfo"])?;
    let file = fresh(setup, "ended");
    let shell = format!("'{}' & sleep 3; kill -KILL $!; wait $!; true", program.display());
    for (how, code) in
        [(vec!["--timeout", "1", program.to_str().unwrap()], 124), (vec!["bash", "-c", &shell], 0)]
    {
        let ended = run(setup.run().arg("--coverage").arg(&file).args(&how), &program)?;
        same(ended.status.code(), Some(code), &ended)?;
        let coverage = read(&file, &ended)?;
        let own = coverage.files.values().next().ok_or("it is empty")?;
        let lanes = |line: u32| own.lines.get(&line).copied().unwrap_or(u64::MAX);
        same([2, 4].map(lanes), [32; 2], &ended)?;
        // One CTA or both have begun.
        let (threads, first) = (lanes(7), lanes(10));
        same(threads == 64 || threads == 32, true, &ended)?;
        same((lanes(9), first), (threads, threads / 32), &ended)?;
        same(lanes(12) > 1000 && lanes(13) == 0, true, &ended)?;
    }
    Ok(())
}

/// Coverage of Python lines.
fn numba(setup: &Setup) -> Result<(), Failed> {
    let script = setup.cases().join("commands/covered_numba.py");
    let file = fresh(setup, "numba");
    let mut command = setup.run();
    command.arg("--coverage").arg(&file);
    add_python(setup, &mut command, &script, "numba")?;
    let ended = succeed(&mut command, &setup.build.join("covered-numba"))?;
    // 0 + 2 + ... + 18, and 54 ones.
    same(&*ended.stdout, "144\n", &ended)?;
    let coverage = read(&file, &ended)?;
    let of_script = coverage.files.get(script.to_str().unwrap()).ok_or("no Python in it")?;
    let text = std::fs::read_to_string(&script)?;
    for (mark, lanes) in [("if", 64), ("first", 10), ("elif", 54), ("second", 0), ("last", 54)] {
        let mark = format!("# mark: {mark}");
        let line = text.lines().position(|line| line.ends_with(&mark)).ok_or("no mark")? as u32 + 1;
        same((&mark, of_script.lines.get(&line)), (&mark, Some(&lanes)), &ended)?;
    }
    let mut ways: Vec<u64> = of_script.branches.values().flatten().copied().collect();
    ways.sort_unstable();
    same(&ways[..], &[0, 10, 54, 54], &ended)
}

fn refused(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "covered.cu", SHARED, &["-lineinfo"])?;
    for (file, code, why) in [
        (setup.build.clone(), 125, "it is a folder"),
        (setup.build.join("nowhere/c.info"), 125, "cannot be written"),
        (program.clone(), 2, "is named on the command line, too"),
    ] {
        let ended = run(setup.run().arg("--coverage").arg(&file).arg(&program), &program)?;
        same(ended.status.code(), Some(code), &ended)?;
        same(ended.stderr.contains(why), true, &ended)?;
    }
    Ok(())
}

//! Tests that texunit's libraries do not disturb a process: their symbols are invisible except to
//! programs linked with them, they are found whatever folders a program names, and they work until
//! the very end of the process.

use crate::commands::{DEFAULT, NVCC, Row, SHARED, STATIC, contains, program, same};
use crate::process::{Ended, run, succeed};
use crate::tools::{Setup, clean};
use libtest_mimic::Failed;
use object::{File, Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[
    ("variables called as texunit's functions", &[], variables),
    ("and with a runtime inside the program", NVCC, variables_beside_a_runtime),
    ("contexts in functions of atexit", &[], contexts),
    ("the end of the process", NVCC, ends),
    ("libraries of other folders", NVCC, folders),
];

/// Runs a program with only `LD_LIBRARY_PATH`.
fn by_path(setup: &Setup, program: &Path) -> Command {
    let mut command = Command::new(program);
    clean(&mut command);
    command.env("LD_LIBRARY_PATH", &setup.libraries);
    command
}

/// Runs a program with `texunit run`.
fn by_run(setup: &Setup, program: &Path) -> Command {
    let mut command = setup.run();
    command.arg(program);
    command
}

/// The symbols that a library exports.
fn exported(library: &Path) -> Result<BTreeSet<String>, Failed> {
    let bytes = std::fs::read(library)?;
    let file = File::parse(&*bytes)?;
    let names = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
    Ok(names.filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect())
}

/// Builds a library with a variable for each name, and a function that counts the names bound to
/// another library.
fn library_of(folder: &Path, name: &str, names: &BTreeSet<String>) -> Result<PathBuf, Failed> {
    let (mut all, mut test) = (String::new(), String::new());
    for (i, name) in names.iter().enumerate() {
        writeln!(all, "long {name} = {i};")?;
        writeln!(test, "    count += {name} != {i};")?;
    }
    let (source, library) =
        (folder.join(format!("{name}.c")), folder.join(format!("lib{name}.so")));
    std::fs::write(
        &source,
        format!("{all}int others(void)\n{{\n    int count = 0;\n{test}    return count;\n}}\n"),
    )?;
    let mut cc = Command::new("cc");
    succeed(cc.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source), &library)?;
    Ok(library)
}

/// Such libraries for all names, for those that a runtime does not export, and for those that the
/// driver does not export. `own.c` has the variables for a program that is linked with a runtime.
fn libraries(setup: &Setup, name: &str) -> Result<(PathBuf, [PathBuf; 3]), Failed> {
    let folder = setup.build.join(name);
    std::fs::create_dir_all(&folder)?;
    let mut all = BTreeSet::new();
    for entry in std::fs::read_dir(&setup.libraries)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // `texunit run` does not use the C library.
        if name.contains(".so") && !name.starts_with("libtexunit.so") {
            all.extend(exported(&path)?);
        }
    }
    for one in ["cuInit", "cudaMalloc", "__cudaRegisterFatBinary", "texunit_driver", "la_version"] {
        assert!(all.contains(one), "{one}");
    }
    assert!(all.len() > 1900, "{}", all.len());
    let runtime = exported(&setup.libraries.join("libcudart.so.13"))?;
    let rest: BTreeSet<String> = all.difference(&runtime).cloned().collect();
    // Texunit's libraries find each other by these names.
    let own = rest.iter().filter(|name| !name.starts_with("texunit_core_")).cloned().collect();
    library_of(&folder, "own", &own)?;
    // The driver is linked with the core.
    let driver = exported(&setup.libraries.join("libcuda.so.1"))?;
    let is_other = |name: &&String| !driver.contains(*name) && !name.starts_with("texunit_core_");
    let others = all.iter().filter(is_other).cloned().collect();
    let made = [("all", &all), ("no_runtime", &rest), ("no_driver", &others)];
    let [all, rest, others] = made.map(|(name, names)| library_of(&folder, name, names));
    Ok((folder, [all?, rest?, others?]))
}

fn scope(setup: &Setup, output: &Path, flags: &[&str]) -> Result<(), Failed> {
    let source = setup.cases().join("commands/scope.cu");
    let mut cc = Command::new("cc");
    cc.args(["-x", "c"]).arg(source).args(["-x", "none", "-o"]).arg(output).args(flags).arg("-ldl");
    succeed(&mut cc, output)?;
    Ok(())
}

fn variables(setup: &Setup) -> Result<(), Failed> {
    let (folder, [all, rest, others]) = libraries(setup, "scope")?;
    let [plain, linked, with_driver, own] =
        ["plain", "linked", "with_driver", "own"].map(|name| folder.join(name));
    scope(setup, &plain, &[])?;
    let path = format!("-L{}", setup.libraries.display());
    let found = format!("-Wl,-rpath-link={}", setup.libraries.display());
    scope(setup, &linked, &["-DRUNTIME", &path, "-l:libcudart.so.13"])?;
    scope(setup, &with_driver, &["-Wl,--no-as-needed", &path, &found, "-l:libcuda.so.1"])?;
    // The program defines the names itself, where the dynamic linker looks first.
    let source = folder.join("own.c");
    let source = source.to_str().ok_or("a path in UTF-8")?;
    scope(setup, &own, &["-DRUNTIME", "-rdynamic", source, &path, "-l:libcudart.so.13"])?;
    for how in [by_run, by_path] {
        let ended = run(&mut how(setup, &own), &own)?;
        same(&*ended.stdout, "runtime: 0 1\nof others: 0\ndriver: 0\nof others: 0\n", &ended)?;
        let ended = run(how(setup, &plain).arg(&all), &plain)?;
        same(&*ended.stdout, "of others: 0\ndriver: 0\nof others: 0\n", &ended)?;
        // The program is linked with the runtime, whose names it must get.
        let ended = run(how(setup, &linked).arg(&rest), &linked)?;
        same(&*ended.stdout, "runtime: 0 1\nof others: 0\ndriver: 0\nof others: 0\n", &ended)?;
        same(&*ended.stderr, "", &ended)?;
        let ended = run(how(setup, &with_driver).arg(&others), &with_driver)?;
        same(&*ended.stdout, "of others: 0\ndriver: 0\nof others: 0\n", &ended)?;
    }
    Ok(())
}

fn variables_beside_a_runtime(setup: &Setup) -> Result<(), Failed> {
    let (_, [all, rest, _]) = libraries(setup, "scope-runtime")?;
    for (variant, library) in [(STATIC, all), (SHARED, rest)] {
        let program = program(setup, "scope.cu", variant, &["-DRUNTIME"])?;
        let ended = run(by_run(setup, &program).arg(library), &program)?;
        same(&*ended.stdout, "runtime: 0 1\nof others: 0\ndriver: 0\nof others: 0\n", &ended)?;
        same(&*ended.stderr, "", &ended)?;
    }
    Ok(())
}

fn contexts(setup: &Setup) -> Result<(), Failed> {
    let program = setup.build.join("contexts_at_exit");
    let source = setup.cases().join("commands/contexts_at_exit.c");
    let mut cc = Command::new("cc");
    succeed(cc.args(["-w", "-o"]).arg(&program).arg(source).arg("-ldl"), &program)?;
    for how in [by_run, by_path] {
        let ended = run(how(setup, &program).env("TEXUNIT_CHECK", "leak"), &program)?;
        same(&*ended.stdout, "0 1, 0 0\n1 1\n0 1, 0 0\n1 1\n0 0\n", &ended)?;
        same(&*ended.stderr, "", &ended)?;
    }
    Ok(())
}

/// Calls in functions of `atexit` and in destructors work, and are reported.
fn ends(setup: &Setup) -> Result<(), Failed> {
    let expected = "main: 0 0, 6\natexit: 0 0, 12\natexit, before CUDA was used: 0 0, 18\n0 0 0\nstatic object: 0\ndestructor: 0\n";
    let expect = |ended: &Ended, leaks: bool| -> Result<(), Failed> {
        same(&*ended.stdout, expected, ended)?;
        match leaks {
            true => contains(ended, "1 stream was not destroyed"),
            false => same(ended.stderr.contains("not destroyed"), false, ended),
        }
    };
    for variant in [SHARED, STATIC] {
        let program = program(setup, "at_end.cu", variant, &[])?;
        for argument in [None, Some("leak")] {
            for schedule in [&[][..], &["--schedule", "7"]] {
                let mut command = setup.run();
                command.args(schedule).args(["--check", "leak"]).arg(&program).args(argument);
                expect(&run(&mut command, &program)?, argument.is_some())?;
            }
            let report = program.with_extension("json");
            let mut command = setup.run();
            command.args(["--check", "leak", "--error-exitcode", "9", "--report"]).arg(&report);
            let ended = run(command.arg(&program).args(argument), &program)?;
            expect(&ended, argument.is_some())?;
            same(ended.status.code(), Some(if argument.is_some() { 9 } else { 0 }), &ended)?;
            // The counts of all three launches.
            let text = std::fs::read_to_string(&report)?;
            same(text.contains("\"fetches\": 96"), true, &ended)?;
        }
        if !variant.is_static {
            for argument in [None, Some("leak")] {
                let mut command = by_path(setup, &program);
                command.args(argument).env("TEXUNIT_CHECK", "leak");
                expect(&run(&mut command, &program)?, argument.is_some())?;
            }
        }
    }
    Ok(())
}

/// Another runtime and driver, in folders that the program searches first.
fn folders(setup: &Setup) -> Result<(), Failed> {
    let folder = setup.build.join("folders");
    std::fs::create_dir_all(&folder)?;
    let source = folder.join("other.c");
    std::fs::write(
        &source,
        "int cudaGetDeviceCount(int *n) { return 998; }\nint cuInit(int n) { return 998; }\n",
    )?;
    for soname in ["libcudart.so.13", "libcuda.so.1"] {
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", &format!("-Wl,-soname,{soname}"), "-o"]);
        succeed(cc.arg(folder.join(soname)).arg(&source), &folder)?;
    }
    let path = format!("-rpath={}", folder.display());
    for tags in ["--disable-new-dtags", "--enable-new-dtags"] {
        let program = program(setup, "device.cu", SHARED, &["-Xlinker", &path, "-Xlinker", tags])?;
        let ended = run(by_run(setup, &program).env_remove("LD_LIBRARY_PATH"), &program)?;
        same(&*ended.stdout, DEFAULT, &ended)?;
        // A script that sets the variable to another folder.
        let script = folder.join("script");
        std::fs::write(
            &script,
            format!("LD_LIBRARY_PATH={} {}\n", folder.display(), program.display()),
        )?;
        let ended = run(setup.run().arg("sh").arg(&script), &script)?;
        same(&*ended.stdout, DEFAULT, &ended)?;
    }
    // The program is started by its path.
    let plain = folder.join("scope");
    scope(setup, &plain, &[])?;
    let ended = run(by_run(setup, &plain).arg(folder.join("libcuda.so.1")), &plain)?;
    let wanted =
        format!("{}: undefined symbol: others", setup.libraries.join("libcuda.so.1").display());
    same(ended.stdout.contains(&wanted), true, &ended)
}

//! Builds the drop-in libraries: `libcuda.so.1`, `libcudart.so.12`, `libcudart.so.13`, and
//! `libtexunit_redirect.so` (`texunit run` sends a runtime inside a program to them by it), beside the program; and the
//! library for C, `libtexunit.so.1`, which is there as `libtexunit.a` too.
//!
//! Cargo makes a static library of each crate, and the linker a shared one of that: only so can it have a
//! soname and versions of symbols (a version script given to a `cdylib` is ignored).

use crate::dist::zig::{self, Zig};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo run --release -p xtask -- libs [--debug] [--to DIR] [--no-program] [--only SONAME]";

/// The arguments.
pub(crate) struct Request {
    /// Cargo's profile for development instead of those for releases.
    pub(crate) debug: bool,
    /// Where the libraries go, if not beside the program.
    pub(crate) to: Option<PathBuf>,
    /// Whether the program is built too.
    pub(crate) program: bool,
    /// The only library that is wanted, by its soname.
    pub(crate) only: Option<String>,
    /// The linker to use instead of this machine's C compiler, for a C library that is older than its own.
    pub(crate) zig: Option<Zig>,
}

/// One library.
struct Library {
    soname: &'static str,
    /// The name of programs' linker.
    link: Option<&'static str>,
    package: &'static str,
    feature: Option<&'static str>,
    /// The list of its functions, below the workspace, if there is one.
    functions: Option<&'static str>,
    /// Version of its symbols, if they have one.
    version: Option<&'static str>,
    /// Patterns of the symbols that are exported.
    exported: &'static str,
    /// Major version of the runtime, for lines of the list that are of some versions only.
    major: Option<&'static str>,
    /// The name of its static form, if that is shipped.
    archive: Option<&'static str>,
}

const LIBRARIES: [Library; 5] = [
    Library {
        soname: "libcuda.so.1",
        link: Some("libcuda.so"),
        package: "texunit-cuda",
        feature: None,
        functions: Some("crates/cuda/cuda/data/driver-api.txt"),
        version: None,
        exported: "cu*; texunit_*;",
        major: None,
        archive: None,
    },
    Library {
        soname: "libcudart.so.12",
        link: None,
        package: "texunit-cudart",
        feature: Some("cuda-12"),
        functions: Some("crates/cuda/cudart/data/runtime-api.txt"),
        version: Some("libcudart.so.12"),
        exported: "cuda*; __cuda*;",
        major: Some("12"),
        archive: None,
    },
    Library {
        soname: "libcudart.so.13",
        link: Some("libcudart.so"),
        package: "texunit-cudart",
        feature: None,
        functions: Some("crates/cuda/cudart/data/runtime-api.txt"),
        version: Some("libcudart.so.13"),
        exported: "cuda*; __cuda*;",
        major: Some("13"),
        archive: None,
    },
    Library {
        soname: "libtexunit_redirect.so",
        link: None,
        package: "texunit-redirect",
        feature: None,
        functions: None,
        version: None,
        exported: "la_*;",
        major: None,
        archive: None,
    },
    Library {
        soname: "libtexunit.so.1",
        link: Some("libtexunit.so"),
        package: "texunit-capi",
        feature: None,
        functions: None,
        version: None,
        exported: "texunit_*;",
        major: None,
        archive: Some("libtexunit.a"),
    },
];

impl Request {
    /// Cargo's profile, and the folder that it builds in.
    fn profile(&self) -> &'static str {
        match (&self.zig, self.debug) {
            (_, true) => "debug",
            (Some(_), false) => DIST,
            (None, false) => "release",
        }
    }

    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        let mut request = Self { debug: false, to: None, program: true, only: None, zig: None };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--debug" => request.debug = true,
                "--no-program" => request.program = false,
                "--to" => {
                    let to = rest.next().ok_or_else(|| format!("--to wants a folder\n{USAGE}"))?;
                    request.to = Some(to.into());
                }
                "--only" => {
                    let known = rest.next().filter(|n| LIBRARIES.iter().any(|l| l.soname == **n));
                    let known = known.ok_or_else(|| {
                        let all = LIBRARIES.map(|l| l.soname).join(", ");
                        format!("--only wants one of {all}\n{USAGE}")
                    })?;
                    request.only = Some(known.clone());
                }
                other => return Err(format!("there is no option {other}\n{USAGE}")),
            }
        }
        Ok(request)
    }
}

/// Cargo's profile for what is shipped.
pub(crate) const DIST: &str = "dist";
/// What the compiler is told for the last crate of a file in that profile (Cargo.toml says why).
pub(crate) const LAST_CRATE: [&str; 2] = ["-C", "opt-level=3"];

/// Builds all of them, and says where they are.
pub(crate) fn run(request: &Request) -> ExitCode {
    say(build(request))
}

/// The files that were made, a line each, or why there are none.
pub(crate) fn say(made: Result<Vec<PathBuf>, String>) -> ExitCode {
    crate::exit_code(made.map(|files| {
        files.iter().for_each(|file| println!("{}", file.display()));
        true
    }))
}

/// Where Cargo builds.
pub(crate) fn target(workspace: &Path) -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => workspace.join(folder),
        None => workspace.join("target"),
    }
}

/// Builds the program (first) and the libraries; their paths.
pub(crate) fn build(request: &Request) -> Result<Vec<PathBuf>, String> {
    if !cfg!(target_os = "linux") {
        return Err("the drop-in libraries are for Linux".to_owned());
    }
    let workspace = &crate::workspace();
    let mut built = target(workspace);
    if request.zig.is_some() {
        built.push(zig::triple());
    }
    built.push(request.profile());
    let to = request.to.clone().unwrap_or_else(|| built.clone());
    std::fs::create_dir_all(&to).map_err(|e| format!("{}: {e}", to.display()))?;
    let mut files = Vec::new();
    if request.program {
        cargo(workspace, request, &["rustc", "-p", "texunit", "--bin", "texunit"])?;
        files.push(built.join("texunit"));
    }
    let is_wanted = |l: &&Library| request.only.as_deref().is_none_or(|only| only == l.soname);
    for library in LIBRARIES.iter().filter(is_wanted) {
        let mut arguments =
            vec!["rustc", "-p", library.package, "--lib", "--crate-type", "staticlib"];
        if let Some(feature) = library.feature {
            arguments.extend(["--features", feature]);
        }
        cargo(workspace, request, &arguments)?;
        let archive = built.join(format!("lib{}.a", library.package.replace('-', "_")));
        files.push(link(library, request, &archive, &to)?);
        if let Some(name) = library.archive {
            let file = to.join(name);
            std::fs::copy(&archive, &file).map_err(|e| format!("{}: {e}", file.display()))?;
            files.push(file);
        }
    }
    Ok(files)
}

fn cargo(workspace: &Path, request: &Request, arguments: &[&str]) -> Result<(), String> {
    let mut command = match &request.zig {
        Some(zig) => zig.cargo(arguments),
        None => {
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let mut command = Command::new(cargo);
            command.args(arguments);
            command
        }
    };
    command.current_dir(workspace).args(["--quiet", "--locked"]);
    match request.profile() {
        "debug" => {}
        profile => {
            command.args(["--profile", profile]);
        }
    }
    if request.profile() == DIST {
        command.arg("--").args(LAST_CRATE);
    }
    finish(&mut command)
}

fn finish(command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}");
    let status = command.status().map_err(|e| format!("{shown}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown} failed")) }
}

/// Makes a shared library of a static one.
fn link(
    library: &Library,
    request: &Request,
    archive: &Path,
    to: &Path,
) -> Result<PathBuf, String> {
    let version = library.version.map(|v| format!("{v} ")).unwrap_or_default();
    let text = format!("{version}{{ global: {} local: *; }};\n", library.exported);
    let script = written(to.join(format!("{}.map", library.soname)), &text)?;
    let file = to.join(library.soname);
    // Under another name until it is complete: a program may be running with it.
    let made = to.join(format!("{}.new", library.soname));
    let mut command = match &request.zig {
        Some(zig) => zig.cc(),
        None => Command::new("cc"),
    };
    command.arg("-shared").arg("-o").arg(&made);
    command.arg(format!("-Wl,-soname,{}", library.soname));
    command.arg(joined("-Wl,--version-script=", &script));
    command.args(["-Wl,--gc-sections", "-Wl,-z,relro,-z,now", "-Wl,-s"]);
    // What is called at the end of the process, and threads that run, have to be there though a program calls `dlclose`.
    command.arg("-Wl,-z,nodelete");
    let aliases = aliases(library, &crate::workspace())?;
    let mut scripts = vec![script];
    if request.zig.is_some() {
        // It knows no --defsym, but scripts for the linker.
        let text: String = aliases.iter().map(|(a, symbol)| format!("{a} = {symbol};\n")).collect();
        if !text.is_empty() {
            let script = written(to.join(format!("{}.ld", library.soname)), &text)?;
            command.arg(joined("-Wl,-T,", &script));
            scripts.push(script);
        }
    } else {
        command.args(aliases.iter().map(|(a, symbol)| format!("-Wl,--defsym={a}={symbol}")));
    }
    command.arg("-Wl,--whole-archive").arg(archive).arg("-Wl,--no-whole-archive");
    if library.major.is_some() {
        // The runtime calls the driver, which is found beside it.
        command.args(["-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN"]).arg(to.join("libcuda.so.1"));
    }
    if request.zig.is_some() {
        command.arg(zig::unwinder()?);
    }
    command.args(["-lgcc_s", "-lpthread", "-ldl", "-lm", "-lc"]);
    finish(&mut command)?;
    std::fs::rename(&made, &file).map_err(|e| format!("{}: {e}", file.display()))?;
    for script in scripts {
        std::fs::remove_file(&script).map_err(|e| format!("{}: {e}", script.display()))?;
    }
    if let Some(name) = library.link {
        symlink(library.soname, &to.join(name))?;
    }
    Ok(file)
}

fn written(path: PathBuf, text: &str) -> Result<PathBuf, String> {
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut all = OsString::from(option);
    all.push(path);
    all
}

#[cfg(unix)]
fn symlink(target: &str, path: &Path) -> Result<(), String> {
    let _ = std::fs::remove_file(path);
    std::os::unix::fs::symlink(target, path).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(not(unix))]
fn symlink(_: &str, path: &Path) -> Result<(), String> {
    Err(format!("{}: symbolic links are made on Unix only", path.display()))
}

/// The variants for default streams of threads: other names of the same functions.
fn aliases(library: &Library, workspace: &Path) -> Result<Vec<(String, String)>, String> {
    let Some(functions) = library.functions else { return Ok(Vec::new()) };
    let path = workspace.join(functions);
    let list = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let words = |line: &str| -> Vec<String> {
        line.split('#').next().unwrap_or_default().split_whitespace().map(str::to_owned).collect()
    };
    let rows = list.lines().map(words).filter(|row| !row.is_empty());
    let of_this = rows.filter(|row| {
        library
            .major
            .is_none_or(|major| row.get(1).is_some_and(|all| all.split(',').any(|v| v == major)))
    });
    // The word before the last one is the ending.
    let named = of_this.filter_map(|row| {
        let (symbol, ending) = (row.first()?, row.get(row.len().checked_sub(2)?)?);
        (ending != "-").then(|| (format!("{symbol}_{ending}"), symbol.clone()))
    });
    Ok(named.collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::process::Command;

    /// Crates, each with the features that it has when these packages are built.
    fn crates(arguments: &[&str]) -> BTreeSet<String> {
        let mut tree = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        tree.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).args(["tree", "--locked"]);
        tree.args(["--prefix", "none", "--no-dedupe", "--format", "{p} {f}"]).args(arguments);
        let output = tree.output().expect("Cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    /// The commands that people start with (`cargo run` of the default members, `xtask -- libs`, `cargo test`, the wheel)
    /// select packages, and Cargo unites features over the selected packages alone. A crate with other features is
    /// another crate, and is compiled again together with everything that depends on it.
    #[test]
    fn entry_points_build_dependencies_with_equal_features() {
        let all = crates(&["--workspace", "--all-features", "--edges", "normal,build,dev"]);
        let entry_points: [&[&str]; 9] = [
            &[],
            &["-p", "texunit", "--all-features"],
            &["-p", "texunit-bench"],
            &["-p", "texunit-capi"],
            &["-p", "texunit-cuda"],
            &["-p", "texunit-cudart", "--all-features"],
            &["-p", "texunit-python"],
            &["-p", "texunit-redirect"],
            &["-p", "xtask"],
        ];
        // Features of the program's own crate, of the runtime's two versions, and the card for tests: no other crate
        // depends on these three.
        let leaves = ["texunit v", "texunit-cudart v", "texunit-gpu v"];
        for entry_point in entry_points {
            let own = crates(&[entry_point, &["--edges", "normal,build"]].concat());
            let others: Vec<_> = own
                .difference(&all)
                .filter(|line| !leaves.iter().any(|leaf| line.starts_with(leaf)))
                .collect();
            assert!(others.is_empty(), "{entry_point:?}, for crates/support/features: {others:#?}");
        }
    }
}

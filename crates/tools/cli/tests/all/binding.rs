//! Outputs and messages of launches that are not files alone (tests/jobs has those).

use std::path::{Path, PathBuf};
use texunit::launch_args::LaunchArgs;
use texunit::launch_report::Report;
use texunit_testkit::TempDir;

/// A file of tests/cli.
fn cli(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/cli").join(name)
}

/// Runs a job with the kernels of tests/cli in a folder.
fn launch(folder: &Path, job: &str) -> Report {
    std::fs::copy(cli("kernels.ptx"), folder.join("k.ptx")).unwrap();
    std::fs::write(folder.join("job.toml"), format!("ptx = 'k.ptx'\n{job}")).unwrap();
    let args = LaunchArgs::parse(&folder.join("job.toml"), folder, &["--threads", "1"]).unwrap();
    texunit::run::launch(&args)
}

#[test]
fn the_summary() {
    let folder = TempDir::new("bind-summary");
    let report = launch(&folder, "kernel = 'nothing'\ngrid = [2, 3]\nblock = [8, 4, 2]");
    let (out, err) = texunit::human::render(&report, false, false);
    let out = String::from_utf8(out).unwrap();
    assert!(out.starts_with("nothing: 2 x 3 CTAs of 8 x 4 x 2 threads in "), "{out}");
    assert!(out.ends_with(" ms, no fetches\n"), "{out}");
    assert!(err.is_empty(), "{err}");
    assert!(texunit::human::render(&report, true, false).0.is_empty());
}

/// If one output cannot be written, none is written.
#[test]
fn outputs_are_all_or_none() {
    let folder = TempDir::new("bind-all-or-none");
    let job = "kernel = 'sum'\ngrid = 1\nblock = 1
        params.a = { buffer = { u32 = [1] }, output = { file = 'first.raw' } }
        params.b = { buffer = { u32 = [1] }, output = { file = 'job.toml/second.raw' } }";
    let report = launch(&folder, job);
    let (_, err) = texunit::human::render(&report, false, false);
    assert!(!report.succeeded() && err.starts_with("error: cannot make the folder `"), "{err}");
    assert!(!folder.join("first.raw").exists());
}

/// An output never overwrites a file that the job reads, under whichever name.
#[cfg(unix)]
#[test]
fn outputs_spare_inputs() {
    let folder = TempDir::new("bind-spare");
    let at = |name: &str| folder.join(name);
    std::fs::copy(cli("kernels.ptx"), at("k.ptx")).unwrap();
    std::fs::copy(cli("files/good.png"), at("in.png")).unwrap();
    std::fs::hard_link(at("in.png"), at("hard.png")).unwrap();
    std::os::unix::fs::symlink("in.png", at("soft.png")).unwrap();
    std::fs::create_dir_all(at("sub")).unwrap();
    std::os::unix::fs::symlink("..", at("sub/up")).unwrap();
    let inputs = || ["k.ptx", "in.png"].map(|name| std::fs::read(at(name)).unwrap());
    let before = inputs();
    let job = |name: &str| {
        format!(
            "kernel = 'copy'\ngrid = [2]\nblock = [1]\nparams.from.texture = {{ file = 'in.png', format = 'u8x4' }}
            params.to = {{ surface = {{ zeros = true, format = 'u8x4', width = 1, height = 2 }}, output = {{ file = '{name}' }} }}"
        )
    };
    for (name, input) in [
        ("in.png", "in.png"),
        ("hard.png", "in.png"),
        ("soft.png", "in.png"),
        ("sub/up/in.png", "in.png"),
        ("k.ptx", "k.ptx"),
        ("job.toml", "job.toml"),
    ] {
        let text = job(name);
        let report = launch(&folder, &text);
        assert!(!report.succeeded() && report.stats.is_none(), "{name}: the kernel has run");
        assert!(report.is_misused);
        let said = texunit::human::render(&report, false, false).1;
        assert!(said.contains("J0006") && said.contains("would overwrite"), "{said}");
        assert!(said.contains(&format!("{input}`, which the job reads")), "{said}");
        assert_eq!(inputs(), before, "{name}");
        assert!(std::fs::read_to_string(at("job.toml")).unwrap().ends_with(&text));
    }
    let report = launch(&folder, &job("out.png"));
    assert!(report.succeeded(), "{}", texunit::human::render(&report, false, false).1);
    // The output of an earlier launch is replaced.
    let report = launch(&folder, &job("out.png"));
    assert!(report.succeeded(), "{}", texunit::human::render(&report, false, false).1);
}

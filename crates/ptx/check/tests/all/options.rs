//! Releases of NVIDIA's assembler, machines, and header lines that options replace.

use texunit_check::{Options, Ptxas, Verdicts, check_source};
use texunit_syntax::{Diagnostic, SourceFile};

fn errors(text: &str, options: Options) -> Vec<Diagnostic> {
    let source = SourceFile::new("module.ptx", text);
    check_source(&source, &options).into_iter().filter(Diagnostic::is_error).collect()
}

fn codes(text: &str, options: Options) -> Vec<&'static str> {
    errors(text, options).iter().map(|d| d.code).collect()
}

fn module(version: &str, target: &str) -> String {
    format!(".version {version}\n.target {target}\n.entry k() {{ ret; }}\n")
}

fn ptxas(release: Ptxas, arch: Option<&str>) -> Options {
    let arch = arch.map(|a| a.parse().unwrap());
    Options { verdicts: Verdicts::Ptxas(Some(release)), arch, ..Options::default() }
}

#[test]
fn releases_know_versions_and_targets() {
    let known = |version, target, release| codes(&module(version, target), ptxas(release, None));
    assert_eq!(known("8.0", "sm_75", Ptxas::V11_8), ["E0103"]);
    assert_eq!(known("8.0", "sm_75", Ptxas::V12_4), [""; 0]);
    assert_eq!(known("7.8", "sm_100", Ptxas::V12_4), ["E0102"]);
    assert_eq!(known("7.8", "sm_75a", Ptxas::V11_8), [""; 0]);
    assert_eq!(known("7.8", "sm_75a", Ptxas::V12_9), ["E0102"]);
    assert_eq!(known("2.10", "sm_30", Ptxas::V12_9), [""; 0]);
    assert_eq!(known("7.0", "sm_86, sm_75", Ptxas::V12_4), [""; 0]);
    assert_eq!(known("7.0", "sm_86, sm_75", Ptxas::V12_9), ["E0107"]);
    // Nobody asks whether the version has the target of a module with nothing in it.
    assert_eq!(codes(".version 1.0\n.target sm_75\n", ptxas(Ptxas::V12_9, None)), [""; 0]);
    // The oldest release that knows the version is too old for this target.
    assert_eq!(codes(&module("8.4", "sm_120"), Options::PTXAS), ["E0102"]);
}

#[test]
fn machines() {
    let on = |target, release, arch| codes(&module("7.8", target), ptxas(release, Some(arch)));
    assert_eq!(on("sm_80", Ptxas::V12_9, "sm_75"), ["E0108"]);
    assert_eq!(on("sm_75", Ptxas::V12_9, "sm_80"), [""; 0]);
    assert_eq!(on("sm_20", Ptxas::V12_9, "sm_50"), [""; 0]);
    assert_eq!(on("sm_20", Ptxas::V13_5, "sm_50"), ["E0108"]);
    let ours = |target, arch: &str| {
        let arch = Some(arch.parse().unwrap());
        codes(&module("8.8", target), Options { arch, ..Options::default() })
    };
    assert_eq!(ours("sm_30", "sm_50"), [""; 0]);
    assert_eq!(ours("sm_30", "sm_99"), ["E0108"]);
    assert_eq!(ours("sm_90a", "sm_100"), ["E0108"]);
}

#[test]
fn header_lines_are_replaced() {
    let target = Some("sm_20".parse().unwrap());
    let options = Options { target, version: Some((2, 0)), ..Options::default() };
    let text = module("8.8", "sm_90a, texmode_independent");
    assert_eq!(codes(&text, options), [""; 0]);
    let newer = text.replace("ret;", ".reg .b32 r; .reg .pred p; activemask.b32 r; ret;");
    let said = errors(&newer, options);
    assert!(!said.is_empty());
    for error in said.iter().filter(|d| d.code == "E0230") {
        assert_eq!(error.primary.text, "version 2.0 is used instead of .version");
    }
    // Neither line need be there.
    assert_eq!(codes(".entry k() { exit; }\n", options), [""; 0]);
    assert!(!codes(".entry k() { exit; }\n", Options { target: None, ..options }).is_empty());
    assert!(!codes(".entry k() { exit; }\n", Options { version: None, ..options }).is_empty());
    assert!(!codes("", options).is_empty(), "an empty file stays empty");
    // Of a machine that is given, the file need not speak.
    let independent = ".version 2.0\n.target texmode_independent\n.entry k() { exit; }\n";
    assert_eq!(codes(independent, options), [""; 0]);
}

#[test]
fn counts_of_barriers_are_looked_at_since_13_5() {
    let text = ".version 7.8\n.target sm_80\n.shared .b64 b;\n\
        .entry k() { mbarrier.init.shared.b64 [b], 0; ret; }\n";
    assert_eq!(codes(text, ptxas(Ptxas::V12_9, None)), [""; 0]);
    assert_eq!(codes(text, ptxas(Ptxas::V13_5, None)), ["E0220"]);
}

#[test]
fn limits_are_those_of_the_machine() {
    let surfaces: String = (0..17).map(|i| format!(".global .surfref s{i};\n")).collect();
    let reads: String =
        (0..17).map(|i| format!("suld.b.1d.b32.trap r, [s{i}, {{r}}];\n")).collect();
    let text = format!(
        ".version 4.3\n.target sm_20\n{surfaces}.entry k() {{ .reg .b32 r; {reads} exit; }}\n"
    );
    assert_eq!(codes(&text, ptxas(Ptxas::V12_9, Some("sm_50"))), ["E0316"]);
    assert_eq!(codes(&text, ptxas(Ptxas::V12_9, Some("sm_75"))), [""; 0]);
}

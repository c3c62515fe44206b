//! Tests of the output and exit code of `ptxas`.

use super::*;
use std::path::PathBuf;
use texunit_testkit::TempDir;

const GOOD: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p) {
\t.reg .f32 %f<3>;
\t{ mul.ftz.f32 %f1, %f1, %f1; }
\tadd.f32 %f2, %f1, %f1; sub.rz.f32 %f2, %f1, %f1;
\t.reg .u32 %r; add.u32 %r, %r, 1; fma.rn.f32 %f1, %f1, %f1, %f1;
\tret;
}
";

/// The exit code and the output.
fn ptxas(arguments: &[&str]) -> (u8, Output) {
    let mut said = Output::default();
    (run(arguments.iter().map(|&word| word.to_owned()).collect(), &mut said), said)
}

/// A folder with the text as `k.ptx`; returns the paths of that file and of `k.o`.
fn folder(text: &str) -> (TempDir, String, String) {
    let folder = TempDir::new("ptxas");
    folder.file("k.ptx", text);
    let (ptx, output) = (folder.text("k.ptx"), folder.text("k.o"));
    (folder, ptx, output)
}

#[test]
fn ptx_is_handed_on() {
    let (_folder, ptx, output) = folder(GOOD);
    // The command line that Triton uses.
    let line = ["-lineinfo", "-v", "--regAllocOptLevel=2", "--opt-level", "0", "--gpu-name=sm_86"];
    let (code, said) = ptxas(&[&line[..], &[&ptx, "-o", &output]].concat());
    assert_eq!(code, 0, "{}", said.err);
    assert!(said.err.contains("ptxas info    : Checked entry function 'k' for 'sm_86'"));
    let written = std::fs::read_to_string(&output).unwrap();
    assert_eq!(written, format!("{GOOD}{IN_PLACE}: sm_86\n\0"));
    // The program's own output is valid input.
    let nothing = (0, Output::default());
    assert_eq!(ptxas(&[&output, "-arch", "sm_86", "-o", &output]), nothing);
    assert_eq!(ptxas(&["-maxrregcount", "32", "-arch=sm_80", &ptx, "-o", &output]), nothing);
    assert!(std::fs::read_to_string(&output).unwrap().contains("(.param .u64 p) .maxnreg 32 {"));
    assert_eq!(ptxas(&["-ias", GOOD, "-arch=sm_80", "-O3", "-m64", "-o", &output]), nothing);
    std::fs::remove_file(&output).unwrap();
    // No file is written for a virtual architecture.
    assert_eq!(ptxas(&[&ptx, "-arch=compute_80", "-o", &output]).0, 0);
    assert!(!PathBuf::from(&output).exists());
}

/// The rewritten text forbids contraction and is still valid.
#[test]
fn no_contraction() {
    let (_folder, ptx, output) = folder(GOOD);
    let (code, said) = ptxas(&["--fmad=false", "-arch=sm_80", &ptx, "-o", &output]);
    assert_eq!(code, 0, "{}", said.err);
    let wanted = GOOD.replace("mul.ftz", "mul.rn.ftz").replace("add.f32", "add.rn.f32");
    let written = std::fs::read_to_string(&output).unwrap();
    assert_eq!(written, format!("{wanted}{IN_PLACE}: sm_80\n\0"));
    assert_eq!(ptxas(&["-arch=sm_80", &output, "-o", &output]).0, 0);
}

#[test]
fn mistakes_have_the_form_and_the_code_of_ptxas() {
    let (folder, ptx, output) =
        folder(&GOOD.replace("mul.ftz", "mull.ftz").replace("%r, 1", "%q, 1"));
    let (code, said) = ptxas(&["-arch=sm_80", &ptx, "-o", &output]);
    let lines: Vec<&str> = said.err.lines().collect();
    assert_eq!(code, 255);
    assert!(lines[0].starts_with(&format!("ptxas {ptx}, line 6; error   : ")), "{lines:#?}");
    assert!(lines[0].contains("mull") && lines[1].contains(", line 8; error   : "), "{lines:#?}");
    assert_eq!(lines.last(), Some(&"ptxas fatal   : Ptx assembly aborted due to errors"));
    assert!(!PathBuf::from(&output).exists());
    // A version that lacks an instruction of the text.
    let old = folder.file("old.ptx", GOOD.replace("8.0", "6.0"));
    assert_eq!(ptxas(&["-arch=sm_80", old.to_str().unwrap()]).0, 255);
}

#[test]
fn what_cannot_be_done_is_named() {
    let (folder, ptx, _output) = folder(GOOD);
    for (arguments, words) in [
        (&["--nonsense"][..], "Unknown option '-nonsense'"),
        (&["-Xfoo"], "Unknown option 'Xfoo'"),
        (&["-arch=sm_12"], "Value 'sm_12' is not defined for option 'gpu-name'"),
        (&["-arch=lto_80"], "texunit's ptxas links nothing"),
        (&["-maxfoo"], "Unknown option 'maxfoo'"),
        (&["-m32"], "Value '32' is not defined for option 'machine'"),
        (&["--fmad=maybe"], "'maybe': expected true or false"),
        (&["-maxrregcount=foo"], "Invalid value 'foo' for option 'maxrregcount'"),
        (&["-w=1"], "no argument expected after '-w'"),
        (&["-o"], "argument expected after '-o'"),
        (&["-optf", "/nowhere"], "Could not open options file '/nowhere'"),
        (&["--sanitize=memcheck"], "option 'sanitize' makes code that differs"),
        (&["-e", "k"], "option 'entry' makes code that differs"),
        (&["-device-stack-protector", "true"], "option 'device-stack-protector' makes code"),
        (&["/nowhere/k.ptx"], "Input file '/nowhere/k.ptx' could not be opened"),
        (&[&ptx, "-arch=sm_80", "-o", "/nowhere/k.o"], "'/nowhere/k.o' could not be opened"),
        (&[&ptx, &ptx], "would be linked, which texunit's ptxas does not do"),
        // The default architecture is sm_75.
        (&[&ptx], "sm_80"),
    ] {
        let (code, said) = ptxas(arguments);
        assert!(code == 255 && said.err.contains(words), "{arguments:?}: {code}: {}", said.err);
    }
    // An option file that names itself is not read forever.
    let endless = folder.file("endless", "");
    std::fs::write(&endless, format!("-optf {}", endless.display())).unwrap();
    assert_eq!(ptxas(&["-optf", endless.to_str().unwrap()]).0, 255);
    let options = folder.file("options", "-arch sm_80\n -w ");
    let checked = ptxas(&["-optf", options.to_str().unwrap(), &ptx, "-o", "/dev/null"]);
    assert_eq!(checked, (0, Output::default()));
}

#[test]
fn questions_are_answered() {
    let (code, version) = ptxas(&["--version"]);
    assert_eq!(code, 0);
    // The regular expression that Triton applies.
    assert!(version.out.lines().any(|line| line.contains("release 13.5")));
    assert!(!version.out.contains("NVIDIA"), "a text of NVIDIA's is a key of Triton's cache");
    assert!(ptxas(&["--list-arch"]).1.out.lines().any(|line| line == "86"));
    assert!(ptxas(&["-version-ls"]).1.out.ends_with("9.5\n"));
    for help in [&["--help"][..], &["--version", "-h"], &[]] {
        let (code, said) = ptxas(help);
        assert!(code == 0 && said.out.contains("--gpu-name <value> (-arch)"));
    }
    let (_, twice) = ptxas(&["-o", "a", "-o", "b", "/nowhere"]);
    assert!(twice.err.contains("incompatible redefinition for option 'output-file'"));
}

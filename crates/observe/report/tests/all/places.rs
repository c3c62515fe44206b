//! Tests the source places that reports show for the output of each compiler.

use serde_json::{Value, json};
use std::sync::Arc;
use texunit_check::{Options, check_with_sources};
use texunit_report::{CodeLocation, Format, Host, Run, Settings, fault_diagnostic, human, short};
use texunit_simt::{Fault, FaultKind, LaunchStats, Sources};
use texunit_syntax::{SourceFile, Span};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/places");

/// A module of tests/places, with the source files of that folder.
struct Module {
    text: SourceFile,
    sources: Arc<Sources>,
}

impl Module {
    fn load(name: &str) -> Self {
        let text = std::fs::read_to_string(format!("{FOLDER}/{name}.ptx")).unwrap();
        // File names are those of the compiler, which contain its working directory.
        let folder = std::fs::canonicalize(FOLDER).unwrap();
        let text = text.replace("/tmp/texunit-places", folder.to_str().unwrap());
        let text = SourceFile::new(format!("{name}.ptx"), text);
        let (diagnostics, sources) = check_with_sources(&text, &Options::default());
        assert!(!diagnostics.iter().any(texunit_syntax::Diagnostic::is_error), "{diagnostics:?}");
        Self { text, sources }
    }

    /// The span of the `nth` instruction that begins with these words.
    fn span(&self, words: &str, nth: usize) -> Span {
        let (start, _) = self.text.text().match_indices(words).nth(nth).unwrap();
        let len = self.text.text()[start..].find(';').unwrap();
        Span::new(start, start + len + 1)
    }

    fn fault(&self, span: Span, calls: Vec<(String, Span)>) -> Fault {
        Fault {
            kind: FaultKind::Trap { message: None },
            kernel: "places".into(),
            cta: [0; 3],
            thread: [8, 0, 0],
            span,
            calls,
            launched_by: Vec::new(),
            sources: Arc::clone(&self.sources),
            stats: LaunchStats::default(),
        }
    }
}

/// File names without the folder, which differs between machines.
fn without_folder(shown: &str) -> String {
    let folder = std::fs::canonicalize(FOLDER).unwrap();
    shown.replace(&format!("{}/", folder.to_str().unwrap()), "")
}

/// `file:line:column in function | text`
fn frames(place: &CodeLocation) -> Vec<String> {
    let one = |frame: &texunit_report::place::Frame| {
        format!("{frame} | {}", frame.text.as_deref().unwrap_or("?").trim())
    };
    place.frames.iter().map(|frame| without_folder(&one(frame))).collect()
}

#[test]
fn each_compiler_has_its_places() {
    let put = "places.cu:10:5 in put<float>(float*, int, float) | out[i] = blend(x, 3.0f);";
    let line = "places.cu:17:9 in places | put(out, i, x);";
    let blend = "places.cu:4:5 in blend(float, float) | return x * y + x;";
    for (file, words, expected) in [
        ("nvcc-lineinfo", "st.global", vec![put, line]),
        ("nvcc-lineinfo", "mul.rn", vec![blend, put, line]),
        ("nvrtc-lineinfo", "st.global", vec![put, line]),
        ("nvrtc-lineinfo", "mul.rn", vec![blend, put, line]),
        // nvcc -G does not inline functions.
        ("nvcc-G", "mul.rn", vec![blend]),
        // Only the innermost line, without its function.
        ("clang-g", "st.global", vec!["places.cu:10:12 in places | out[i] = blend(x, 3.0f);"]),
        (
            "clang-gline-tables-only",
            "st.global",
            vec!["places.cu:10:12 in places | out[i] = blend(x, 3.0f);"],
        ),
        (
            "numba-lineinfo",
            "st.global",
            vec![
                "places.py:18:1 in places::places(Array<float, 1, C, mutable, aligned>, float, int) \
                 | put(out, i, x)",
            ],
        ),
    ] {
        let module = Module::load(file);
        let place = CodeLocation::new(&module.sources, &module.text, module.span(words, 0));
        assert_eq!(frames(&place), expected, "{file} {words}");
        assert!(place.ptx.text.contains(words), "{file}: {}", place.ptx.text);
        assert_eq!(without_folder(&place.to_string()), expected[0].split(" | ").next().unwrap());
        let sent: CodeLocation = serde_json::from_value(json!(place)).unwrap();
        assert_eq!(sent, place);
    }
}

#[test]
fn a_kernel_begins_where_its_own_lines_do() {
    for (file, kernel, expected) in [
        ("nvcc-lineinfo", "places", "places.cu:13 in places"),
        ("nvcc-G", "places", "places.cu:13 in places"),
    ] {
        let module = Module::load(file);
        let place = CodeLocation::of_function(&module.sources, &module.text, kernel).unwrap();
        assert_eq!(without_folder(&place.to_string()), expected, "{file}");
        assert_eq!(CodeLocation::of_function(&module.sources, &module.text, "none"), None);
    }
}

#[test]
fn the_source_comes_before_the_ptx() {
    let module = Module::load("nvcc-lineinfo");
    let fault = module.fault(module.span("mul.rn", 0), Vec::new());
    let diagnostic = fault_diagnostic(&fault, Host::Program);
    let shown = human((&module.text, &*fault.sources), &[diagnostic], false);
    let expected = "\
error[trap]: the kernel has executed `trap`
  --> places.cu:4:5 in blend(float, float)
   |
 4 |     return x * y + x;
   |     ^^^^^^^^^^^^^^^^^ kernel `places`, CTA (0, 0, 0), thread (8, 0, 0)
   |
  ::: places.cu:10:5 in put<float>(float*, int, float)
";
    assert!(without_folder(&shown).starts_with(expected), "{shown}");
    for line in [
        "inlined here",
        "places.cu:17:9 in places",
        "nvcc-lineinfo.ptx:45:2",
        "^ the instruction in PTX",
    ] {
        assert!(shown.contains(line), "no {line:?} in:\n{shown}");
    }
}

/// If no file has the source, it may be stored after the PTX, as by a cache or another process.
#[test]
fn sources_in_memory_have_their_lines() {
    let put = "    out[i] = blend(x, 3.0f); // größer";
    let lines = |last: &str| format!("{}{put}\n{last}", "\n".repeat(9));
    let ptx = std::fs::read_to_string(format!("{FOLDER}/nvcc-lineinfo.ptx")).unwrap();
    let place = |ptx: &str, file: &str, handed: &[(&str, &str)]| {
        let ptx = ptx.replace("/tmp/texunit-places/places.cu", file);
        let text = ptx + &texunit_syntax::handed_comments(handed.iter().copied());
        let text = SourceFile::new("k.ptx", text);
        let (diagnostics, sources) = check_with_sources(&text, &Options::default());
        assert_eq!(diagnostics, []);
        let start = text.text().find("st.global").unwrap();
        CodeLocation::new(&sources, &text, Span::new(start, start + 1))
    };
    let first = |place: CodeLocation| frames(&place).swap_remove(0);
    let own = lines("");
    let in_temporary = place(&ptx, "/tmp/tmp01_ab/places.cu", &[("/tmp/tmp01_ab/places.cu", &own)]);
    let shown = "places.cu:10:5 in put<float>(float*, int, float)";
    assert_eq!(first(in_temporary.clone()), format!("{shown} | {}", put.trim()));
    assert_eq!(in_temporary.file(), "places.cu");
    let relative = place(&ptx, "/no folder/places.cu", &[("places.cu", &own), ("other.h", "")]);
    assert_eq!(first(relative), format!("{shown} | {}", put.trim()));
    // With two sources of one name, no line is shown; a deleted temporary file is not named.
    let both = [("places.cu", own.as_str()), ("places.cu", &lines("x"))];
    assert_eq!(first(place(&ptx, "/tmp/tmp01_ab/places.cu", &both)), format!("{shown} | ?"));
    let gone = place(&ptx, "/tmp/tmp01_ab/places.cu", &[]);
    assert_eq!(first(gone), format!("{shown} | ?"));
    let kept = format!("/no folder/{shown} | ?");
    assert_eq!(first(place(&ptx, "/no folder/places.cu", &[])), kept);
}

#[test]
fn calls_have_their_lines() {
    let module = Module::load("nvcc-G");
    let call = module.span("call.uni", 1);
    let put = "_Z3putIfEvPT_iS0_".to_owned();
    let fault = module.fault(module.span("st.f32", 0), vec![(put, call)]);
    let place = CodeLocation::of_fault(&fault, &module.text);
    assert_eq!(place.calls.len(), 1);
    assert_eq!(place.frames.len(), 2, "{place:?}");
    assert_eq!(place.frames[1].via, texunit_report::place::Via::Called);
    let diagnostic = fault_diagnostic(&fault, Host::Program);
    let shown = human((&module.text, &*fault.sources), &[diagnostic], false);
    assert!(shown.contains("`put<float>(float*, int, float)` is called here"), "{shown}");
}

/// If the file is missing or has changed, only its name is shown.
#[test]
fn without_the_file_there_is_its_name() {
    let mut module = Module::load("nvcc-lineinfo");
    let text = std::fs::read_to_string(format!("{FOLDER}/nvcc-lineinfo.ptx")).unwrap();
    let text = text.replace("/tmp/texunit-places", "/no/folder");
    module.text = SourceFile::new("nvcc-lineinfo.ptx", text);
    module.sources = check_with_sources(&module.text, &Options::default()).1;
    let fault = module.fault(module.span("mul.rn", 0), Vec::new());
    let diagnostic = fault_diagnostic(&fault, Host::Program);
    let located = (&module.text, &*fault.sources);
    let shown = human(located, std::slice::from_ref(&diagnostic), false);
    assert!(shown.contains("--> /no/folder/places.cu:4:5 in blend(float, float)\n"), "{shown}");
    assert!(shown.contains("kernel `places`, CTA (0, 0, 0), thread (8, 0, 0)"), "{shown}");
    assert_eq!(
        short(located, &[diagnostic]),
        "nvcc-lineinfo.ptx:45:2: error[trap]: the kernel has executed `trap` \
         (/no/folder/places.cu:4:5 in blend(float, float))\n"
    );
}

#[test]
fn programs_get_the_places_too() {
    let module = Module::load("nvcc-lineinfo");
    let fault = module.fault(module.span("mul.rn", 0), Vec::new());
    let diagnostic = fault_diagnostic(&fault, Host::Program);
    let located = (&module.text, &*fault.sources);
    let line: Value =
        serde_json::from_str(&texunit_report::json(located, std::slice::from_ref(&diagnostic)))
            .unwrap();
    assert_eq!(line["line"], 45);
    assert_eq!(line["frames"].as_array().unwrap().len(), 3);
    assert_eq!(line["frames"][0]["line"], 4);
    assert_eq!(line["frames"][1]["via"], "inlined");

    let mut out = Vec::new();
    let settings = Settings {
        format: Format::Sarif,
        quiet: false,
        most_shown: 1,
        version: "0.0.0",
        home: "https://example.org",
        rule: &|_| None,
    };
    let mut run = Run::new(&mut out, settings);
    run.file(located, &[diagnostic]);
    run.finish().unwrap();
    let sarif: Value = serde_json::from_slice(&out).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert!(place["artifactLocation"]["uri"].as_str().unwrap().ends_with("/places.cu"));
    assert_eq!(
        (&place["region"]["startLine"], &place["region"]["startColumn"]),
        (&json!(4), &json!(5))
    );
    let related = result["relatedLocations"].as_array().unwrap();
    assert_eq!(related.len(), 3);
    assert_eq!(related[0]["physicalLocation"]["region"]["startLine"], 45);
    assert_eq!(related[1]["physicalLocation"]["region"]["startLine"], 10);
    assert_eq!(related[2]["id"], 2);
}

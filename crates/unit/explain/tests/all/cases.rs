//! Tests that every case of tests/fetch can be explained in all formats, and that the explained
//! result is the case's expected result.

use std::path::{Path, PathBuf};
use texunit_cases::{Built, BuiltFetch, BuiltSurface, Expected};
use texunit_explain::{Explanation, KnownResult, Source, SurfaceExpected, SurfaceExplanation};
use texunit_unit::{ResultType, SurfaceKind};

fn case_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fetch");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    assert!(files.len() > 20, "the case files are not where they were");
    files
}

/// The contents of the result registers, parsed from an explanation as text.
fn registers(text: &str) -> Vec<u32> {
    let (_, result) = text.split_once("\nresult\n").unwrap();
    result
        .lines()
        .filter_map(|line| line.trim_start().split_once(" = "))
        .filter(|(name, _)| ["x", "y", "z", "w", "xy", "zw"].contains(name))
        .map(|(_, value)| u32::from_str_radix(&value[..8], 16).unwrap())
        .collect()
}

fn explain_fetch(name: &str, built: &BuiltFetch, fetch: usize) {
    let Some(operands) = built.operands.get(fetch) else { return };
    let explained = Explanation::new(built.form, &built.texture, &built.sampler, operands);
    let mut explanation = match (explained, &built.expected) {
        (Ok(explanation), _) => explanation,
        // A fetch that cannot be planned, as the case expects, cannot be explained.
        (Err(_), Expected::Error(_)) => return,
        // Nor can a fetch that returns zeros because the resource is not of the instruction's
        // class.
        (Err(error), _) if error.reads_zero() => return,
        (Err(error), _) => panic!("{name}: {error}"),
    };
    if let Expected::Values(values) = &built.expected {
        let expected = &values[fetch];
        let n = if built.form.result == ResultType::F16x2 { 2 } else { 4 };
        assert_eq!(registers(&explanation.text()), expected.values[..n], "{name}");
        let (values, resident) = (expected.values, expected.resident);
        explanation.known = Some(KnownResult { values, resident, from: Source::Case });
        assert_eq!(explanation.agrees(), Some(true), "{name}");
        assert!(explanation.text().ends_with("as the case expects\n"), "{name}");
    }
    assert_eq!(explanation.json()["instruction"], built.form.to_string(), "{name}");
    sound_svg(name, &explanation.svg());
}

/// Asserts that an SVG document is complete, that its size is bounded, and that no attribute is NaN
/// or infinite.
fn sound_svg(name: &str, svg: &str) {
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{name}");
    assert!(svg.len() < 500_000, "{name}: {} bytes", svg.len());
    assert!(!svg.contains("=\"NaN") && !svg.contains("=\"inf"), "{name}");
    let size = |key: &str| -> f64 {
        let (_, rest) = svg.split_once(key).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    let (width, height) = (size("width=\""), size("height=\""));
    assert!(width < 4000.0 && height < 8000.0, "{name}: {width} x {height}");
}

fn explain_surface(name: &str, built: &BuiltSurface) {
    let Some(access) = built.accesses.first() else { return };
    let form = built.op.forms(access.size)[0];
    let bytes = access.bytes.clone().unwrap_or_default();
    let elements = SurfaceExplanation::elements(form, &bytes);
    let explained = SurfaceExplanation::new(form, &built.surface, access.coords, elements);
    let mut explanation = match explained {
        Ok(explanation) => explanation,
        Err(error) if error.reads_zero() => return,
        Err(error) => panic!("{name}: {error}"),
    };
    let loads = matches!(form.kind, SurfaceKind::Load { .. });
    if access.fault.is_none() && loads && access.bytes.is_some() {
        explanation.expected = Some(SurfaceExpected::Loads(bytes));
        assert_eq!(explanation.agrees(), Some(true), "{name}");
    }
    assert_eq!(explanation.trace.fault.is_some(), access.fault.is_some(), "{name}");
    assert!(explanation.text().starts_with(&form.to_string()), "{name}");
    assert_eq!(explanation.json()["instruction"], form.to_string(), "{name}");
    sound_svg(name, &explanation.svg());
}

/// Explains random cases, whose operands include NaNs, infinities and integers at the ends of their
/// range: no explanation panics, and its text, JSON and SVG are complete.
#[test]
fn random_cases_can_be_explained() {
    let count = std::env::var("TEXUNIT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    for index in 0..count {
        let case = texunit_cases::random_unit_case(11, index);
        match case.build().unwrap() {
            Built::Fetch(built) => {
                for fetch in 0..built.operands.len().min(4) {
                    explain_fetch(&case.name, &built, fetch);
                }
            }
            Built::Surface(built) => {
                for access in &built.accesses {
                    let form = built.op.forms(access.size)[0];
                    let bytes = access.bytes.clone().unwrap_or_default();
                    let elements = SurfaceExplanation::elements(form, &bytes);
                    let e = match SurfaceExplanation::new(
                        form,
                        &built.surface,
                        access.coords,
                        elements,
                    ) {
                        Ok(explanation) => explanation,
                        Err(error) if error.reads_zero() => continue,
                        Err(error) => panic!("{}: {error}", case.name),
                    };
                    assert!(!e.text().is_empty() && e.json().is_object());
                    sound_svg(&case.name, &e.svg());
                }
            }
        }
    }
}

#[test]
fn every_case_can_be_explained() {
    let (mut fetches, mut surfaces) = (0, 0);
    for file in case_files() {
        for case in texunit_cases::load(&file).unwrap().cases {
            let name = format!("{}#{}", file.display(), case.name);
            match case.build() {
                Ok(Built::Fetch(built)) => {
                    explain_fetch(&name, &built, 0);
                    explain_fetch(&name, &built, built.operands.len() / 2);
                    fetches += 1;
                }
                Ok(Built::Surface(built)) => {
                    explain_surface(&name, &built);
                    surfaces += 1;
                }
                // A case that expects that its resource cannot be made has nothing to explain.
                Err(_) => {}
            }
        }
    }
    assert!(fetches > 500 && surfaces > 10, "{fetches} {surfaces}");
}

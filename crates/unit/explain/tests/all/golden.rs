//! The explanations of tests/explain/cases.toml, in all formats, equal the files beside it.
//! `TEXUNIT_BLESS=1` writes them again: look at the pictures before you commit them.

use std::path::{Path, PathBuf};
use texunit_cases::{Built, BuiltFetch, BuiltSurface, Expected};
use texunit_explain::{Explanation, KnownResult, Source, SurfaceExpected, SurfaceExplanation};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/explain")
}

/// The explanation of the first fetch or access of a case as text, JSON and picture.
fn views(built: &Built) -> [String; 3] {
    match built {
        Built::Fetch(built) => fetch_views(built),
        Built::Surface(built) => surface_views(built),
    }
}

fn fetch_views(built: &BuiltFetch) -> [String; 3] {
    let explained =
        Explanation::new(built.form, &built.texture, &built.sampler, &built.operands[0]);
    let mut e = explained.unwrap();
    let Expected::Values(values) = &built.expected else { panic!("a case without an answer") };
    let (values, resident) = (values[0].values, values[0].resident);
    e.known = Some(KnownResult { values, resident, from: Source::Case });
    assert_eq!(e.agrees(), Some(true), "{}", e.text());
    [e.text(), format!("{:#}\n", e.json()), e.svg()]
}

fn surface_views(built: &BuiltSurface) -> [String; 3] {
    let access = &built.accesses[0];
    let form = built.op.forms(access.size)[0];
    let bytes = access.bytes.clone().unwrap_or_default();
    let elements = SurfaceExplanation::elements(form, &bytes);
    let explained = SurfaceExplanation::new(form, &built.surface, access.coords, elements);
    let mut e = explained.unwrap();
    if access.fault.is_some() {
        e.expected = Some(SurfaceExpected::Outside);
        assert_eq!(e.agrees(), Some(true), "{}", e.text());
    }
    [e.text(), format!("{:#}\n", e.json()), e.svg()]
}

#[test]
fn explanations_are_as_they_were() {
    let bless = std::env::var_os("TEXUNIT_BLESS").is_some();
    let cases = texunit_cases::load(folder().join("cases.toml")).unwrap().cases;
    assert!(cases.len() >= 12);
    let mut wrong = Vec::new();
    for case in cases {
        let views = views(&case.build().unwrap());
        for (view, ending) in views.iter().zip(["txt", "json", "svg"]) {
            let path = folder().join(format!("{}.{ending}", case.name));
            if bless {
                std::fs::write(&path, view).unwrap();
            } else if std::fs::read_to_string(&path).ok().as_ref() != Some(view) {
                wrong.push(format!("{}.{ending} differs; found:\n{view}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

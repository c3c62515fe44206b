//! For any text and any verdicts on its parts, the reduction ends without panics.
#![allow(clippy::unwrap_used)]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use texunit_reduce::oracle::CheckJudge;
use texunit_reduce::{Case, Judge, Limits, reduce};
use texunit_testkit::Random;

/// A judge that accepts one text in four, and always the same texts.
struct Whim(u64);

impl Judge for Whim {
    fn fails(&mut self, case: &Case) -> bool {
        let mut hasher = DefaultHasher::new();
        (self.0, &case.ptx, case.job_text()).hash(&mut hasher);
        hasher.finish().is_multiple_of(4)
    }
}

fn run(case: Case, judge: &mut dyn Judge) -> Case {
    let stop = AtomicBool::new(false);
    let limits = Limits { deadline: None, tries: 150, stop: &stop };
    reduce(case, &[], judge, &limits, &mut |_| {}).case
}

fn texts() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/check");
    let mut folders = vec![root];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ptx")
                && let Ok(text) = std::fs::read_to_string(&path)
                && text.len() < 6000
            {
                found.push((path, text));
            }
        }
    }
    found.sort();
    assert!(found.len() > 50, "the files are not where they were");
    found
}

#[test]
fn any_text_and_any_judge() {
    let mut random = Random::new(20_261_123);
    for (n, (_, mut text)) in texts().into_iter().enumerate() {
        // A random part is removed from two of three texts, so that incomplete PTX is reduced too.
        let [mut a, mut b] = [0; 2].map(|_: usize| random.below(text.len() + 1));
        (a, b) = (a.min(b), a.max(b).min(a.min(b) + 400));
        if n % 3 != 0 && text.is_char_boundary(a) && text.is_char_boundary(b) {
            text.replace_range(a..b, "");
        }
        run(Case::of_ptx(&text), &mut Whim(n as u64));
    }
}

/// Reduction keeps the error codes that [`CheckJudge`] requires, and shortens every text.
#[test]
fn every_error_stays() {
    let mut count = 0;
    for (path, text) in texts().into_iter().step_by(2) {
        let options = texunit_check::Options::default();
        let Some(mut judge) = CheckJudge::of(&text, options, false) else { continue };
        let small = run(Case::of_ptx(&text), &mut judge);
        assert!(judge.fails(&small), "{}", path.display());
        assert!(small.ptx.len() < text.len(), "{}: {}", path.display(), small.ptx);
        count += 1;
    }
    assert!(count > 10, "{count} files have errors");
}

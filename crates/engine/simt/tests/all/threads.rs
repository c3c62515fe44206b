//! Compares the words that the threads of a launch store with the expected ones. Each kernel of
//! `tests/data/threads` has one parameter, the address of its output. The comments at the start of
//! a file give the launch, if it is not that of one warp (`launch: grid X Y Z block X Y Z`), and
//! the words of the output (`stores: VALUE*COUNT`).

use crate::common::{How, run_words};
use std::path::Path;
use texunit_simt::JitMode;

/// The number of a text, in decimal or hexadecimal.
fn number(text: &str) -> u32 {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).unwrap(),
        None => text.parse().unwrap(),
    }
}

/// The launch and the output that the comments of a kernel give.
fn wanted(text: &str) -> (How, Vec<u32>) {
    let (mut how, mut words) = (How::default(), Vec::new());
    for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
        match line.split_once(": ") {
            Some(("launch", sizes)) => {
                for part in sizes.split_whitespace().collect::<Vec<_>>().chunks(4) {
                    let size = [1, 2, 3].map(|axis| number(part[axis]));
                    *if part[0] == "grid" { &mut how.grid } else { &mut how.block } = size;
                }
            }
            Some(("stores", runs)) => {
                for run in runs.split_whitespace() {
                    let (word, count) = run.split_once('*').unwrap_or((run, "1"));
                    words.extend(vec![number(word); number(count) as usize]);
                }
            }
            _ => {}
        }
    }
    (how, words)
}

#[test]
fn threads_store_what_their_kernels_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/threads");
    let mut kernels = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let (how, words) = wanted(&text);
        for jit in [JitMode::Off, JitMode::Always] {
            let how = How { jit: Some(jit), ..how };
            assert_eq!(run_words(&text, how, words.len()), words, "{jit:?}: {}", path.display());
        }
        kernels += 1;
    }
    assert!(kernels > 40, "{kernels}");
}

//! Runs `texunit sass` with the arguments of every `tests/cli/sass/*.args` and compares exit code
//! and output with the files beside it. `TEXUNIT_BLESS=1` writes the files.

use crate::{Trials, golden};
use libtest_mimic::Failed;
use std::process::Stdio;

pub(crate) fn add(trials: &mut Trials) {
    golden::trials(trials, "sass", "sass", 25);
    trials.add("there_and_back", there_and_back);
}

fn lines(arguments: &[&str]) -> Vec<String> {
    let output = golden::texunit("sass", arguments, Stdio::null());
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// `dis` reads the output of `asm`, and `asm` that of `dis`.
fn there_and_back() -> Result<(), Failed> {
    for style in ["nvidia", "isa"] {
        let word = ["0xde7c000fb1047c0c", "0x45ea3"];
        let text = lines(&["sass", "dis", "--style", style, "--control", word[1], word[0]]);
        let back = lines(&["sass", "asm", "--force", &text[0]]);
        assert!(back[0].starts_with(word[0]), "{text:?} {back:?}");
        if style == "isa" {
            assert_eq!(back[0], format!("{} 0x045ea3", word[0]));
        }
    }
    Ok(())
}

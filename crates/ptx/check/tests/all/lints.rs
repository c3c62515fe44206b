//! docs/lints.md lists every lint with what it finds, an example and how to silence it; `UPDATE=1
//! cargo test -p texunit-check --test all lints` writes it.

use std::fmt::Write;
use std::path::Path;

use texunit_check::{CODES, Levels, Options, check_source, examples};
use texunit_syntax::SourceFile;

const HEAD: &str = "\
# Lints

ptxas accepts all that is listed here silently. `texunit check` warns of it: the code is right
by the rules, and hardly what its author meant. This page is written from the table `codes.txt` and
from `src/examples/lints.txt` of crate `check`; run `UPDATE=1 cargo test -p texunit-check --test all lints`
after a change there.

## Levels

`--allow CODE` hides a warning, `--deny CODE` turns it into an error, so that the exit code is 1.
Both may be given several times; the word `warnings` stands for all warnings. A code given by name has
precedence over it, and deny over allow.

    texunit check --allow W0204 --deny W0205 kernel.ptx

## When a lint is silent

A lint reports only what is certain.

* There are none in a file with syntax errors, or in a function with a mistake. Lints that need to
  know every fetch of a module require a module without mistakes.
* Instructions of asynchronous units (`wgmma`, `cp.async`, `mbarrier` and so on) may read and write every
  register that they mention: nothing is said about these registers.
* Results of calls, parameters of functions and what is loaded from local memory count as the same in
  all threads. So does a load from an address that is the same.
* Compilers leave a register unwritten where the program does not need its value, and generate code
  after `exit` and `trap` of inline assembly. Modules of NVIDIA's compilers and of LLVM, recognised by their
  header or their labels (`$L__BB0_1`), get W0202 only where no write can precede the read, and do not get
  W0204 after `exit` and `trap`; with `.target debug`, they do not get W0201 for copies.
* Searches have limits, which grow with the function and which code written by people or compilers
  does not approach; beyond them a lint says nothing.

W0101 (offsets), which the checker reports for numbers, is also reported for registers that certainly
contain a number.
";

#[test]
fn the_page_lists_every_lint() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/lints.md");
    let page = page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/lints.md is out of date: run with UPDATE=1");
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for code in CODES.iter().filter(|c| c.code.starts_with("W02")) {
        let example = examples::example(code.code).unwrap();
        let (id, title, text) = (code.code, code.title, code.explanation);
        writeln!(page, "\n<a id=\"{id}\"></a>\n\n## {id}: {title}\n\n{text}").unwrap();
        let right = example.right.replace('\t', "    ");
        let wrong = example.wrong.replace('\t', "    ");
        writeln!(page, "\n```ptx\n// {}\n{wrong}\n\n// right\n{right}\n```", code.code).unwrap();
        writeln!(page, "\nSilenced by `--allow {}`.", code.code).unwrap();
    }
    page
}

/// Every lint can be silenced, and denied.
#[test]
fn levels_reach_every_lint() {
    for code in CODES.iter().filter(|c| c.code.starts_with("W02")) {
        let source = SourceFile::new("k.ptx", examples::example(code.code).unwrap().wrong_module());
        let found = check_source(&source, &Options::default());
        assert!(found.iter().any(|d| d.code == code.code && !d.is_error()), "{}", code.code);
        let mut allowed = found.clone();
        Levels::new(&[code.code], &[]).unwrap().apply(&mut allowed);
        assert!(allowed.iter().all(|d| d.code != code.code));
        let mut denied = found;
        Levels::new(&[], &[code.code]).unwrap().apply(&mut denied);
        assert!(denied.iter().filter(|d| d.code == code.code).all(|d| d.is_error()));
    }
}

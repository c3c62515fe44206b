//! Tests the pages of this repository: links and anchors are valid, every page of docs/ is in the
//! guide, commands exist, code blocks in PTX, Rust, TOML and JSON are valid, and the commands in
//! `console` blocks print what is below them and write the pictures beside the page. Examples in
//! help texts are run, too. `TEXUNIT_BLESS=1` writes outputs and pictures instead of comparing
//! them.
#![allow(clippy::unwrap_used)]

mod blocks;
mod console;
#[path = "../help_examples/mod.rs"]
mod help_examples;
mod links;
mod page;

use libtest_mimic::{Arguments, Failed, Trial};
use page::{Page, pages};

fn main() {
    let args = Arguments::from_args();
    let mut trials = Vec::new();
    for path in pages() {
        let name = Page::name(&path);
        let mut add = |kind: &str, test: fn(&Page) -> Result<(), Failed>| {
            let path = path.clone();
            trials.push(Trial::test(format!("{kind}::{name}"), move || test(&Page::read(&path))));
        };
        add("links", links::resolve);
        add("blocks", blocks::are_right);
        if Page::read(&path).blocks().iter().any(|block| block.language == "console") {
            add("console", console::prints_what_it_says);
        }
    }
    trials.extend(help_examples::trials(None));
    let consoles = trials.iter().filter(|trial| trial.name().starts_with("console::")).count();
    assert!(consoles > 8, "{consoles} pages with commands: the guide is not where it was");
    let mut add = |name: &str, test: fn() -> Result<(), Failed>| {
        trials.push(Trial::test(name, test));
    };
    add("links::every page is in the guide", links::every_page_is_in_the_guide);
    add("links::mentioned pages are there", links::mentioned_pages_are_there);
    add("links::what is wrong is found", links::what_is_wrong_is_found);
    add("blocks::what is wrong is found", blocks::what_is_wrong_is_found);
    add("console::every picture is made by a command", console::every_picture_is_made);
    add("console::every file is listed", console::every_file_is_listed);
    libtest_mimic::run(&args, trials).exit();
}

//! Tests the pages of this repository: links and anchors are valid, every page of docs/ is in the
//! guide, commands exist, code blocks in PTX, Rust, TOML and JSON are valid, and the commands in
//! `console` blocks print what is below them and write the pictures beside the page. Examples in
//! help texts are run, too. `TEXUNIT_BLESS=1` writes outputs and pictures instead of comparing
//! them.

mod blocks;
mod console;
mod links;
mod page;

use crate::{Trials, help_examples};
use libtest_mimic::Failed;
use page::{Page, pages};

pub(crate) fn add(trials: &mut Trials) {
    let mut consoles = 0;
    for path in pages() {
        let name = Page::name(&path);
        let mut add = |kind: &str, test: fn(&Page) -> Result<(), Failed>| {
            let path = path.clone();
            trials.add(format!("{kind}::{name}"), move || test(&Page::read(&path)));
        };
        add("links", links::resolve);
        add("blocks", blocks::are_right);
        if Page::read(&path).blocks().iter().any(|block| block.language == "console") {
            add("console", console::prints_what_it_says);
            consoles += 1;
        }
    }
    assert!(consoles > 8, "{consoles} pages with commands: the guide is not where it was");
    for (name, is_slow, run) in help_examples::tests(None) {
        trials.add_ignored_if(is_slow, name, run);
    }
    trials.add("links::every page is in the guide", links::every_page_is_in_the_guide);
    trials.add("links::mentioned pages are there", links::mentioned_pages_are_there);
    trials.add("links::what is wrong is found", links::what_is_wrong_is_found);
    trials.add("blocks::what is wrong is found", blocks::what_is_wrong_is_found);
    trials.add("console::every picture is made by a command", console::every_picture_is_made);
    trials.add("console::every file is listed", console::every_file_is_listed);
}

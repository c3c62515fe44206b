//! Runs commands in pages, and compares their output.
//!
//! A `console` block has commands, which begin with `$ `, each followed by its output, errors
//! included. `sh` runs them in a copy of the page's folder, or of the folder in a comment before
//! the block (`<!-- folder: examples/rotate -->`); all blocks of a page share the copy. `...`
//! stands for any characters up to the end of its line. Pictures that a command writes (`--out
//! x.svg`) must equal those beside the page.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::Failed;
use texunit_testkit::TempDir;

use super::page::{Block, Page, below, pages, root};

pub(crate) fn prints_what_it_says(page: &Page) -> Result<(), Failed> {
    let bless = std::env::var_os("TEXUNIT_BLESS").is_some();
    let temp = TempDir::new("guide");
    let mut folders = BTreeMap::new();
    let (mut text, mut wrong) = (page.text.clone(), Vec::new());
    // Replaced from the last to the first, so that offsets stay valid; the commands have run in
    // order.
    let mut ran = Vec::new();
    for block in page.blocks().into_iter().filter(|block| block.language == "console") {
        let folder = folder_of(page, &block);
        let count = folders.len();
        let copy = folders.entry(folder.clone()).or_insert_with(|| temp.join(format!("{count}")));
        if !copy.exists() {
            copy_folder(&folder, copy)?;
        }
        ran.push((run(&block, copy)?, block));
    }
    for (now, block) in ran.into_iter().rev() {
        if fits(&block.code, &now) {
            continue;
        }
        wrong.push(format!("the page has\n{}but it is\n{now}", block.code));
        text.replace_range(block.start..block.start + block.code.len(), &now);
    }
    for (folder, copy) in &folders {
        wrong.extend(pictures(&page.text, folder, copy, bless)?);
    }
    if bless {
        if text != page.text {
            std::fs::write(&page.path, text)?;
        }
        return Ok(());
    }
    wrong.reverse();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn folder_of(page: &Page, block: &Block) -> PathBuf {
    let named = block.remark.as_deref().and_then(|remark| remark.strip_prefix("folder: "));
    named.map_or(page.path.parent().unwrap().to_owned(), |folder| root().join(folder))
}

/// Copies the files of a folder and its subfolders.
fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let copy = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &copy)?
        } else {
            std::fs::copy(&path, copy).map(drop)?
        }
    }
    Ok(())
}

/// The commands of a block; a line that ends with `\` continues in the next one.
fn commands(code: &str) -> Vec<String> {
    let (mut found, mut lines) = (Vec::new(), code.lines());
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("$ ") else { continue };
        let mut command = first.to_owned();
        while command.ends_with('\\') {
            let Some(next) = lines.next() else { break };
            command.push('\n');
            command.push_str(next);
        }
        found.push(command);
    }
    found
}

/// A block with the current output of its commands.
fn run(block: &Block, folder: &Path) -> Result<String, Failed> {
    let program = Path::new(env!("CARGO_BIN_EXE_texunit")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH")?);
    let mut text = String::new();
    for command in commands(&block.code) {
        let output = Command::new("sh")
            .args(["-c", &format!("{{ {command}\n}} 2>&1")])
            .current_dir(folder)
            .env("PATH", &path)
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .output()?;
        let printed = String::from_utf8(output.stdout)?;
        if !output.status.success() {
            return Err(format!("`{command}` ends with {}: {printed}", output.status).into());
        }
        text += &format!("$ {command}\n{printed}");
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    Ok(text)
}

/// Whether a text is as expected, with `...` for the rest of a line.
fn fits(expected: &str, found: &str) -> bool {
    let (expected, found): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    expected.len() == found.len()
        && expected.iter().zip(&found).all(|(expected, found)| {
            expected.strip_suffix("...").map_or(expected == found, |start| found.starts_with(start))
        })
}

/// Pictures of a page that differ from those beside it. Other pictures of the folder belong to
/// other pages, whose tests may be writing them.
fn pictures(page: &str, folder: &Path, copy: &Path, bless: bool) -> Result<Vec<String>, Failed> {
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(copy)? {
        let made = entry?.path();
        let name = made.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if made.extension().is_none_or(|e| e != "svg") || !page.contains(&name) {
            continue;
        }
        let kept = folder.join(made.file_name().unwrap());
        if std::fs::read(&made)? == std::fs::read(&kept).unwrap_or_default() {
            continue;
        }
        if bless {
            std::fs::copy(&made, &kept)?;
        } else {
            wrong.push(format!("{} is not what its command draws", kept.display()));
        }
    }
    Ok(wrong)
}

/// Every picture of docs/ is the output of a command.
pub(crate) fn every_picture_is_made() -> Result<(), Failed> {
    let mut made = Vec::new();
    for path in pages() {
        let page = Page::read(&path);
        for block in page.blocks().into_iter().filter(|block| block.language == "console") {
            let words = block.code.split_whitespace().filter(|word| word.ends_with(".svg"));
            made.extend(words.map(|word| folder_of(&page, &block).join(word)));
        }
    }
    let mut other = Vec::new();
    below(&root().join("docs"), &mut |path| {
        // python/compare/page.py, which `.ci/compare` runs, measures those of docs/compare; a test
        // of the crate `sfu` draws docs/special-functions.svg; tests/debug/README.md has the
        // command for the session of an editor.
        let is_measured = path.starts_with(root().join("docs/compare"))
            || ["docs/special-functions.svg", "docs/debugger/adapter.svg"]
                .iter()
                .any(|picture| *path == root().join(picture));
        let is_made = is_measured || made.iter().any(|made| made == path);
        if path.extension().is_some_and(|e| e == "svg") && !is_made {
            other.push(Page::name(path));
        }
    });
    assert!(made.len() > 6, "{made:?}");
    assert!(
        fits("$ a\nin ...\n", "$ a\nin 2 ms\n")
            && !fits("$ a\nb\n", "$ a\n")
            && !fits("a\n", "b\n")
    );
    if other.is_empty() { Ok(()) } else { Err(format!("no command makes {other:?}").into()) }
}

/// `texunit examples` lists every file that commands read, for users without a clone.
pub(crate) fn every_file_is_listed() -> Result<(), Failed> {
    let list = std::fs::read_to_string(root().join("examples/guide.txt"))?;
    let entries: Vec<_> = list.lines().filter(|line| !line.starts_with('#')).collect();
    let (mut read, mut missing) = (0, Vec::new());
    for path in pages() {
        let page = Page::read(&path);
        for block in page.blocks().into_iter().filter(|block| block.language == "console") {
            let folder = folder_of(&page, &block);
            let commands = commands(&block.code).join(" ");
            let words = commands.split([' ', '\n', '\\', ';', '#']);
            for file in words.map(|word| folder.join(word)).filter(|file| file.is_file()) {
                let name = Page::name(&file);
                read += 1;
                let is_listed = entries.iter().any(|entry| Path::new(&name).starts_with(entry));
                if !is_listed && !name.ends_with(".svg") {
                    missing.push(name);
                }
            }
        }
    }
    assert!(read > 30, "{read} files are read: commands are not what they were");
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!("examples/guide.txt lacks {missing:?}").into()),
    }
}

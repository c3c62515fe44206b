//! Runs the program with the arguments of files, and compares its output with files.

use crate::Trials;
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of tests/cli.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/cli").join(name)
}

/// Runs the program in a folder of tests/cli.
pub(crate) fn texunit(name: &str, arguments: &[&str], stdin: Stdio) -> Output {
    Command::new(env!("CARGO_BIN_EXE_texunit"))
        .current_dir(folder(name))
        .env("NO_COLOR", "1")
        .args(arguments)
        .stdin(stdin)
        .output()
        .unwrap()
}

/// The files of a folder with an ending, sorted.
pub(crate) fn files(folder: &Path, ending: &str, least: usize) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == ending)).collect();
    files.sort();
    assert!(files.len() >= least, "only {} files in {}", files.len(), folder.display());
    files
}

/// Adds a test for each file of a folder of tests, with the name of the file.
pub(crate) fn of_files(
    trials: &mut Trials,
    (folder, ending): (&str, &str),
    least: usize,
    run: impl Fn(&Path) -> Result<(), Failed> + Copy + Send + 'static,
) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests").join(folder);
    for file in files(&folder.canonicalize().unwrap(), ending, least) {
        let stem = file.file_stem().unwrap().to_str().unwrap().to_owned();
        trials.add(stem, move || run(&file));
    }
}

/// Adds a test for each `tests/cli/NAME/*.args`, whose content is the arguments of `texunit
/// COMMAND`, or of `texunit` if COMMAND is empty. `# exit: 2` gives the expected exit code, and `#
/// stdin: FILE` the standard input.
pub(crate) fn trials(trials: &mut Trials, name: &'static str, command: &'static str, least: usize) {
    of_files(trials, (&format!("cli/{name}"), "args"), least, move |case| run(name, command, case));
}

fn run(name: &str, command: &str, case: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(case)?;
    let head = |key: &str| text.lines().find_map(|l| l.strip_prefix(key)).map(str::trim);
    let exit = head("# exit:").map_or(0, |code| code.parse().unwrap());
    let stdin = match head("# stdin:") {
        Some(file) => std::fs::File::open(case.with_file_name(file))?.into(),
        None => Stdio::null(),
    };
    let is_head = |line: &&str| line.starts_with("# exit:") || line.starts_with("# stdin:");
    let words = text.lines().filter(|l| !is_head(l)).flat_map(str::split_whitespace);
    let command = Some(command).filter(|command| !command.is_empty());
    let arguments: Vec<&str> = command.into_iter().chain(words).collect();
    let output = texunit(name, &arguments, stdin);
    let (stdout, stderr) = (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
    if output.status.code() != Some(exit) {
        return Err(format!("exit {:?}, expected {exit}\n{stdout}{stderr}", output.status).into());
    }
    compare(&case.with_extension("stdout"), &stdout)?;
    compare(&case.with_extension("stderr"), &stderr)
}

/// Adds a test for each `tests/cli/NAME/*.lines`, each line of which is a command line of
/// `texunit`, with `\s` for a space in an argument and `''` for an empty one. The file `.answers`
/// has exit codes and outputs.
pub(crate) fn lines(trials: &mut Trials, name: &'static str, least: usize) {
    of_files(trials, (&format!("cli/{name}"), "lines"), least, move |case| {
        let mut answers = String::new();
        for line in std::fs::read_to_string(case)?.lines() {
            let word = |word: &str| word.replace("\\s", " ").replace("''", "");
            let words: Vec<String> = line.split(' ').map(word).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let Output { status, stdout, stderr } = texunit(name, &words, Stdio::null());
            let text = String::from_utf8([stdout, stderr].concat())?;
            answers += &format!("$ texunit {line}\n{text}{status}\n\n");
        }
        compare(&case.with_extension("answers"), &answers)
    });
}

/// Compares a text with a file, which does not exist if the text is empty. `TEXUNIT_BLESS=1` writes
/// it.
pub(crate) fn compare(path: &Path, text: &str) -> Result<(), Failed> {
    if std::env::var_os("TEXUNIT_BLESS").is_some() {
        if text.is_empty() {
            let _ = std::fs::remove_file(path);
        } else {
            std::fs::write(path, text)?;
        }
        return Ok(());
    }
    let expected = if path.exists() { std::fs::read_to_string(path)? } else { String::new() };
    if expected == text {
        return Ok(());
    }
    let name = path.file_name().unwrap().display();
    let line = text.lines().zip(expected.lines()).take_while(|(a, b)| a == b).count() + 1;
    Err(format!("line {line} differs from {name}; found:\n{text}\nexpected:\n{expected}").into())
}

//! Tests code blocks in pages.

use std::process::Command;

use clap::Parser;
use libtest_mimic::Failed;

use super::page::{Block, Page};

/// Pages whose PTX examples are wrong on purpose, and are tested separately.
const EXAMPLES_OF_MISTAKES: [&str; 2] = ["docs/diagnostics.md", "docs/lints.md"];

/// Checks that every block is valid in its language.
pub(crate) fn are_right(page: &Page) -> Result<(), Failed> {
    let name = Page::name(&page.path);
    let mut wrong = Vec::new();
    for block in page.blocks() {
        let examples = block.language == "ptx" && EXAMPLES_OF_MISTAKES.contains(&name.as_str());
        if !examples && let Err(message) = is_right(&block) {
            wrong.push(format!("{message}, in\n{}", block.code));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn is_right(block: &Block) -> Result<(), String> {
    match block.language.as_str() {
        "sh" | "console" => commands(block).iter().try_for_each(|words| parses(words)),
        "ptx" => ptx(&block.code),
        "toml" => toml(&block.code),
        "python" => python(&block.code),
        "json" => serde_json::from_str::<serde_json::Value>(&block.code)
            .map(drop)
            .map_err(|error| error.to_string()),
        _ => Ok(()),
    }
}

/// The calls of `texunit` in a block, each as a list of words.
fn commands(block: &Block) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let whole = block.code.replace("\\\n", " ");
    for line in whole.lines() {
        let line = match block.language.as_str() {
            "console" => line.strip_prefix("$ "),
            _ => Some(line),
        };
        for command in line.map(split).unwrap_or_default() {
            let is_variable = |word: &&String| word.contains('=') && !word.starts_with('-');
            let at = command.iter().take_while(is_variable).count();
            let named = |word: &String| word == "texunit" || word.ends_with("/texunit");
            // `for x in ...; do texunit ...` and `if ! texunit ...`.
            let at = at
                + command[at..]
                    .iter()
                    .take_while(|w| ["do", "then", "!"].contains(&w.as_str()))
                    .count();
            // The value of a variable is unknown before the command runs.
            let varies = command.iter().any(|word| word.contains('$'));
            if command.get(at).is_some_and(named) && !varies {
                found.push(command[at..].to_vec());
            }
        }
    }
    found
}

/// Splits a shell line into commands at `|`, `;`, `&&` and `>`, and each command into words without
/// quotes.
fn split(line: &str) -> Vec<Vec<String>> {
    let (mut commands, mut words, mut word, mut quote) =
        (Vec::new(), Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ' | '\t' | '|' | ';' | '&' | '>' | '<') => {
                words.extend(word.take());
                if !c.is_whitespace() {
                    commands.push(std::mem::take(&mut words));
                }
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    commands.push(words);
    commands.retain(|words: &Vec<String>| !words.is_empty());
    commands
}

fn parses(words: &[String]) -> Result<(), String> {
    use clap::error::ErrorKind;
    match texunit::command_line::Cli::try_parse_from(words) {
        Ok(_) => Ok(()),
        Err(e) if matches!(e.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => Ok(()),
        Err(error) => Err(format!("`{}`: {error}", words.join(" "))),
    }
}

/// Checks PTX: a module, or instructions with the registers that examples usually use.
fn ptx(code: &str) -> Result<(), String> {
    let module = if code.contains(".version") {
        code.to_owned()
    } else {
        let registers = ".reg .f32 %f<32>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<8>;";
        let body = format!("{registers}\n{code}\nret;");
        texunit_testkit::ptx::kernel(texunit_testkit::ptx::SM_75, ".param .u64 out", &body)
    };
    let source = texunit_syntax::SourceFile::new("page.ptx", module);
    let found = texunit_check::check_source(&source, &texunit_check::Options::default());
    let error = found.iter().find(|d| d.severity == texunit_syntax::Severity::Error);
    error.map_or(Ok(()), |error| Err(format!("{}: {}", error.code, error.message)))
}

/// Checks that Python can parse the code, if Python is installed.
fn python(code: &str) -> Result<(), String> {
    let program = "import ast, sys; ast.parse(sys.argv[1])";
    match Command::new("python3").args(["-c", program, code]).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => {
            texunit_testkit::skipped(&format!("code in Python: python3: {error}"));
            Ok(())
        }
    }
}

/// Checks TOML: a job, or another table.
fn toml(code: &str) -> Result<(), String> {
    let table: toml::Table = code.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let of_jobs = ["kernel", "grid", "params", "textures", "surfaces", "globals", "objects"];
    if !of_jobs.iter().any(|key| table.contains_key(*key)) {
        return Ok(());
    }
    let head = "ptx = 'a'\nkernel = 'k'\ngrid = 1\nblock = 1\n";
    let whole = if table.contains_key("ptx") { code.to_owned() } else { format!("{head}{code}") };
    let problems = texunit_job::Problems::default();
    texunit_job::parse(&whole, &problems);
    problems.take().first().map_or(Ok(()), |problem| Err(format!("{problem:?}")))
}

/// Wrong blocks must be detected.
pub(crate) fn what_is_wrong_is_found() -> Result<(), Failed> {
    let block = |language: &str, code: &str| Block {
        language: language.to_owned(),
        code: code.to_owned(),
        start: 0,
        remark: None,
    };
    let cases = [
        (
            "sh",
            "texunit launch job.toml --effective | head   # a remark",
            "texunit launch --efective job.toml",
        ),
        ("sh", "A=1 texunit check k.ptx > 'a b.txt'", "cat x | texunit chek -"),
        (
            "console",
            "$ texunit isa tex.grad\ntexunit nonsense",
            "$ for i in 1 2; do texunit isa --no; done",
        ),
        ("ptx", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", "add.f32 %f1, %f2;"),
        ("toml", "[params.a]\nscalar = { u32 = 1 }", "[params.a]\nscaler = { u32 = 1 }"),
        ("toml", "[language-server]\na = 1", "a = "),
        ("json", "{\"a\": 1}", "{a: 1}"),
        ("python", "a = 1  # one", "a = "),
    ];
    for (language, right, wrong) in cases {
        is_right(&block(language, right))?;
        let unknown = language == "python" && Command::new("python3").arg("-V").output().is_err();
        if is_right(&block(language, wrong)).is_ok() && !unknown {
            return Err(format!("`{wrong}` passes").into());
        }
    }
    Ok(())
}

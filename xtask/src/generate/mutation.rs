//! Mutations of the bundled examples, and of kernels compiled by nvcc: a token is deleted, doubled,
//! swapped or replaced by a similar one. Most changes are small, such as another type or another
//! register of the same kind, so that many modules stay valid or nearly so.

use super::Question;
use super::grammar::{draw, pool, weighted};
use super::setup::machine;
use flate2::read::GzDecoder;
use std::io::Read as _;
use std::path::Path;
use texunit_check::Ptxas;
use texunit_syntax::{Span, token_spans};
use texunit_testkit::Random;

/// Folders and files with modules that are mutated, and their weights.
const FOLDERS: &[(&str, usize)] =
    &[("examples", 25), ("tests/programs", 45), ("tests/check/semantics", 10), (SAMPLE, 20)];

/// The path of a module compiled by nvcc, each kernel of which is an example.
const SAMPLE: &str = "bench/data/sample.ptx.gz";

/// Percentage of mutations that probably leave the module valid.
const GENTLY: u32 = 75;

/// Maximum size in bytes of a mutated module, because ptxas takes too long for larger ones.
const LARGEST: u64 = 40_000;

/// A module that is mutated, as tokens.
pub(super) struct Example {
    folder: usize,
    /// Whether the module reaches or exceeds the maximum number of references of a kernel.
    limits: bool,
    tokens: Vec<Token>,
}

/// A token of a module, with the white space before it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    space: String,
    text: String,
}

/// Reads the modules of all folders, sorted by path.
pub(super) fn examples() -> std::io::Result<Vec<Example>> {
    let (root, mut examples) = (crate::workspace(), Vec::new());
    for (folder, (name, _)) in FOLDERS.iter().enumerate() {
        if *name == SAMPLE {
            for text in kernels(&root.join(name))? {
                examples.push(Example { folder, limits: false, tokens: tokens(&text) });
            }
            continue;
        }
        let mut paths = Vec::new();
        collect(&root.join(name), &mut paths)?;
        paths.sort();
        for path in paths {
            let limits =
                path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("limits"));
            let text = std::fs::read_to_string(path)?;
            // A file with options for the checker is skipped, because ptxas does not have these.
            if !text.starts_with("// options:") {
                examples.push(Example { folder, limits, tokens: tokens(&text) });
            }
        }
    }
    Ok(examples)
}

/// Splits a file compiled by nvcc into one module for each kernel, with the file's header.
fn kernels(path: &Path) -> std::io::Result<Vec<String>> {
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path)?).read_to_string(&mut text)?;
    let mut parts = text.split("\t// .globl\t");
    let header = parts.next().unwrap_or_default().to_owned();
    // The comment before a kernel ends with its name; module variables precede the first kernel.
    let kernel = |part: &str| part.find(".visible").map(|at| part[at..].to_owned());
    let small = |text: &String| text.len() as u64 <= LARGEST;
    Ok(parts.filter_map(kernel).filter(small).map(|k| header.clone() + &k).collect())
}

fn collect(folder: &Path, paths: &mut Vec<std::path::PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|e| e == "ptx") && path.metadata()?.len() <= LARGEST
        {
            paths.push(path);
        }
    }
    Ok(())
}

/// A question about a randomly selected and mutated module.
pub(super) fn question(
    examples: &[Example],
    release: Ptxas,
    family: &'static str,
    random: &mut Random,
) -> Question {
    let folder = weighted(FOLDERS.iter().map(|(_, weight)| *weight), random);
    let own: Vec<&Example> = examples.iter().filter(|e| Some(e.folder) == folder).collect();
    let list = if own.is_empty() { examples.iter().collect() } else { own };
    let example = list.get(random.below(list.len().max(1)));
    let mut tokens = example.map_or(Vec::new(), |e| e.tokens.clone());
    let assemble = example.is_some_and(|e| e.limits);
    if random.chance(96) {
        suit(&mut tokens, release);
    }
    let strength = match random.below(20) {
        0 => 0,
        1..=12 => 1,
        13..=16 => 2,
        17..=18 => 4,
        _ => 10,
    };
    for _ in 0..strength {
        mutate(&mut tokens, random);
    }
    let target = target_of(&tokens);
    let arch = match target.1.is_empty() {
        true => machine(release, target.0, random).to_string(),
        false => format!("{}{}", target.0, target.1),
    };
    Question { assemble, ..Question::of_module(family, release, arch, text(&tokens)) }
}

/// Mutates the text of a module.
pub(super) fn mutated(module: &str, strength: usize, random: &mut Random) -> String {
    let mut tokens = tokens(module);
    for _ in 0..strength {
        mutate(&mut tokens, random);
    }
    text(&tokens)
}

fn text(tokens: &[Token]) -> String {
    tokens.iter().map(|t| format!("{}{}", t.space, t.text)).collect()
}

/// Lowers the PTX version to one that the ptxas release supports.
fn suit(tokens: &mut [Token], release: Ptxas) {
    let (major, minor) = release.newest_version();
    let newest = f64::from(major) + f64::from(minor) / 10.0;
    if let Some(n) = tokens.iter().position(|t| t.text == ".version")
        && let Some(version) = tokens.get_mut(n + 1)
        && version.text.parse::<f64>().is_ok_and(|v| v > newest)
    {
        version.text = format!("{major}.{minor}");
    }
}

/// The number and suffix letter of the first architecture after `.target`.
fn target_of(tokens: &[Token]) -> (u32, String) {
    let possible =
        |name: &&str| format!("sm_{name}").parse::<texunit_check::Architecture>().is_ok();
    let name = tokens.iter().find_map(|t| t.text.strip_prefix("sm_")).filter(possible);
    let name = name.unwrap_or("75");
    let digits = name.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    (digits.parse().unwrap_or(75), name[digits.len()..].to_owned())
}

fn mutate(tokens: &mut Vec<Token>, random: &mut Random) {
    for _ in 0..50 {
        if tokens.is_empty() {
            return;
        }
        let n = random.below(tokens.len());
        if tokens[n].text.is_empty() {
            continue;
        }
        // The header is often left unchanged, because an invalid header hides all errors after it.
        if n < 8 && random.chance(50) {
            continue;
        }
        if random.chance(GENTLY) {
            match gentle(tokens, n, random) {
                true => return,
                false => continue,
            }
        }
        match random.below(10) {
            0 => drop(tokens.remove(n)),
            1 => {
                tokens.insert(n, tokens[n].clone());
            }
            2 if n + 1 < tokens.len() => {
                let text = std::mem::take(&mut tokens[n].text);
                tokens[n].text = std::mem::replace(&mut tokens[n + 1].text, text);
            }
            _ => match near(tokens, n, random) {
                Some(other) if other != tokens[n].text => tokens[n].text = other,
                _ => continue,
            },
        }
        return;
    }
}

/// The groups of a pool that have a word.
fn groups(name: &str, word: &str) -> Vec<Vec<&'static str>> {
    let groups = pool(name).iter().map(|group| group.split(' ').collect::<Vec<_>>());
    groups.filter(|group| group.contains(&word)).collect()
}

/// Replaces a token by one that is probably valid.
fn gentle(tokens: &mut [Token], n: usize, random: &mut Random) -> bool {
    let text = tokens[n].text.clone();
    let kinds = groups("gentle", &text);
    if !kinds.is_empty() {
        let kind = random.of(&kinds);
        tokens[n].text = random.of(&kind).to_owned();
        return tokens[n].text != text;
    }
    if text == ","
        && let Some([before, _, after]) = tokens.get_mut(n.saturating_sub(1)..n + 2)
    {
        let can_swap = plain(&before.text) && plain(&after.text) && before.text != after.text;
        if can_swap {
            std::mem::swap(&mut before.text, &mut after.text);
        }
        return can_swap;
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        // Version numbers and the lengths of register declarations are left unchanged, because
        // other ones are rarely valid.
        if n > 0 && matches!(tokens[n - 1].text.as_str(), ".version" | ".address_size" | "<") {
            return false;
        }
        tokens[n].text = draw("small_numbers", random).to_owned();
        return tokens[n].text != text;
    }
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || "%_$".contains(c)) {
        return false;
    }
    // The token is replaced by a register or name that differs in its number only.
    let stem = |t: &str| t.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let own = stem(&text);
    let alike: Vec<String> = tokens
        .iter()
        .filter(|t| t.text != text && t.text.len() > own.len() && stem(&t.text) == own)
        .map(|t| t.text.clone())
        .collect();
    match alike.get(random.below(alike.len().max(1))) {
        Some(other) if own != text => {
            tokens[n].text.clone_from(other);
            true
        }
        _ => false,
    }
}

/// Whether a token is a name or a number.
fn plain(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || "%_$".contains(c))
}

/// A word that can replace the token: one of the same group, or one of the same kind.
fn near(tokens: &[Token], n: usize, random: &mut Random) -> Option<String> {
    let text = &tokens[n].text;
    let kinds = groups("kinds", text);
    if !kinds.is_empty() {
        return Some(random.of(&random.clone().of(&kinds)).to_owned());
    }
    if n > 0 && tokens[n - 1].text == ".version" {
        return Some(draw("versions", random).to_owned());
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(draw("numbers", random).to_owned());
    }
    if text.starts_with('.') {
        // A modifier or directive without a group is removed.
        return Some(String::new());
    }
    // A name is replaced by another name of the module, preferably one with the same first letters.
    let names: Vec<&str> = tokens
        .iter()
        .map(|t| t.text.as_str())
        .filter(|t| t.starts_with(|c: char| c.is_ascii_alphabetic() || "%_$".contains(c)))
        .collect();
    let alike: Vec<&str> = names.iter().copied().filter(|t| t.get(..2) == text.get(..2)).collect();
    let list = if random.chance(60) && alike.len() > 1 { alike } else { names };
    (!list.is_empty()).then(|| random.of(&list).to_owned())
}

/// Splits a text into tokens; comments count as white space.
fn tokens(text: &str) -> Vec<Token> {
    let mut end = 0;
    let token = |span: Span| {
        let (start, before) = (span.start as usize, end);
        end = span.end as usize;
        Token { space: text[before..start].into(), text: text[span.range()].into() }
    };
    token_spans(text).map(token).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_give_the_text_back() {
        assert!(examples().unwrap().len() > 50);
        let line = "// a\nadd.s32 %r1, %r2, -4; /* b */ ld.global::x [a+4], 0f3F800000; \"a b\"";
        let tokens = tokens(line);
        assert_eq!(text(&tokens), line);
        let words: Vec<&str> = tokens.iter().map(|t| t.text.as_str()).collect();
        assert_eq!(words[..8], ["add", ".s32", "%r1", ",", "%r2", ",", "-", "4"]);
        assert!(words.contains(&".global::x") && words.contains(&"\"a b\""));
    }

    #[test]
    fn mutations_change_the_text() {
        let module = ".version 7.0\n.target sm_75\n.entry k() { .reg .b32 %r<4>; add.s32 %r1, %r2, 4; ret; }\n";
        let mut changed = 0;
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let once = mutated(module, 1, &mut random);
            assert_eq!(once, mutated(module, 1, &mut Random::new(seed)));
            changed += usize::from(once != module);
        }
        assert!(changed > 190, "{changed}");
        assert_eq!(mutated(module, 0, &mut Random::new(1)), module);
    }
}

//! Compares texunit's verdicts on generated modules with those of ptxas, and prints a table.
//!
//! Where ptxas names the line of each error, it checks many instructions at a time; an
//! instruction on which the verdicts differ is checked again alone before it is reported.

use crate::generate::{Families, Question};
use crate::ptxas::{self, Answer, Tool, each};
use flate2::{Compression, write::GzEncoder};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use texunit_check::{Options, Ptxas, Verdicts, check_source};
use texunit_syntax::SourceFile;
use texunit_testkit::TempDir;

/// Number of ptxas runs on the lines of one module after which each remaining line is checked
/// alone.
const RUNS: usize = 12;
/// The maximum number of printed differences.
const SHOWN: usize = 40;

/// The arguments of `oracle`, and of `ask`, which has lines instead of random modules.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Request {
    /// Number of modules
    #[arg(value_name = "N")]
    count: usize,
    /// Seed of the random modules
    seed: u64,
    #[command(flatten)]
    tools: ptxas::Choice,
    /// Only modules of this family
    #[arg(long, value_name = "NAME", value_parser = Families::NAMES)]
    family: Option<String>,
    /// Write all modules and verdicts to a gzipped file of JSON lines
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    #[arg(skip)]
    lines: Option<Lines>,
}

/// Instructions to check.
#[derive(Debug, clap::Args)]
pub(crate) struct Lines {
    /// File with an instruction on each line
    file: PathBuf,
    /// Version and target of the module, with options of the target
    #[arg(long, default_value = "8.8 75")]
    head: String,
}

/// The arguments of `ask`.
#[derive(Debug, clap::Args)]
pub(crate) struct Ask {
    #[command(flatten)]
    lines: Lines,
    #[command(flatten)]
    tools: ptxas::Choice,
    /// Write the modules on which the verdicts agree to a gzipped file of JSON lines
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

impl From<Ask> for Request {
    fn from(Ask { lines, tools, save }: Ask) -> Self {
        Self { tools, lines: Some(lines), save, ..Self::default() }
    }
}

/// A module, with the verdicts of ptxas and of texunit on it.
struct Comparison {
    family: &'static str,
    release: Ptxas,
    arch: String,
    module: String,
    /// The error that ptxas reports; `None` if it accepts the module.
    theirs: Option<String>,
    /// The error that texunit reports; `None` if it accepts the module.
    ours: Option<String>,
}

impl Comparison {
    fn differs(&self) -> bool {
        self.theirs.is_none() != self.ours.is_none()
    }

    /// The verdicts of ptxas and of texunit: an error, or `accepted`.
    fn verdicts(&self) -> (&str, &str) {
        (self.theirs.as_deref().unwrap_or("accepted"), self.ours.as_deref().unwrap_or("accepted"))
    }
}

/// Compares the verdicts of texunit and ptxas on the requested modules.
pub(crate) fn run(request: &Request) -> ExitCode {
    let found = request.tools.found();
    if found.is_empty() {
        eprintln!("WARNING: NOTHING WAS COMPARED: there is no ptxas to ask.");
        return ExitCode::SUCCESS;
    }
    code(compare(request, &found))
}

/// The exit code of a comparison with this number of differences: 0, 1, or 2 if it cannot be made.
pub(crate) fn code(differences: std::io::Result<usize>) -> ExitCode {
    match differences {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// The folder of modules on which texunit and NVIDIA's tools differ.
pub(crate) fn folder() -> std::io::Result<PathBuf> {
    let folder = crate::workspace().join("target/oracle");
    std::fs::create_dir_all(&folder).map(|()| folder)
}

fn compare(request: &Request, tools: &[Tool]) -> std::io::Result<usize> {
    let (folder, scratch) = (folder()?, &TempDir::new("oracle"));
    let releases: Vec<Ptxas> = tools.iter().map(|t| t.release).collect();
    let families = Families::new(request.family.as_deref(), &releases)?;
    if let Some(Lines { file, head }) = &request.lines {
        let text = std::fs::read_to_string(file)?;
        let questions: Vec<Question> =
            releases.iter().flat_map(|r| Question::of_lines(*r, head, &text)).collect();
        let rows = ask_all(&questions, tools, scratch)?;
        rows.iter().for_each(print_line);
        if let Some(path) = &request.save {
            save(path, rows.iter().filter(|row| !row.differs()))?;
        }
        return Ok(rows.iter().filter(|r| r.differs()).count());
    }
    let seed = request.seed;
    let questions = families.questions(seed, request.count);
    let rows = ask_all(&questions, tools, scratch)?;
    if let Some(path) = &request.save {
        save(path, rows.iter())?;
    }
    table(&rows, &releases);
    let differing: Vec<&Comparison> = rows.iter().filter(|r| r.differs()).collect();
    for (n, row) in differing.iter().enumerate() {
        let name = format!("{seed}-{}-{n}.ptx", row.family);
        std::fs::write(folder.join(&name), described(row))?;
        if n < SHOWN {
            show(row, &format!("target/oracle/{name}"));
        }
    }
    if differing.len() > SHOWN {
        println!("\n{} more are in target/oracle", differing.len() - SHOWN);
    }
    Ok(differing.len())
}

/// Prints the verdicts of ptxas and texunit, and the instruction, on one line.
fn print_line(row: &Comparison) {
    let instruction = row.module.trim_end().lines().rev().nth(3).unwrap_or_default();
    let mark = if row.differs() { "DIFFERS" } else { "agree" };
    let (theirs, ours) = row.verdicts();
    println!("{mark} | {} | {instruction} | {theirs} | {ours}", row.release);
}

/// The text of the module, followed by the verdicts of ptxas and texunit.
fn described(row: &Comparison) -> String {
    let (theirs, ours) = row.verdicts();
    let (module, release, arch) = (row.module.trim_end(), row.release, &row.arch);
    format!("{module}\n// ptxas {release} for sm_{arch}: {theirs}\n// texunit: {ours}\n")
}

fn show(row: &Comparison, path: &str) {
    println!("\n{path}");
    let text = described(row);
    let lines: Vec<&str> = text.lines().collect();
    let (module, verdicts) = lines.split_at(lines.len() - 2);
    for line in module.iter().filter(|l| !l.trim_start().starts_with(".reg")).take(14) {
        println!("    {}", line.chars().take(160).collect::<String>());
    }
    for line in verdicts {
        println!("  {line}");
    }
}

/// A table by ptxas release and family, with the numbers of modules that were checked, accepted,
/// rejected, and judged differently.
fn table(rows: &[Comparison], releases: &[Ptxas]) {
    let mut counts: BTreeMap<(Ptxas, &str), [usize; 3]> = BTreeMap::new();
    for row in rows {
        for family in [row.family, "all"] {
            let count = counts.entry((row.release, family)).or_default();
            count[0] += 1;
            count[1] += usize::from(row.theirs.is_none());
            count[2] += usize::from(row.differs());
        }
    }
    println!("ptxas   family        asked  accepted  rejected  differing");
    for release in releases {
        for family in Families::NAMES.iter().chain(&["all"]) {
            let Some([asked, accepted, differing]) = counts.get(&(*release, *family)) else {
                continue;
            };
            let rejected = asked - accepted;
            println!(
                "{:<7} {family:<12} {asked:>6} {accepted:>9} {rejected:>9} {differing:>10}",
                release.name()
            );
        }
    }
}

fn save<'r>(path: &Path, rows: impl Iterator<Item = &'r Comparison>) -> std::io::Result<()> {
    let mut out = GzEncoder::new(std::fs::File::create(path)?, Compression::best());
    for row in rows {
        let line = serde_json::json!({
            "family": row.family, "tool": format!("ptxas {}", row.release),
            "arch": format!("sm_{}", row.arch), "accepted": row.theirs.is_none(),
            "error": row.theirs, "module": row.module,
        });
        writeln!(out, "{line}")?;
    }
    out.finish()?;
    Ok(())
}

fn ask_all(
    questions: &[Question],
    tools: &[Tool],
    folder: &Path,
) -> std::io::Result<Vec<Comparison>> {
    let rows = each(questions.len(), |n, slot| {
        let question = &questions[n];
        let tool = tools.iter().find(|tool| tool.release == question.release);
        tool.map_or(Ok(Vec::new()), |tool| Asking { tool, question, folder, slot }.rows())
    })?;
    Ok(rows.into_iter().flatten().collect())
}

/// A question that a worker has ptxas answer.
struct Asking<'q> {
    tool: &'q Tool,
    question: &'q Question,
    folder: &'q Path,
    slot: usize,
}

impl Asking<'_> {
    fn rows(&self) -> std::io::Result<Vec<Comparison>> {
        let question = self.question;
        let mut theirs = self.by_line()?;
        let mut rows = Vec::new();
        for (n, their) in theirs.iter_mut().enumerate() {
            let module = question.module(&[n]);
            let ours = our_verdict(&module, question);
            if ours.is_none() != their.is_none() && question.lines.len() > 1 {
                *their = verdict(&self.ask(&module)?);
            }
            rows.push(Comparison {
                family: question.family,
                release: question.release,
                arch: question.arch.clone(),
                module,
                theirs: their.clone(),
                ours,
            });
        }
        Ok(rows)
    }

    fn ask(&self, module: &str) -> std::io::Result<Answer> {
        let kind = if self.question.assemble { "sm" } else { "compute" };
        self.tool.ask(&format!("{kind}_{}", self.question.arch), module, self.folder, self.slot)
    }

    /// The verdict of ptxas on each line: checks all lines, removes those with errors, and repeats
    /// until no error remains.
    fn by_line(&self) -> std::io::Result<Vec<Option<String>>> {
        let question = self.question;
        let mut verdicts: Vec<Option<String>> = vec![None; question.lines.len()];
        let mut left: Vec<usize> = (0..question.lines.len()).collect();
        for _ in 0..RUNS {
            if left.is_empty() {
                return Ok(verdicts);
            }
            let answer = self.ask(&question.module(&left))?;
            if answer.accepted {
                return Ok(verdicts);
            }
            if question.lines.len() == 1 {
                verdicts[0] = verdict(&answer);
                return Ok(verdicts);
            }
            let first = question.first_line();
            let wrong: BTreeMap<usize, String> = answer
                .errors
                .into_iter()
                .rev()
                .filter_map(|(line, words)| Some((*left.get(line.checked_sub(first)?)?, words)))
                .collect();
            if wrong.is_empty() || !answer.finished {
                break;
            }
            left.retain(|n| !wrong.contains_key(n));
            for (n, words) in wrong {
                verdicts[n] = Some(words);
            }
        }
        for n in left {
            verdicts[n] = verdict(&self.ask(&question.module(&[n]))?);
        }
        Ok(verdicts)
    }
}

fn verdict(answer: &Answer) -> Option<String> {
    (!answer.accepted).then(|| answer.first.clone())
}

fn our_verdict(module: &str, question: &Question) -> Option<String> {
    let source = SourceFile::new("module", module);
    let options = Options {
        verdicts: Verdicts::Ptxas(Some(question.release)),
        arch: question.arch.parse().ok().or_else(|| format!("sm_{}", question.arch).parse().ok()),
        ..Options::default()
    };
    let diagnostics = check_source(&source, &options);
    let first = diagnostics.iter().find(|d| d.is_error())?;
    let line = source.location(first.primary.span.start).line;
    Some(format!("line {line}: {} {}", first.code, first.message))
}

//! `texunit check`: reports errors in PTX files. docs/check.md is the user's documentation.
//!
//! Files (and the files of folders) are processed one after another: each is read, checked,
//! corrected if requested, and reported; nothing is kept afterwards.

mod fix;
pub(crate) mod read;

use crate::codes;
use crate::color::{self, Stream};
use clap::{Args, ValueEnum};
use read::Unread;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use texunit_check::sources::Sources;
use texunit_check::{
    Architecture, Levels, Options, Ptxas, Verdicts, check_with_sources, parse_version,
};
use texunit_report::{Format, Run, Settings};
use texunit_syntax::{Diagnostic, SourceFile};

/// Maximum number of diagnostics of one file that are shown to people.
const MAX_SHOWN: usize = 100;

/// Arguments of `texunit check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// PTX files; `-` is standard input; of a folder, all .ptx files in it and below it.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub format: CheckFormat,
    /// Check for this architecture instead of the one that `.target` names.
    #[arg(long, value_name = "SM")]
    pub target: Option<Architecture>,
    /// Check against this PTX version instead of the one that `.version` names.
    #[arg(long, value_name = "X.Y", value_parser = parse_version)]
    pub ptx_version: Option<(u32, u32)>,
    /// Architecture to assemble for, whose limits apply; default: the target.
    #[arg(long, value_name = "SM")]
    pub arch: Option<Architecture>,
    /// Give exactly the verdicts of NVIDIA's assembler, ptxas; what it accepts but miscompiles is a
    /// warning.
    #[arg(long)]
    pub ptxas_compat: bool,
    /// ptxas release to emulate, which implies --ptxas-compat; default: the oldest that supports
    /// the file's .version.
    #[arg(long, value_name = "RELEASE")]
    pub ptxas: Option<Ptxas>,
    /// Do not show these warnings: codes separated by commas, or `warnings` for all.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub allow: Vec<String>,
    /// Treat these warnings as errors: codes separated by commas, or `warnings` for all.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub deny: Vec<String>,
    /// Apply the corrections that are certain to the files, and report the rest.
    ///
    /// For standard input, the corrected text goes to standard output and everything else to
    /// standard error.
    #[arg(long)]
    pub fix: bool,
    /// Show errors only: no warnings, and no line with totals.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Formats of `texunit check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// With the source around each mistake, and help.
    Human,
    /// One JSON object per line for each mistake, and one with the totals.
    Json,
    /// A SARIF 2.1.0 document, for code scanning services.
    Sarif,
    /// `file:line:column: error[CODE]: message`.
    Short,
}

/// Runs the command; returns the exit code.
pub fn run(args: &CheckArgs) -> u8 {
    let stdin = Path::new("-");
    if args.files.iter().filter(|f| *f == stdin).count() > 1 {
        return crate::usage_error("check", "`-` can be given only once");
    }
    let levels = match Levels::new(&args.allow, &args.deny) {
        Ok(levels) => levels,
        Err(unknown) => return crate::usage_error("check", &unknown.to_string()),
    };
    // The corrected text has standard output for itself.
    let stream = match args.fix && args.files.iter().any(|f| f == stdin) {
        true => Stream::Stderr,
        false => Stream::Stdout,
    };
    let check = Check { args, levels, options: options(args) };
    let settings = Settings {
        format: format(args, stream),
        quiet: args.quiet,
        most_shown: MAX_SHOWN,
        version: env!("CARGO_PKG_VERSION"),
        home: env!("CARGO_PKG_REPOSITORY"),
        rule: &codes::rule,
    };
    let mut run = Run::new(BufWriter::new(stream.open()), settings);
    let mut printed = Ok(());
    if args.fix {
        run.fixed(0);
    }
    for path in &args.files {
        let files = if path.is_dir() { read::files(path) } else { vec![Ok(path.clone())] };
        for file in files {
            match file.map(|file| check.file(&file, &mut run)) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => printed = Err(error),
                Err(Unread { name, why }) => run.unreadable(&name, &why),
            }
        }
    }
    let succeeded = run.totals().errors == 0;
    crate::exit(run.finish().and(printed), succeeded)
}

struct Check<'a> {
    args: &'a CheckArgs,
    levels: Levels,
    options: Options,
}

impl Check<'_> {
    /// Checks one file. The error is that of writing corrected text to standard output.
    fn file<W: Write>(&self, path: &Path, run: &mut Run<'_, W>) -> std::io::Result<()> {
        if path != Path::new("-") {
            run.at(path);
        }
        let text = match read::read(path) {
            Ok(text) => text,
            Err(Unread { name, why }) => {
                run.unreadable(&name, &why);
                return Ok(());
            }
        };
        if !self.args.fix {
            let (diagnostics, sources) = self.check(&text.source);
            run.file((&text.source, &*sources), &diagnostics);
            return Ok(());
        }
        // The line table of the last checked text, for the remaining diagnostics.
        let mut sources = Arc::default();
        let fixed = fix::fix(text, |source| {
            let (diagnostics, of_text) = self.check(source);
            sources = of_text;
            diagnostics
        });
        let mut written = Ok(());
        if path == Path::new("-") {
            written = crate::out::print_bytes(&fixed.bytes);
        } else if fixed.number > 0
            && let Err(why) = read::replace(path, &fixed.bytes)
        {
            run.unreadable(fixed.source.name(), &why);
            return Ok(());
        }
        run.fixed(fixed.number);
        run.file((&fixed.source, &*sources), &fixed.left);
        written
    }

    fn check(&self, source: &SourceFile) -> (Vec<Diagnostic>, Arc<Sources>) {
        let (mut diagnostics, sources) = check_with_sources(source, &self.options);
        self.levels.apply(&mut diagnostics);
        (diagnostics, sources)
    }
}

fn options(args: &CheckArgs) -> Options {
    Options {
        verdicts: match args.ptxas_compat || args.ptxas.is_some() {
            true => Verdicts::Ptxas(args.ptxas),
            false => Verdicts::Texunit,
        },
        target: args.target,
        version: args.ptx_version,
        arch: args.arch,
    }
}

fn format(args: &CheckArgs, stream: Stream) -> Format {
    match args.format {
        CheckFormat::Human => Format::Human { color: color::wanted(stream) },
        CheckFormat::Json => Format::Json,
        CheckFormat::Sarif => Format::Sarif,
        CheckFormat::Short => Format::Short,
    }
}

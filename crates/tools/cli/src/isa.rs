//! `texunit isa`: prints the instruction table as text, JSON or Markdown; docs/isa.md has all
//! texture and surface instructions.

use crate::args::OutputFormat;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write as _;
use texunit_isa::describe::{Description, FormText, OperandText, describe, instructions};
use texunit_isa::requirement::Requirement;
use texunit_isa::texture::TextureOption;

/// Arguments of `texunit isa`.
#[derive(Clone, Debug, Args)]
pub struct IsaArgs {
    /// Instructions, or forms of them: `tex`, `tex.level.2d`, `suld.b`. Default: a list of all.
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
}

/// The opcodes of docs/isa.md.
const TEXTURE_OPCODES: [&str; 8] =
    ["tex", "tld4", "txq", "istypep", "suld", "sust", "sured", "suq"];

/// Runs the command; returns the exit code.
pub fn run(args: &IsaArgs) -> u8 {
    let (text, complete) = answer(args);
    crate::exit(crate::out::print(&text), complete)
}

/// The output, and whether every name is known; unknown names are reported.
fn answer(args: &IsaArgs) -> (String, bool) {
    if args.names.is_empty() {
        let all = instructions();
        let text = match args.format {
            OutputFormat::Human => list(&all),
            OutputFormat::Json => pretty(&all.iter().map(json).collect()),
        };
        return (text, true);
    }
    let mut found = Vec::new();
    let mut complete = true;
    for name in &args.names {
        match describe(name) {
            Ok(description) => found.push(description),
            Err(unknown) => {
                complete = false;
                let machine = name == "sass" || name.starts_with(|c: char| c.is_ascii_uppercase());
                let near = match unknown.suggestion {
                    _ if machine => "; `texunit sass` is about machine instructions".to_owned(),
                    Some(near) => format!("; did you mean `{near}`?"),
                    None => "; `texunit isa` lists all instructions".to_owned(),
                };
                let word = unknown.word;
                crate::out::stderr_line(&format!(
                    "error: `{name}`: unknown instruction or modifier `{word}`{near}"
                ));
            }
        }
    }
    let text = match args.format {
        OutputFormat::Human => found.iter().map(human).collect::<Vec<_>>().join("\n"),
        OutputFormat::Json => pretty(&found.iter().map(json).collect()),
    };
    (text, complete)
}

fn pretty(list: &Vec<Value>) -> String {
    format!("{:#}\n", json!(list))
}

/// One line for each instruction.
fn list(all: &[Description]) -> String {
    let mut text = String::new();
    for d in all {
        let _ = writeln!(text, "{:<14} {:<12} {}", d.name, d.section, d.summary);
    }
    text
}

/// An instruction as text.
fn human(d: &Description) -> String {
    let mut text = format!("{} (PTX ISA {})\n{}\n", d.name, d.section, d.summary);
    text += "\nForms\n";
    for form in &d.forms {
        let _ = writeln!(text, "  {}", form.syntax);
        if let Some(independent) = &form.independent {
            let _ = writeln!(text, "      unified:     {}", form.operands);
            let _ = writeln!(text, "      independent: {independent}");
        } else if !form.operands.is_empty() {
            let _ = writeln!(text, "      {}", form.operands);
        }
        let _ = writeln!(text, "      {}; {}", form.requirement, form.doc);
    }
    if !d.operands.is_empty() {
        text += "\nOperands\n";
        for operand in &d.operands {
            let _ = writeln!(text, "  {}: {}", operand.name, operand.shape);
            let _ = writeln!(text, "      {}", operand.doc);
        }
    }
    if !d.options.is_empty() {
        text += "\nOptions\n";
        for option in &d.options {
            let _ = writeln!(text, "  {}: {}", option.syntax, option.requirement);
            let _ = writeln!(text, "      {}", option.doc);
        }
    }
    text
}

/// An instruction as JSON.
fn json(d: &Description) -> Value {
    let version = |of: Requirement| format!("{}.{}", of.version / 10, of.version % 10);
    let target = |of: Requirement| (of.target > 0).then(|| format!("sm_{}", of.target));
    let form = |f: &FormText| {
        json!({
            "syntax": f.syntax, "operands": f.operands, "independent": f.independent,
            "version": version(f.requirement), "target": target(f.requirement),
            "section": f.section, "doc": f.doc,
            "fidelity": f.fidelity.iter().map(|class| class.name()).collect::<Vec<_>>(),
        })
    };
    let operand = |o: &OperandText| json!({ "name": o.name, "shape": o.shape, "doc": o.doc });
    let option = |o: &&TextureOption| {
        json!({
            "syntax": o.syntax, "version": version(o.requirement),
            "target": target(o.requirement), "doc": o.doc,
        })
    };
    json!({
        "name": d.name, "section": d.section, "summary": d.summary,
        "forms": d.forms.iter().map(form).collect::<Vec<_>>(),
        "operands": d.operands.iter().map(operand).collect::<Vec<_>>(),
        "options": d.options.iter().map(option).collect::<Vec<_>>(),
    })
}

/// The text of the page docs/isa.md.
pub fn page() -> String {
    let mut text = String::from(
        "# Texture and surface instructions\n\n\
         Every form that texunit checks, with the `.version` and `.target` it needs, its operands \
         and their types, as measured with NVIDIA's assembler (11.8 to 13.5). `texunit isa NAME` \
         prints the same, and the forms of all other instructions.\n\n\
         This page is generated from the tables of crate `isa`; run \
         `UPDATE=1 cargo test -p texunit --test all docs` after a change there. `(a|b)` is one of \
         the words, `{.a}` is optional. A module is in unified mode unless its `.target` says \
         `texmode_independent`.\n",
    );
    for name in TEXTURE_OPCODES {
        if let Ok(description) = describe(name) {
            text += "\n";
            text += &markdown(&description);
        }
    }
    text
}

/// An instruction as Markdown.
fn markdown(d: &Description) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let code = |text: &str| format!("`{}`", cell(text));
    let mut text = format!("## {}\n\n{} (PTX ISA {})\n\n", d.name, d.summary, d.section);
    text += "| Form | Operands | Needs | |\n|---|---|---|---|\n";
    for form in &d.forms {
        let operands = match &form.independent {
            Some(other) => format!("{}; independent: {}", code(&form.operands), code(other)),
            None => code(&form.operands),
        };
        let (syntax, needs) = (code(&form.syntax), form.requirement);
        let _ = writeln!(text, "| {syntax} | {operands} | {needs} | {} |", cell(form.doc));
    }
    text += "\n| Operand | What is allowed | |\n|---|---|---|\n";
    for operand in &d.operands {
        let (name, shape) = (cell(&operand.name), cell(&operand.shape));
        let _ = writeln!(text, "| {name} | {shape} | {} |", cell(&operand.doc));
    }
    if !d.options.is_empty() {
        text += "\n| Option | Needs | |\n|---|---|---|\n";
        for option in &d.options {
            let (syntax, needs) = (cell(option.syntax), option.requirement);
            let _ = writeln!(text, "| {syntax} | {needs} | {} |", cell(option.doc));
        }
    }
    text
}

//! `texunit sass lower`: prints the machine code of every `tex.grad` of a module.

use super::{Output, color, wrong};
use crate::args::OutputFormat;
use crate::check::read::read;
use crate::init::errors;
use crate::sass::args::LowerArgs;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use texunit_check::ir::Module;
use texunit_check::{Options, check_with};
use texunit_report::visible;
use texunit_sass::print::{Style, print};
use texunit_sass::txd::{BINDLESS, INDEX};
use texunit_sass::{Arch, Txd, Word};
use texunit_syntax::{Diagnostic, SourceFile, parse};
use texunit_txd::lower::{
    Fetch, Form, Lowered, Packed, Quad, Step, arch_of, module, target_number, visible_functions,
};

pub(super) fn lower(args: &LowerArgs) -> Output {
    let source = match read(&args.file) {
        Ok(text) => text.source,
        Err(unread) => return wrong(&visible(&unread.message())),
    };
    let parsed = parse(&source);
    let mut options = if args.ptxas_compat { Options::PTXAS } else { Options::default() };
    let mut checked = check_with(&source, &parsed.module, options);
    // For an older architecture, the module must be valid for that.
    if let Some(asked) = args.arch
        && target_number(asked.name()) < target_number(&checked.module.target)
    {
        options.target = asked.name().parse().ok();
        checked = check_with(&source, &parsed.module, options);
    }
    let functions = visible_functions(&parsed.module);
    let errors = errors(parsed, checked.diagnostics);
    if !errors.is_empty() {
        return refused(&source, &errors, args.format);
    }
    let arch = match arch(&checked.module, args.arch) {
        Ok(arch) => arch,
        Err(why) => return wrong(&visible(&why)),
    };
    let list = module(&checked.module, &functions, arch);
    let show = Show { source: &source, module: &checked.module, arch };
    let mut output = Output { out: String::new(), err: String::new(), right: true };
    for lowered in &list {
        output.right &= !matches!(lowered.form, Form::Refused(_));
        match args.format {
            OutputFormat::Json => output.out += &format!("{}\n", show.json(lowered)),
            OutputFormat::Human => show.human(lowered, &mut output.out),
        }
    }
    if list.is_empty() && args.format == OutputFormat::Human {
        output.out = "no tex.grad in this module: nothing becomes TXD\n".to_owned();
    }
    output
}

fn refused(source: &SourceFile, errors: &[Diagnostic], format: OutputFormat) -> Output {
    let (out, err) = match format {
        OutputFormat::Json => (texunit_report::json(source, errors), String::new()),
        OutputFormat::Human => (String::new(), texunit_report::human(source, errors, color())),
    };
    Output { out, err, right: false }
}

/// The architecture to assemble for: the requested one, the target, or sm_52.
fn arch(module: &Module, asked: Option<Arch>) -> Result<Arch, String> {
    asked.or_else(|| arch_of(module)).ok_or_else(|| {
        format!(
            "the module's target is {}, but TXD has this form from sm_50 to sm_62 only: name one of them to \
             assemble for, such as `--arch sm_61`",
            module.target
        )
    })
}

struct Show<'a> {
    source: &'a SourceFile,
    module: &'a Module,
    arch: Arch,
}

impl Show<'_> {
    fn name(&self, id: texunit_check::ir::FuncId) -> &str {
        self.module.functions.get(id.0 as usize).map_or("", |f| f.name.as_str())
    }

    /// The PTX on one line.
    fn ptx(&self, lowered: &Lowered) -> String {
        let text = self.source.text().get(lowered.span.range()).unwrap_or_default();
        visible(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn human(&self, lowered: &Lowered, out: &mut String) {
        let line = self.source.location(lowered.span.start).line;
        let function = visible(self.name(lowered.function));
        let place = match lowered.kernel {
            Some(kernel) if kernel == lowered.function => format!("kernel {function}"),
            Some(kernel) => {
                format!("function {function}, as kernel {} has it", visible(self.name(kernel)))
            }
            None => format!("function {function}, which no kernel calls"),
        };
        // Writing to a String does not fail.
        let _ = writeln!(out, "{}:{line}: {place}", visible(self.source.name()));
        let _ = writeln!(out, "  {}", self.ptx(lowered));
        match &lowered.form {
            Form::Txd(fetch) => self.fetch(fetch, out),
            Form::Quad(quad) => quad_text(quad, out),
            Form::Unused => out.push_str("  nothing: no result is used\n"),
            Form::Refused(why) => {
                let _ = writeln!(out, "  no code: {}", visible(why));
            }
        }
        out.push('\n');
    }

    fn fetch(&self, fetch: &Fetch, out: &mut String) {
        let Fetch { txd, handle, ra, rb, rd, before, after, notes } = fetch;
        steps("  ", before, out);
        let word = Word::decode(txd.word, txd.control, self.arch);
        let text = word.text(Style::Nvidia).unwrap_or_default();
        let _ =
            writeln!(out, "  {text}    // {:#018x}, control {:#08x}", txd.word, txd.control.bits());
        steps("  ", after, out);
        for (name, list) in [("Ra", ra), ("Rb", rb), ("Rd", rd)] {
            let list: Vec<String> = list
                .iter()
                .map(|Packed { register, name, value }| {
                    format!("R{register} {name} = {}", visible(value))
                })
                .collect();
            if !list.is_empty() {
                let _ = writeln!(out, "    {name}: {}", list.join(", "));
            }
        }
        let _ = writeln!(out, "    handle: {}", visible(handle));
        for note in notes {
            let _ = writeln!(out, "    note: {}", visible(note));
        }
    }

    fn json(&self, lowered: &Lowered) -> Value {
        let location = self.source.location(lowered.span.start);
        let mut object = json!({
            "file": self.source.name(),
            "line": location.line,
            "column": location.column,
            "function": self.name(lowered.function),
            "kernel": lowered.kernel.map(|kernel| self.name(kernel)),
            "arch": self.arch.name(),
            "ptx": self.ptx(lowered),
        });
        let (form, more) = match &lowered.form {
            Form::Txd(fetch) => ("txd", vec![json!(fetch), word_json(&fetch.txd)]),
            Form::Quad(quad) => ("quad", vec![json!(quad)]),
            Form::Unused => ("unused", vec![]),
            Form::Refused(why) => ("refused", vec![json!({ "why": why })]),
        };
        object["form"] = json!(form);
        for (key, value) in more.iter().filter_map(Value::as_object).flatten() {
            object[key] = value.clone();
        }
        object
    }
}

fn steps(indent: &str, list: &[Step], out: &mut String) {
    for Step { text, why } in list {
        let _ = writeln!(out, "{indent}{:40} // {}", visible(text), visible(why));
    }
}

fn quad_text(quad: &Quad, out: &mut String) {
    let _ = writeln!(out, "  no TXD: {}", visible(&quad.why));
    steps("  ", &quad.before, out);
    out.push_str("  for each lane k = 0, 1, 2, 3 of the quad:\n");
    steps("    ", &quad.each, out);
    steps("  ", &quad.after, out);
    let _ = writeln!(out, "    handle: {}", visible(&quad.handle));
}

fn word_json(txd: &Txd) -> Value {
    let fields = Word::Txd(*txd).fields().into_iter();
    json!({
        "text": print(txd, Style::Nvidia),
        "word": format!("{:#018x}", txd.word),
        "control": format!("{:#08x}", txd.control.bits()),
        "fields": fields.collect::<BTreeMap<_, _>>(),
        "index": (!txd.has(&BINDLESS)).then(|| txd.get(&INDEX)),
    })
}

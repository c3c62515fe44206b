//! Reports how certain it is that each instruction of a kernel computes what a GPU computes.

use crate::place::function_name;
use crate::record::record;
use crate::visible;
use serde_json::{Value, json};
use texunit_forms::sort_by_key;
use texunit_isa::{Fidelity, MEASURED_ON};
use texunit_simt::InstructionForm;
use texunit_syntax::SourceFile;

/// Maximum number of reported forms of a kernel; the least certain ones have priority.
const MAX_FORMS: usize = 1000;
/// Maximum number of forms of a class that a sentence names.
const MAX_NAMED: usize = 5;

/// An instruction form of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// The kernel's name in the PTX.
    pub kernel: String,
    /// Opcode and modifiers as written.
    pub opcode: String,
    /// Line of the form's first instruction in the PTX, from 1.
    pub line: u32,
    /// Number of instructions of this form in the kernel and the functions that it can call.
    pub count: u64,
    /// The class of certainty: `specified`, `measured`, `assumed` or `not_card`.
    pub class: String,
    /// The special register that decides the class: `%clock64`.
    pub register: Option<String>,
    /// What the result can affect, unless it is specified: `address`, `branch`, `barrier`,
    /// `output`.
    pub reaches: Vec<String>,
}

record! {
    Instruction { kernel [=], opcode [=], line [=], count [=], class [=], register [=], reaches [=] }
}

impl Instruction {
    /// The forms of a kernel, in the order of its text.
    pub fn of(kernel: &str, mut forms: Vec<InstructionForm<'_>>, source: &SourceFile) -> Vec<Self> {
        if forms.len() > MAX_FORMS {
            sort_by_key(&mut forms, |form| std::cmp::Reverse(form.fidelity));
            forms.truncate(MAX_FORMS);
            sort_by_key(&mut forms, |form| form.first);
        }
        let row = |form: InstructionForm<'_>| Self {
            kernel: kernel.to_owned(),
            opcode: visible(form.opcode),
            line: source.location(form.first.start).line,
            count: form.count,
            class: form.fidelity.name().to_owned(),
            register: form.register.map(|register| format!("%{register}")),
            reaches: form.reaches.iter().map(|reach| reach.name().to_owned()).collect(),
        };
        forms.into_iter().map(row).collect()
    }

    /// The fields that identify a form: kernel, opcode, class and register.
    pub fn key(&self) -> [String; 4] {
        let register = self.register.clone().unwrap_or_default();
        [self.kernel.clone(), self.opcode.clone(), self.class.clone(), register]
    }
}

/// The `fidelity` field of a report.
pub fn fidelity_json<'a>(rows: impl Iterator<Item = &'a Instruction>) -> Value {
    let row = |row: &Instruction| {
        let mut value = json!(row);
        value["function"] = json!(function_name(&row.kernel));
        value
    };
    json!({ "measured_on": MEASURED_ON, "instructions": rows.map(row).collect::<Vec<_>>() })
}

/// Counts forms by class, with what the unspecified ones can affect: `12 specified, 1 assumed
/// (output)`.
pub fn fidelity_totals<'a>(rows: impl Iterator<Item = &'a Instruction>) -> String {
    let rows: Vec<_> = rows.collect();
    let of = |class: &str| {
        let those: Vec<_> = rows.iter().filter(|row| row.class == class).collect();
        let mut reaches: Vec<&str> =
            those.iter().flat_map(|row| &row.reaches).map(|r| &**r).collect();
        reaches.sort_unstable();
        reaches.dedup();
        let reached = match reaches.is_empty() {
            true => String::new(),
            false => format!(" (reaching {})", reaches.join(", ")),
        };
        let name = class.replace("not_card", "not the card's");
        (!those.is_empty()).then(|| format!("{} {name}{reached}", those.len()))
    };
    let parts: Vec<_> =
        ["specified", "measured", "assumed", "not_card"].into_iter().filter_map(of).collect();
    if parts.is_empty() { "no kernel was launched".to_owned() } else { parts.join(", ") }
}

/// Summarises in one line what is not known about a GPU: `1 instruction is assumed:
/// rsqrt.approx.f64 (line 12)`.
pub fn fidelity_sentence<'a>(rows: impl Iterator<Item = &'a Instruction>) -> Option<String> {
    let rows: Vec<_> = rows.collect();
    let of = |class: Fidelity, what: &str| {
        let those: Vec<_> = rows.iter().filter(|row| row.class == class.name()).collect();
        let named = those.iter().take(MAX_NAMED).map(|row| {
            let register = row.register.as_ref().map_or_else(String::new, |r| format!(" of {r}"));
            let reaches = match &row.reaches[..] {
                [] => String::new(),
                all => format!(", reaches {}", all.join(", ")),
            };
            format!("{}{register} (line {}{reaches})", row.opcode, row.line)
        });
        let more = those.len().saturating_sub(MAX_NAMED);
        let more = (more > 0).then(|| format!("{more} more"));
        let names: Vec<String> = named.chain(more).collect();
        let are = if those.len() == 1 { "instruction is" } else { "instructions are" };
        (!names.is_empty()).then(|| format!("{} {are} {what}: {}", those.len(), names.join(", ")))
    };
    let parts =
        [of(Fidelity::Assumed, "assumed"), of(Fidelity::NotCard, "known to differ from a card")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(opcode: &str, line: u32, class: Fidelity, register: Option<&str>) -> Instruction {
        let (opcode, register) = (opcode.to_owned(), register.map(str::to_owned));
        Instruction { opcode, line, class: class.name().into(), register, ..Default::default() }
    }

    #[test]
    fn totals_say_what_is_reached() {
        let reaching = |class, reaches: &[&str]| Instruction {
            reaches: reaches.iter().map(|&reach| reach.to_owned()).collect(),
            ..row("x", 1, class, None)
        };
        let rows = [
            row("add.f32", 3, Fidelity::Specified, None),
            reaching(Fidelity::NotCard, &["output", "branch"]),
            reaching(Fidelity::NotCard, &["branch"]),
        ];
        let text = "1 specified, 2 not the card's (reaching branch, output)";
        assert_eq!(fidelity_totals(rows.iter()), text);
        assert_eq!(fidelity_totals([].iter()), "no kernel was launched");
        let text = fidelity_sentence(rows[1..2].iter()).unwrap_or_default();
        assert!(text.ends_with("x (line 1, reaches output, branch)"), "{text}");
    }

    #[test]
    fn sentences_name_what_is_not_known() {
        let known = row("add.f32", 3, Fidelity::Specified, None);
        let mut rows = vec![known, row("rcp.approx.f32", 4, Fidelity::Measured, None)];
        let say = |rows: &[Instruction]| fidelity_sentence(rows.iter());
        assert_eq!(say(&rows), None);
        rows.push(row("rsqrt.approx.f64", 12, Fidelity::Assumed, None));
        let first = "1 instruction is assumed: rsqrt.approx.f64 (line 12)";
        assert_eq!(say(&rows).as_deref(), Some(first));
        rows.extend((0..7).map(|n| row("mov.u32", 20 + n, Fidelity::NotCard, Some("%clock"))));
        let text = say(&rows).unwrap_or_default();
        let second =
            "; 7 instructions are known to differ from a card: mov.u32 of %clock (line 20), ";
        assert!(text.starts_with(&(first.to_owned() + second)), "{text}");
        assert!(text.ends_with("mov.u32 of %clock (line 24), 2 more"), "{text}");
    }
}

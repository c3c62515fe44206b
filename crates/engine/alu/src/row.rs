//! Rows (entries) of the tables of operations. A row defines what an instruction computes; the
//! interpreter and compiled code both derive from it.

#[cfg(test)]
mod tests;

use crate::float::put_nans;
use crate::inner::Kind;
use crate::key::Key;
use crate::lane::{Lanes, Value};
use crate::mode::Variant;
use crate::program::Program;
use crate::term::{Recorder, Step};
use crate::{Alu, L32};
use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, OnceLock};

/// An entry of a table of operations, which stands for one operation, or for one operation in each
/// variant of a family.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Template {
    pub(crate) name: &'static str,
    /// The instructions of the entry, as they are spelled in PTX ([`Key::spelled`]).
    pub(crate) spellings: &'static [&'static str],
    pub(crate) function: Alu,
    pub(crate) kind: Kind,
    pub(crate) shape: Shape,
    /// Records the steps of the operation, if it is composed of primitives.
    pub(crate) record: Option<fn(&Recorder, Variant)>,
}

/// An operation: what one or several PTX instructions compute.
pub struct Row {
    template: Template,
    variant: Variant,
    pub(crate) keys: Vec<Key>,
    /// The steps for the interpreter. They are prepared when the operation is first evaluated.
    program: OnceLock<Program>,
}

/// The kind of an operation's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// A register of up to 32 bits.
    Narrow,
    /// A register of 64 bits.
    Wide,
    /// A register of 64 bits from f64 arithmetic. NaN results are those of [`nan64`](crate::nan64)
    /// with the sources of these numbers.
    Double(&'static [usize]),
    /// A predicate.
    Predicate,
    /// Two predicates: one from the low halves of the sources, and one from the high halves.
    Predicates,
}

/// The widths of an operation's registers: of its destination and of its sources.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The kind of the result.
    pub result: ResultKind,
    /// For each source, whether it has 64 bits.
    pub from: [bool; 4],
}

impl Shape {
    /// Whether the result is a register of 64 bits.
    pub fn is_wide(self) -> bool {
        matches!(self.result, ResultKind::Wide | ResultKind::Double(_))
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.template.name)
    }
}

impl Row {
    /// Creates the row of a variant of a template. `keys` are the keys of its instructions.
    pub(crate) fn new(template: &Template, variant: Variant, keys: Vec<Key>) -> Self {
        let mut template = *template;
        if variant.pair && template.shape.result == ResultKind::Predicate {
            template.shape.result = ResultKind::Predicates;
        }
        Self { template, variant, keys, program: OnceLock::new() }
    }

    /// An operation on 32-bit registers that no PTX instruction has, but that the translation of
    /// PTX needs.
    pub const fn helper(name: &'static str, function: fn(&mut L32, &L32, &L32, &L32)) -> Self {
        let template = Template {
            name,
            spellings: &[],
            function: Alu::Narrow(function),
            kind: Kind::Call,
            shape: Shape { result: ResultKind::Narrow, from: [false; 4] },
            record: None,
        };
        Self { template, variant: Variant::PLAIN, keys: Vec::new(), program: OnceLock::new() }
    }

    /// The name of the operation, or the spelling of an instruction in PTX. All operations of a
    /// family have the same name.
    pub fn name(&self) -> &'static str {
        self.template.name
    }

    /// A name that no other operation has. For an operation outside the inner loop, it is the first
    /// instruction.
    pub fn text(&self) -> String {
        match self.keys.first() {
            Some(key) if self.template.kind == Kind::Call => key.text(),
            _ => self.template.name.to_owned(),
        }
    }

    /// The operation with this name ([`Self::text`]).
    pub fn from_text(text: &str) -> Option<&'static Self> {
        static BY_TEXT: LazyLock<HashMap<String, &'static Row>> =
            LazyLock::new(|| crate::all().iter().map(|row| (row.text(), row)).collect());
        BY_TEXT.get(text).copied()
    }

    /// How the interpreter computes the operation.
    pub fn function(&self) -> Alu {
        self.template.function
    }

    /// The case of the interpreter's inner loop that executes the operation.
    pub fn kind(&self) -> Kind {
        self.template.kind
    }

    /// The kind of the result, and the widths of the sources.
    pub fn shape(&self) -> Shape {
        self.template.shape
    }

    /// Computes the result in all lanes. Only the field of `to` for the kind of result
    /// ([`Shape::result`]) is written. Operations whose [`Alu`] needs operands other than sources
    /// (`lop3`, Boolean functions of predicates, carries) write nothing.
    pub fn run(&self, sources: [Lanes<'_>; 4], to: &mut Value) {
        let [a, b, c, _] = sources;
        match self.template.function {
            Alu::Composed => {
                self.program().run(sources, to);
                if let ResultKind::Double(preferred) = self.template.shape.result
                    && to.wide.iter().any(|&x| f64::from_bits(x).is_nan())
                {
                    let mut from = [a.wide(); 3];
                    from.iter_mut().zip(preferred).for_each(|(to, &k)| *to = sources[k].wide());
                    put_nans(&mut to.wide, &from[..preferred.len()]);
                }
            }
            Alu::Narrow(f) => f(&mut to.narrow, a.narrow(), b.narrow(), c.narrow()),
            Alu::Wide(f) => f(&mut to.wide, a.wide(), b.wide(), c.wide()),
            _ => {}
        }
    }

    /// Computes the result of an operation that gives two predicates: compares the low halves of
    /// `a` and `b`, then the high halves.
    pub fn run_pair(&self, a: &L32, b: &L32) -> (u32, u32) {
        let compare = |a: &L32, b: &L32| {
            let (a, b) = (Lanes::Narrow(a), Lanes::Narrow(b));
            let mut value = Value::ZERO;
            self.run([a, b, b, b], &mut value);
            value.holds
        };
        (compare(a, b), compare(&a.map(|x| x >> 16), &b.map(|x| x >> 16)))
    }

    fn program(&self) -> &Program {
        self.program.get_or_init(|| {
            let recorder = Recorder::literal();
            if let Some(record) = self.template.record {
                record(&recorder, self.variant);
            }
            Program::new(&recorder.steps())
        })
    }

    /// The steps of the operation in compiled code. `known` has the values of sources that are
    /// constants. Returns `None` if compiled code calls the operation's function.
    pub(crate) fn compiled(&self, known: [Option<u64>; 4]) -> Option<Vec<Step>> {
        let record = self.template.record?;
        let mut recorder = Recorder::new(known);
        record(&recorder, self.variant);
        if recorder.is_number.get() {
            // If the result is a constant, the steps are recorded again without constant sources,
            // because a predicate must come from a comparison, and an f64 NaN from the processor's
            // instruction.
            recorder = Recorder::default();
            record(&recorder, self.variant);
        }
        Some(recorder.steps())
    }
}

/// The [`Shape`] of an operation, from the section of the table that it is in and its sources.
macro_rules! shape {
    (b64 $($arg:ident)*) => { $crate::row::shape!(@ Wide, true true true true) };
    (f64 $a:ident) => { $crate::row::shape!(@ Double(&[0]), true true true true) };
    (f64 $a:ident $b:ident) => { $crate::row::shape!(@ Double(&[1, 0]), true true true true) };
    (f64 $a:ident $b:ident $c:ident) => { $crate::row::shape!(@ Double(&[1, 2, 0]), true true true true) };
    (ratio $a:ident $b:ident) => { $crate::row::shape!(@ Double(&[0, 1]), true true true true) };
    (extend $($arg:ident)*) => { $crate::row::shape!(@ Wide, false false true true) };
    (truncate $($arg:ident)*) => { $crate::row::shape!(@ Narrow, true true true true) };
    (shift $($arg:ident)*) => { $crate::row::shape!(@ Wide, true false false false) };
    (field64 $($arg:ident)*) => { $crate::row::shape!(@ Wide, true false false false) };
    (insert64 $($arg:ident)*) => { $crate::row::shape!(@ Wide, true true false false) };
    (select64 $($arg:ident)*) => { $crate::row::shape!(@ Wide, true true false false) };
    (compare $($arg:ident)*) => { $crate::row::shape!(@ Predicate, false false false false) };
    (compare64 $($arg:ident)*) => { $crate::row::shape!(@ Predicate, true true true true) };
    // In all other sections, the destination and the sources have 32 bits. The shape of the
    // sections `carry` and `function` is not used, because their operations get operands of their
    // own.
    (@ $result:expr, $a:literal $b:literal $c:literal $d:literal) => {{
        #[allow(unused_imports, reason = "one of them")]
        use $crate::row::ResultKind::{Double, Narrow, Predicate, Wide};
        $crate::row::Shape { result: $result, from: [$a, $b, $c, $d] }
    }};
    ($section:ident $($arg:ident)*) => { $crate::row::shape!(@ Narrow, false false false false) };
}
pub(crate) use shape;

/// Expands an operation to the function that records its steps. This function binds the sources as
/// terms of the section's widths, and evaluates the operation's expression. The first macro
/// argument is the pattern that binds the variant.
macro_rules! record {
    ($v:pat, b32 $($lane:tt)*) => { $crate::row::record!(@ $v, 32, 32 32 32 32, $($lane)*) };
    ($v:pat, b64 $($lane:tt)*) => { $crate::row::record!(@ $v, 64, 64 64 64 64, $($lane)*) };
    ($v:pat, extend $($lane:tt)*) => { $crate::row::record!(@ $v, 64, 32 32 64 64, $($lane)*) };
    ($v:pat, truncate $($lane:tt)*) => { $crate::row::record!(@ $v, 32, 64 64 64 64, $($lane)*) };
    ($v:pat, shift $($lane:tt)*) => { $crate::row::record!(@ $v, 64, 64 32 32 32, $($lane)*) };
    ($v:pat, f64 $($lane:tt)*) => { $crate::row::record!(@ $v, 64, 64 64 64 64, $($lane)*) };
    ($v:pat, ratio $($lane:tt)*) => { $crate::row::record!(@ $v, 64, 64 64 64 64, $($lane)*) };
    ($v:pat, field64 $($lane:tt)*) => { $crate::row::record!(@ $v, 64, 64 32 32 32, $($lane)*) };
    ($v:pat, insert64 $($lane:tt)*) => { $crate::row::record!(@ $v, 64, 64 64 32 32, $($lane)*) };
    ($v:pat, select64 $($lane:tt)*) => { $crate::row::record!(@ $v, 64, 64 64 32 32, $($lane)*) };
    ($v:pat, compare $($lane:tt)*) => { $crate::row::record!(@ $v, 1, 32 32 32 32, $($lane)*) };
    ($v:pat, compare64 $($lane:tt)*) => { $crate::row::record!(@ $v, 1, 64 64 64 64, $($lane)*) };
    (@ $v:pat, $out:literal, $wa:literal $wb:literal $wc:literal $wd:literal, |$a:ident $(, $b:ident $(, $c:ident $(, $d:ident)?)?)?| $value:expr) => {
        |r: &$crate::term::Recorder, variant: $crate::mode::Variant| {
            #[allow(unused_variables, reason = "the rows of some families differ in their keys alone")]
            let $v = variant;
            let $a = $crate::term::Term::<$wa>::source(r, 0);
            $(
                let $b = $crate::term::Term::<$wb>::source(r, 1);
                $(
                    let $c = $crate::term::Term::<$wc>::source(r, 2);
                    $(let $d = $crate::term::Term::<$wd>::source(r, 3);)?
                )?
            )?
            let value: $crate::term::Term<'_, $out> = $value;
            r.end(value);
        }
    };
}
pub(crate) use record;

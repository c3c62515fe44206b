//! The text form of warp code, which `texunit dump --stage kir` prints and [`parse()`] reads.
//!
//! ```text
//! kernel k: n 12, w 7, p 4, frame 0 B
//!      0  ld.kernelparam.8 w0 <- [8]                    // ld.param.u64 %rd1, [in];
//! L1:
//!      1  ld.global.4 n0 <- [w0 + 4]                    // ld.volatile.global.u32 %r1, [%rd1+4];
//!      2  Eq.and p0 <- n0, 0, true                      // setp.eq.u32 %p1, %r1, 0;
//!      3' yield                                         // @%p1 bra w;
//!      4  @p0 branch L1, meets L5
//! L5:
//!      5' join                                          // ret;
//!      6  exit
//! ```
//!
//! An instruction has a guard, an operation with modifiers, destinations, and behind `<-` sources.
//! `n`, `w` and `p` are registers of 32 bits, of 64 bits, and predicates; numbers are constants (of
//! 64 bits with `L`, the address of shared variable 3 is `shared3`); `_` is no operand. Numbers of
//! instructions are for the reader; `'` marks helpers, which do not count as instructions. The PTX
//! that an instruction was lowered from is a part of it: marks take memory orders from there, and
//! the parser the functions of carries and conversions and the layout of matrices.

mod parse;

pub(crate) use parse::parse;

use crate::code::{
    AT_RETURN, Code, Func, Inst, Located, NONE, Op, Passed, Shadow, Slot, Stack, Value, Word,
};
use crate::flow::{FunctionCode, Parts, each_part, reads, writes};
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Arc;
use texunit_alu::{Alu, Row};
use texunit_flow::{Access, Code as _};
use texunit_syntax::SourceFile;
use texunit_tensor::Operation;

/// Mnemonics of the operations without a row of arithmetic, and their operands.
macro_rules! mnemonics {
    ($($name:literal $op:ident $({ $($field:ident)* })? $(($operands:ident))?;)*) => {
        /// The mnemonic of an operation; empty if it is that of its row.
        fn mnemonic(op: &Op) -> &'static str {
            match op {
                $(Op::$op { .. } => $name,)*
                Op::Compute { .. } | Op::Compare { .. } | Op::ComparePair { .. } => "",
                Op::Mark(_) => "mark",
                Op::Shadow(_) => "shadow",
            }
        }

        /// The operation with this mnemonic, without operands.
        fn blank(mnemonic: &str) -> Option<Op> {
            Some(match mnemonic {
                $($name => Op::$op
                    $({ $($field: Default::default()),* })? $(($operands::default()))?,)*
                _ => return None,
            })
        }
    };
}
mnemonics! {
    "join" Join; "nop" Nop; "yield" Yield; "unsupported" Unsupported;
    "return" Return; "exit" Exit; "trap" Trap; "breakpoint" Breakpoint;
    "count" Count { counter of }; "countindexed" CountIndexed { counter index targets };
    "issue" Issue { counter of }; "issueindexed" IssueIndexed { counter of index targets };
    "countzero" CountZero { divisor }; "rare" Rare(Box);
    "lop3" Lop3 { d s table }; "logic" Logic { table d a b };
    "mov" Mov { d a }; "select" Select { d a b p };
    "special" Special { d component reg }; "envreg" EnvReg { d number };
    "frameaddress" FrameAddress { d offset }; "isspacep" IsSpace { d a space };
    "cvta" Cvta { d a window to }; "mapa" MapShared { d a rank window };
    "getctarank" SharedRank { d a window };
    "ld" Load(Box); "ldquad" LoadQuad(Box); "st" Store(Box); "stquad" StoreQuad(Box);
    "atom" Atomic(Box); "copy" AsyncCopy(Box);
    "branch" Branch { target reconverge };
    "branchindexed" BranchIndexed { index targets reconverge };
    "call" Call(Box); "builtin" Builtin(Box); "stack" Stack(Stack);
    "barrier" Barrier(Box); "clusterbarrier" ClusterBarrier { waits };
    "mbarrier" Mbarrier(Box); "warpsync" WarpSync { mask };
    "converge" Converge { members }; "activemask" ActiveMask { d }; "elect" Elect { d p members };
    "shfl" Shuffle(Box); "vote" Vote { d p members mode }; "match" Match { d p a members mode };
    "redux" Redux { d a members op ty }; "matrix" Matrix(Box); "mma" Mma(Box);
    "fetch" Fetch(Box); "query" Query(Box); "suld" SurfaceLoad(Box); "sust" SurfaceStore(Box);
}

/// Prints a code. `source` is the text that its spans refer to.
pub(crate) fn print(code: &Code, source: &SourceFile) -> String {
    let mut text = String::new();
    for (i, func) in code.funcs.iter().enumerate() {
        header(&mut text, func);
        let Some(of) = FunctionCode::new(code, i) else { continue };
        let labels = labels(&of);
        let mut last = None;
        for (at, inst) in (of.first..).zip(of.insts) {
            if labels.contains(&at) {
                let _ = writeln!(text, "L{at}:");
            }
            let span = (last != Some(inst.span)).then_some(inst.span);
            last = Some(inst.span);
            let snippet = span.map_or("", |span| source.snippet(span));
            let snippet = snippet.split_whitespace().collect::<Vec<_>>().join(" ");
            let line =
                format!("{at:>4}{} {}", if inst.count == 0 { "'" } else { " " }, line(code, inst));
            let _ = match snippet.is_empty() {
                true => writeln!(text, "  {line}"),
                false => writeln!(text, "  {line:<54} // {snippet}"),
            };
        }
    }
    text
}

/// Prints the head of a function.
pub(crate) fn header(text: &mut String, func: &Func) {
    let kind = if func.is_entry { "kernel" } else { "function" };
    let Func { name, narrow, wide, predicates, frame, .. } = func;
    let _ = write!(text, "{kind} {name}: n {narrow}, w {wide}, p {predicates}, frame {frame} B");
    if func.frame_align > 16 {
        let _ = write!(text, ", align {}", func.frame_align);
    }
    for (word, is) in [("registers", func.cleared), ("predicates", func.clears_predicates)] {
        let _ = write!(text, "{}", if is { format!(", clears {word}") } else { String::new() });
    }
    for (word, sizes) in [("results", &func.shape.0), ("parameters", &func.shape.1)] {
        if !sizes.is_empty() {
            let _ = write!(text, ", {word} {}", sizes.text());
        }
    }
    text.push('\n');
}

/// Instructions that branches of a function lead to, and its reconvergence points.
fn labels(of: &FunctionCode<'_>) -> HashSet<u32> {
    let mut labels = HashSet::new();
    for (at, inst) in of.insts.iter().enumerate() {
        of.control(at, &mut |target| {
            labels.insert(of.first + target as u32);
        });
        if matches!(inst.op, Op::Join) {
            labels.insert(of.first + at as u32);
        }
    }
    labels
}

fn line(code: &Code, inst: &Inst) -> String {
    let mut line = Line { code, name: String::new(), to: Vec::new(), from: Vec::new() };
    if inst.guard != Slot::TRUE {
        line.name = format!("@{} ", line.of_slot(inst.guard));
    }
    line.name += mnemonic(&inst.op);
    let mut fields = Vec::new();
    match &inst.op {
        Op::Mark(mark) => {
            let when = if mark.after { "after" } else { "before" };
            fields.extend([format!("{when} L{}", mark.target), format!("{:?}", mark.reports)]);
            let order = (mark.order != Default::default()).then(|| format!("{:?}", mark.order));
            fields.extend(order);
            fields.extend(mark.cost.map(|cost| format!("cost {cost}")));
            fields.extend(mark.fence.map(|fence| format!("{fence:?}")));
        }
        Op::Shadow(shadow) => {
            let text = format!("{shadow:?}");
            line.name += &format!(".{}", text.split(['(', ' ']).next().unwrap_or_default());
            if let Shadow::Check(check) = &**shadow {
                line.name += &format!(".{:?}", check.sink);
                check.registers.iter().for_each(|slot| line.slot(Access::Use, slot));
            }
            reads(&inst.op, &mut |slot| line.slot(Access::Use, &slot));
            writes(&inst.op, &mut |slot| line.slot(Access::Def, &slot));
        }
        op => {
            each_part(op, &mut line);
        }
    }
    let Line { name, to, from, .. } = line;
    let list = |mut items: Vec<String>, fields: Vec<String>| {
        let needed = items.iter().rposition(|item| item != "_" && item != "[]");
        items.truncate(needed.map_or(0, |last| last + 1));
        items.extend(fields);
        items.join(", ")
    };
    let is_field = |item: &String| item.contains('=');
    let (own, from): (Vec<_>, Vec<_>) = from.into_iter().partition(is_field);
    fields.extend(own);
    let (to, from) = (list(to, Vec::new()), list(from, fields));
    let mut text = name;
    for (before, items) in [(" ", to), (" <- ", from)] {
        if !items.is_empty() {
            text += before;
            text += &items;
        }
    }
    text
}

/// An instruction that is being printed: its mnemonic with modifiers, and the items before and
/// behind the arrow.
struct Line<'a> {
    code: &'a Code,
    name: String,
    to: Vec<String>,
    from: Vec<String>,
}

impl Line<'_> {
    fn push(&mut self, access: Access, item: String) {
        match access {
            Access::Def => self.to.push(item),
            _ => self.from.push(item),
        }
    }

    fn modifier(&mut self, word: &str) {
        self.name += if self.name.is_empty() || self.name.ends_with(' ') { "" } else { "." };
        self.name += word;
    }

    /// Prints an operand: `n3`, `w1`, `p2`, `!p2`, `_`, or the value of a constant.
    fn of_slot(&self, slot: Slot) -> String {
        let long = if slot.is_wide() { "L" } else { "" };
        if let Some(patch) = self.code.patches.iter().find(|patch| patch.slot == slot) {
            return format!("shared{}+{}{long}", patch.variable.0, patch.addend);
        }
        match slot {
            Slot::NONE => "_".to_owned(),
            Slot::TRUE => "true".to_owned(),
            Slot::FALSE => "false".to_owned(),
            of if of.is_predicate() => {
                format!("{}p{}", if of.is_negated() { "!" } else { "" }, of.predicate_index())
            }
            of if of.is_constant() && of.is_wide() => {
                let value = self.code.constants.wide.get(of.index()).map_or(0, |lanes| lanes[0]);
                value.text() + long
            }
            of if of.is_constant() => {
                let lanes = self.code.constants.narrow.get(of.index());
                lanes.map_or(0, |lanes| lanes[0]).text()
            }
            of if of.is_wide() => format!("w{}", of.index()),
            of => format!("n{}", of.index()),
        }
    }

    fn of_value(&self, value: &Value) -> String {
        match value {
            Value::Frame(at) => format!("frame {at}"),
            Value::Register(slot) => self.of_slot(*slot),
        }
    }

    fn place(at: u32) -> String {
        match at {
            NONE => "nowhere".to_owned(),
            AT_RETURN => "return".to_owned(),
            at => format!("L{at}"),
        }
    }

    fn items(&mut self, access: Access, items: Vec<String>) {
        let item = match &items[..] {
            [one] if one != "_" => one.clone(),
            all => format!("[{}]", all.join(", ")),
        };
        self.push(access, item);
    }
}

impl Parts for Line<'_> {
    fn slot(&mut self, access: Access, slot: &Slot) {
        self.push(access, self.of_slot(*slot));
    }

    fn list(&mut self, access: Access, slots: &Vec<Slot>) {
        self.items(access, slots.iter().map(|&slot| self.of_slot(slot)).collect());
    }

    fn value(&mut self, access: Access, value: &Value) {
        self.push(access, self.of_value(value));
    }

    fn values(&mut self, values: &Vec<Value>) {
        self.items(Access::Use, values.iter().map(|value| self.of_value(value)).collect());
    }

    fn result(&mut self, value: &Option<Value>) {
        self.to.push(value.as_ref().map_or("_".to_owned(), |value| self.of_value(value)));
    }

    /// An argument or result is followed by its offset and size in the callee's call frame, and by
    /// its shadow.
    fn passed(&mut self, access: Access, all: &Vec<Passed>) {
        let one = |of: &Passed| {
            let shadow = if of.shadow.is_none() {
                String::new()
            } else {
                format!(" shadow {}", self.of_slot(of.shadow))
            };
            format!("{} at {}+{}{shadow}", self.of_value(&of.value), of.offset, of.size)
        };
        self.items(access, all.iter().map(one).collect());
    }

    fn located(&mut self, Located { mem_space, base, offset }: &Located) {
        self.word(mem_space);
        let base_text = self.of_slot(*base);
        self.from.push(match (base.is_none(), *offset as i64) {
            (true, _) => format!("[{}]", offset.text()),
            (false, 0) if !base.is_constant() => format!("[{base_text}]"),
            (false, back @ i64::MIN..0) => {
                format!("[{base_text} - {}]", back.unsigned_abs().text())
            }
            (false, _) => format!("[{base_text} + {}]", offset.text()),
        });
    }

    fn word<T: Word>(&mut self, word: &T) {
        self.modifier(&word.text());
    }

    fn flag(&mut self, name: &'static str, is: &bool) {
        if *is {
            self.modifier(name);
        }
    }

    fn some<T: Default>(&mut self, name: &'static str, value: &Option<T>) {
        self.flag(name, &value.is_some());
    }

    fn field<T: Word + PartialEq>(&mut self, name: &'static str, default: T, value: &T) {
        if *value != default {
            self.from.push(format!("{name}={}", value.text()));
        }
    }

    fn target(&mut self, target: &u32) {
        self.to.push(Self::place(*target));
    }

    fn targets(&mut self, targets: &Box<[u32]>) {
        self.items(Access::Def, targets.iter().map(|&target| Self::place(target)).collect());
    }

    fn meets(&mut self, at: &u32) {
        if *at != NONE {
            self.to.push(format!("meets {}", Self::place(*at)));
        }
    }

    fn function(&mut self, number: &u32) {
        let name = self.code.funcs.get(*number as usize).map_or("nothing", |func| &func.name);
        self.from.push(format!("function={name}"));
    }

    fn row(&mut self, row: &&'static Row) {
        self.modifier(&row.text());
    }

    fn alu(&mut self, alu: &Alu) {
        let text = format!("{alu:?}");
        self.modifier(text.split('(').next().unwrap_or_default());
    }

    fn operation(&mut self, operation: &Arc<Operation>) {
        self.field("selector", 0, &operation.selector());
    }
}

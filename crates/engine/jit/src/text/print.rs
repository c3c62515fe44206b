//! The printer of the text form of regions.

use super::names::{Named, op_name};
use crate::ir::{
    Access, Action, Atomic, Block, Call, End, Load, Match, Region, Shuffle, Space, Step, Store,
    Target,
};
use crate::operand::{Predicate, Source, Test, VReg};
use std::fmt::{self, Display, Formatter};

/// Numbers below this limit are printed in decimal, others in hexadecimal.
const DECIMAL: u64 = 4096;

impl Display for VReg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::B32(i) => write!(f, "n{i}"),
            Self::B64(i) => write!(f, "w{i}"),
            Self::Predicate(i) => write!(f, "p{i}"),
        }
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self::B32(i) => write!(f, "n{i}"),
            Self::B64(i) => write!(f, "w{i}"),
            Self::Literal(number) => Number(number).fmt(f),
            Self::Constant(i) => write!(f, "const[{i}]"),
            Self::WideConstant(i) => write!(f, "const64[{i}]"),
            Self::PerLane(i) => write!(f, "row[{i}]"),
            Self::Uniform(i) => write!(f, "word[{i}]"),
            Self::Bytes32(i) => write!(f, "param32[{i}]"),
            Self::Bytes64(i) => write!(f, "param64[{i}]"),
            Self::FrameAt => f.write_str("frame"),
            Self::Lane => f.write_str("lane"),
        }
    }
}

impl Display for Predicate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => f.write_str("true"),
            Self::Never => f.write_str("false"),
            Self::If(i) => write!(f, "p{i}"),
            Self::Unless(i) => write!(f, "!p{i}"),
        }
    }
}

struct Number(u64);

impl Display for Number {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            number if number < DECIMAL => write!(f, "{number}"),
            number if number.wrapping_neg() < DECIMAL => write!(f, "-{}", number.wrapping_neg()),
            number => write!(f, "{number:#x}"),
        }
    }
}

/// An optional value, which is printed as `_` if it is absent.
struct OrNone<T>(Option<T>);

impl<T: Display> Display for OrNone<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("_"),
        }
    }
}

struct List<T>(Vec<T>);

impl<T: Display> Display for List<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Display for Region {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "region sites {}", self.sites)?;
        for [a, b, product] in &self.products {
            writeln!(f, "product word[{product}] = word[{a}], word[{b}]")?;
        }
        for (at, stride) in &self.stride_makers {
            writeln!(f, "stride @{at} = {stride}")?;
        }
        for (i, block) in self.blocks.iter().enumerate() {
            header(f, i, block)?;
            for (vreg, offset) in self.params.get(i).into_iter().flatten() {
                writeln!(f, "  param {vreg} = {offset}")?;
            }
            for (register, stride) in self.strides.get(i).into_iter().flatten() {
                writeln!(f, "  stride {} = {stride}", VReg::B32(*register))?;
            }
            block.steps.iter().try_for_each(|step| writeln!(f, "  {step}"))?;
            writeln!(f, "  {}", block.end)?;
        }
        Ok(())
    }
}

fn header(f: &mut Formatter<'_>, i: usize, block: &Block) -> fmt::Result {
    write!(f, "block {i} @{}", block.at)?;
    f.write_str(if block.is_entry { " entry" } else { "" })?;
    f.write_str(if block.joins { " joins" } else { "" })?;
    let mut kept: Vec<_> = block.kept.iter().collect();
    kept.sort();
    if !kept.is_empty() {
        f.write_str(" keeps")?;
        kept.iter().try_for_each(|vreg| write!(f, " {vreg}"))?;
    }
    writeln!(f)
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block(i) => write!(f, "{i}"),
            Self::Leave(at) => write!(f, "out {at}"),
        }
    }
}

impl Display for End {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jump(to) => write!(f, "goto {to}"),
            Self::Branch { taken, to, next, at, counted, reconverge_at } => {
                let counted = if *counted { " counted" } else { "" };
                let reconverge_at = OrNone((*reconverge_at != u32::MAX).then_some(reconverge_at));
                write!(f, "branch @{at}{counted} {taken} ? {to} : {next} meets {reconverge_at}")
            }
            Self::Leave { at } => write!(f, "leave @{at}"),
            Self::Yield { at, next, barrier: None } => write!(f, "yield @{at} then {next}"),
            Self::Yield { at, next, barrier: Some(counted) } => {
                write!(f, "barrier @{at} counted {counted} then {next}")
            }
        }
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, if self.counted { "" } else { "helper " })?;
        if self.guard != Predicate::Always {
            write!(f, "if {} ", self.guard)?;
        }
        self.action.fmt(f)
    }
}

impl Display for Action {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nop"),
            Self::Compute { op, to, from } => {
                let from = List(from[..op.sources()].to_vec());
                write!(f, "{} {to}, {from}", op_name(*op))
            }
            Self::Compare { test, from: [a, b], to: [p, q], with: (combine, with) } => {
                let [p, q] = [p, q].map(|to| OrNone(to.map(VReg::Predicate)));
                let combine = combine.name().unwrap_or_default();
                write!(f, "{test} {p}, {q}, {a}, {b}, {combine}, {with}")
            }
            Self::Logic { table, to, from: [a, b] } => {
                write!(f, "logic.{table:#03x} p{to}, {a}, {b}")
            }
            Self::Load(load) => load.fmt(f),
            Self::Store(store) => store.fmt(f),
            Self::Atomic(atomic) => atomic.fmt(f),
            Self::Call(call) => call.fmt(f),
            Self::Shuffle(shuffle) => shuffle.fmt(f),
            Self::Vote { mode, to, of, members } => {
                let mode = mode.name().unwrap_or_default();
                write!(f, "vote.{mode} {to}, {of}, {}", OrNone(*members))
            }
            Self::Match(of) => of.fmt(f),
            Self::Redux { op, to, of, members } => {
                write!(f, "redux.{} n{to}, {of}, {members}", op.name().unwrap_or_default())
            }
            Self::Sync { members } => write!(f, "warpsync {members}"),
            Self::Rarely { of, steps } => write!(f, "rarely {of}, {steps}"),
            Self::ActiveMask { to } => write!(f, "activemask {to}"),
            Self::Count { counter, of } => write!(f, "count {counter}, {}", OrNone(*of)),
            Self::Issue { counter, of } => write!(f, "issue {counter}, {}", OrNone(*of)),
            Self::CountZeros(of) => write!(f, "countzeros {of}"),
        }
    }
}

impl Display for Test {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (kind, relation, unordered) = match *self {
            Self::Signed(relation) => ("s32", relation, false),
            Self::Unsigned(relation) => ("u32", relation, false),
            Self::SignedWide(relation) => ("s64", relation, false),
            Self::UnsignedWide(relation) => ("u64", relation, false),
            Self::Float { relation, unordered } => ("f32", relation, unordered),
            Self::Double { relation, unordered } => ("f64", relation, unordered),
            Self::Special => return f.write_str("compare.f32.special"),
        };
        let relation = relation.name().unwrap_or_default();
        write!(f, "compare.{kind}.{relation}{}", if unordered { ".unordered" } else { "" })
    }
}

impl Display for Access {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.base {
            Some(base) => write!(f, "[{base} + {}]", Number(self.offset))?,
            None => write!(f, "[{}]", Number(self.offset))?,
        }
        if self.space == Space::Global {
            write!(f, " site {}", self.site)?;
        }
        if self.map != 0 {
            write!(f, " map {}", self.map)?;
        }
        Ok(())
    }
}

/// The kind of an access, such as `global.4x2`.
fn kind(access: &Access) -> String {
    format!("{}.{}x{}", access.space.name().unwrap_or_default(), access.size, access.count)
}

impl Display for Load {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "load.{}{}", kind(&self.access), if self.signed { ".signed" } else { "" })?;
        if self.keep != u64::MAX {
            write!(f, ".keep.{:#x}", self.keep)?;
        }
        let to = List(self.to.iter().map(|&to| OrNone(to)).collect());
        write!(f, " {to}, {}", self.access)
    }
}

impl Display for Store {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "store.{} {}, {}", kind(&self.access), List(self.from.clone()), self.access)
    }
}

impl Display for Atomic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let change = self.change.name().unwrap_or_default();
        write!(f, "atomic.{change}.{} {}, {}", kind(&self.access), OrNone(self.to), self.b)?;
        write!(f, ", {}, {}", OrNone(self.c), self.access)
    }
}

impl Display for Shuffle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (to, valid) = (self.to.map(VReg::B32), self.valid.map(VReg::Predicate));
        let (mode, to, valid) = (self.mode.name().unwrap_or_default(), OrNone(to), OrNone(valid));
        write!(f, "shfl.{mode} {to}, {valid}, {}, {}, {}", self.a, self.b, self.c)?;
        write!(f, ", {}", OrNone(self.members))
    }
}

impl Display for Match {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (to, same) = (self.to.map(VReg::B32), self.same.map(VReg::Predicate));
        let mode = if self.all { "all" } else { "any" };
        write!(f, "match.{mode} {}, {}, {}, {}", OrNone(to), OrNone(same), self.of, self.members)
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let routine = format!("{:?}", self.routine).to_lowercase();
        let routine = routine.split([' ', '{']).next().unwrap_or_default().to_owned();
        let from = List(self.from[..self.routine.sources()].to_vec());
        write!(f, "call.{routine} {}, {from}", OrNone(self.to))?;
        if self.keep != u64::MAX {
            write!(f, " keep {:#x}", self.keep)?;
        }
        Ok(())
    }
}

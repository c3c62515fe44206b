//! Names of operations, comparisons and modes in the text form, for the printer and the parser.

use crate::ir::{Change, Reduce, Shuffling, Space, Vote};
use crate::op::{Float, Op, Rounding};
use crate::operand::{Combine, Predicate, Relation};
use texunit_sfu::lanes::{EX2_CURVE, RCP_CURVE, RSQ_CURVE, SQRT_CURVE};

/// An enumeration whose variants have names.
pub(super) trait Named: Copy + PartialEq + 'static {
    const NAMES: &'static [(&'static str, Self)];

    fn name(self) -> Option<&'static str> {
        Self::NAMES.iter().find(|of| of.1 == self).map(|of| of.0)
    }

    fn by_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|of| of.0 == name).map(|of| of.1)
    }
}

macro_rules! names {
    ($ty:ty: $($variant:ident $(($of:expr))? $name:literal)*) => {
        impl Named for $ty {
            const NAMES: &'static [(&'static str, Self)] = &[$(($name, Self::$variant $(($of))?)),*];
        }
    };
}

names!(Relation: Eq "eq" Ne "ne" Lt "lt" Le "le" Gt "gt" Ge "ge");
names!(Combine: And "and" Or "or" Xor "xor");
names!(Rounding: Near "near" Floor "floor" Ceil "ceil" Trunc "trunc");
names!(Float: Add "add" Sub "sub" Mul "mul" Fma "fma" Div "div" Sqrt "sqrt" Min "min" Max "max" Neg "neg" Abs "abs" Copy "copy");
names!(Space: Global "global" Shared "shared" Local "local" Frame "frame" Param "param");
names!(Shuffling: Up "up" Down "down" Butterfly "bfly" Index "idx");
names!(Vote: Ballot "ballot" All "all" Any "any" Uniform "uni");
names!(Reduce: Add "add" MinS "min.s" MaxS "max.s" MinU "min.u" MaxU "max.u" And "and" Or "or" Xor "xor");
names!(Change: Reduce(Reduce::Add) "add" Reduce(Reduce::And) "and" Reduce(Reduce::Or) "or" Reduce(Reduce::Xor) "xor"
    Reduce(Reduce::MinS) "min.s" Reduce(Reduce::MaxS) "max.s" Reduce(Reduce::MinU) "min.u" Reduce(Reduce::MaxU) "max.u"
    Exchange "exch" Compare "cas" Inc "inc" Dec "dec" AddFloat "add.f");
names!(Op: Copy "copy" Add "add" Sub "sub" Mul "mul" MulAdd "mad" MulHighU "mulhi.u" MulHighS "mulhi.s" MinS "min.s"
    MaxS "max.s" MinU "min.u" MaxU "max.u" Abs "abs" ShiftLeft "shl" ShiftRightU "shr.u" ShiftRightS "shr.s"
    FunnelLeft "shf.l" FunnelRight "shf.r" FromS "f32.from.s32" CopyWide "copy64" AddWide "add64" SubWide "sub64"
    MulWide "mul64" ShiftLeftWide "shl64" ShiftRightWideU "shr64.u" ShiftRightWideS "shr64.s" ProductU "mulwide.u"
    ProductS "mulwide.s" ProductAddU "madwide.u" ProductAddS "madwide.s" ExtendU "extend.u" ExtendS "extend.s" Low "low"
    MulShort "mulshort" Square "square" FromHalf "f32.from.f16" Reverse "brev" Bytes "prmt" LeadingZeros "clz"
    MulHighWide "mulhi64.u" DoubleFromF "f64.from.f32" DoubleToS "s32.from.f64" DoubleToU "u32.from.f64"
    DoubleToWideS "s64.from.f64" DoubleToWideU "u64.from.f64" DoubleFromU "f64.from.u32" DoubleFromS "f64.from.s32"
    DoubleFromWideU "f64.from.u64" DoubleFromWideS "f64.from.s64");

/// The name of a float operation, followed by its direction if it has one.
fn float_name(op: Float, rounding: Rounding) -> String {
    let (name, rounding) = match op {
        Float::Round(rounding) => ("round", Some(rounding)),
        op => (op.name().unwrap_or_default(), Some(rounding).filter(|&to| to != Rounding::Near)),
    };
    let direction = rounding.and_then(Rounding::name);
    direction.map_or_else(|| name.to_owned(), |direction| format!("{name}.{direction}"))
}

/// The predicate that is printed as this text: `p3`, `!p3`, `true` or `false`.
pub(super) fn predicate_by_name(name: &str) -> Option<Predicate> {
    Some(match name {
        "true" => Predicate::Always,
        "false" => Predicate::Never,
        _ => match name.strip_prefix("!p") {
            Some(number) => Predicate::Unless(number.parse().ok()?),
            None => Predicate::If(name.strip_prefix('p')?.parse().ok()?),
        },
    })
}

/// The name of an operation.
pub(super) fn op_name(op: Op) -> String {
    if let Some(name) = op.name() {
        return name.to_owned();
    }
    let ends = |flush: bool, saturate: bool| {
        [if flush { ".ftz" } else { "" }, if saturate { ".sat" } else { "" }].concat()
    };
    let rounding = |rounding: Rounding| rounding.name().unwrap_or_default();
    match op {
        Op::Bits(table) => format!("lop3.{table:#04x}"),
        Op::BitsWide(table) => format!("lop3x64.{table:#04x}"),
        Op::Float { op, rounding, flush, saturate } => {
            format!("f32.{}{}", float_name(op, rounding), ends(flush, saturate))
        }
        Op::Double(op, rounding) => format!("f64.{}", float_name(op, rounding)),
        Op::FromU(bits) => format!("f32.from.bits.{bits:#x}"),
        Op::ToU(to) => format!("u32.from.f32.{}", rounding(to)),
        Op::ToS(to) => format!("s32.from.f32.{}", rounding(to)),
        Op::ToHalf(to) => format!("f16.from.f32.{}", rounding(to)),
        Op::FromDouble(to) => format!("f32.from.f64.{}", rounding(to)),
        Op::Select(p) => format!("select.{p}"),
        Op::SelectWide(p) => format!("select64.{p}"),
        Op::LookUp(words) => format!("lookup.{}", words.all().len()),
        Op::Curve(curve) => format!("curve.{}", curve.name),
        _ => String::new(),
    }
}

/// The operation with this name; `None` if there is no such operation, or it has a table of
/// constants.
pub(super) fn op_by_name(name: &str) -> Option<Op> {
    if let Some(op) = Op::by_name(name) {
        return Some(op);
    }
    let rounding = Rounding::by_name;
    let parts: Vec<&str> = name.split('.').collect();
    Some(match parts[..] {
        ["lop3", table] => Op::Bits(number(table)?.try_into().ok()?),
        ["lop3x64", table] => Op::BitsWide(number(table)?.try_into().ok()?),
        ["f32", "from", "bits", bits] => Op::FromU(number(bits)?.try_into().ok()?),
        ["f32", "from", "f64", to] => Op::FromDouble(rounding(to)?),
        ["u32", "from", "f32", to] => Op::ToU(rounding(to)?),
        ["s32", "from", "f32", to] => Op::ToS(rounding(to)?),
        ["f16", "from", "f32", to] => Op::ToHalf(rounding(to)?),
        ["select", p] => Op::Select(predicate_by_name(p)?),
        ["select64", p] => Op::SelectWide(predicate_by_name(p)?),
        ["curve", name] => {
            let curves = [&RCP_CURVE, &RSQ_CURVE, &SQRT_CURVE, &EX2_CURVE];
            Op::Curve(curves.into_iter().find(|curve| curve.name == name)?)
        }
        [kind @ ("f32" | "f64"), ref rest @ ..] => float_op(kind == "f64", rest)?,
        _ => return None,
    })
}

fn float_op(double: bool, mut rest: &[&str]) -> Option<Op> {
    let mut next = |is: &dyn Fn(&str) -> bool| {
        let (first, behind) = rest.split_first().filter(|of| is(of.0))?;
        rest = behind;
        Some(*first)
    };
    let op = match next(&|_| true)? {
        "round" => Float::Round(Rounding::by_name(next(&|_| true)?)?),
        name => Float::by_name(name)?,
    };
    let direction = next(&|name| Rounding::by_name(name).is_some()).and_then(Rounding::by_name);
    let flush = next(&|name| name == "ftz").is_some();
    let saturate = next(&|name| name == "sat").is_some();
    if !rest.is_empty() || double && (flush || saturate) {
        return None;
    }
    let rounding = direction.unwrap_or(Rounding::Near);
    Some(match double {
        true => Op::Double(op, rounding),
        false => Op::Float { op, rounding, flush, saturate },
    })
}

/// Parses a number of 64 bits: decimal or hexadecimal with `0x`, with an optional sign.
pub(super) fn number(text: &str) -> Option<u64> {
    let (minus, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let hex = digits.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
    let value = hex.unwrap_or_else(|| digits.parse()).ok()?;
    Some(if minus { value.wrapping_neg() } else { value })
}

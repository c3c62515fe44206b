//! Boolean functions of three sources (`lop3`), composed of the four bitwise instructions of AVX2.

use super::Avx2Emitter;
use crate::emit::register_cache::Reg;
use crate::emit::vector::{Operand, V};
use std::sync::OnceLock;

/// A bitwise instruction of two sources: what it computes, and its code.
type Gate = (fn(u8, u8) -> u8, V);

const GATES: [Gate; 4] = [
    (|a, b| a & b, V::And32),
    (|a, b| a | b, V::Or32),
    (|a, b| a ^ b, V::Xor32),
    (|a, b| !a & b, V::AndNot32),
];
/// The number of the last gate, whose operands cannot be exchanged.
const AND_NOT: usize = GATES.len() - 1;

/// How the function of a truth table is computed.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// The result is one of the sources.
    Source(usize),
    /// All bits of the result are 1.
    Ones,
    /// An instruction applied to the functions of two other tables.
    Gate(usize, u8, u8),
}

/// The truth tables of the three sources.
const SOURCES: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// For each truth table, its shortest formula, found by combining all pairs of shorter formulas.
fn rules() -> &'static [Rule; 256] {
    static RULES: OnceLock<[Rule; 256]> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut rules: [Option<Rule>; 256] = [None; 256];
        let mut by_length = vec![Vec::new()];
        for (i, table) in SOURCES.into_iter().enumerate() {
            rules[usize::from(table)] = Some(Rule::Source(i));
            by_length[0].push(table);
        }
        rules[0xff] = Some(Rule::Ones);
        by_length[0].push(0xff);
        while rules.iter().any(Option::is_none) {
            let length = by_length.len();
            let mut found = Vec::new();
            for left in 0..length {
                for &a in &by_length[left] {
                    for &b in &by_length[length - 1 - left] {
                        for (gate, (of, _)) in GATES.iter().enumerate() {
                            let rule = &mut rules[usize::from(of(a, b))];
                            if rule.is_none() {
                                *rule = Some(Rule::Gate(gate, a, b));
                                found.push(of(a, b));
                            }
                        }
                    }
                }
            }
            by_length.push(found);
        }
        rules.map(|rule| rule.unwrap_or(Rule::Ones))
    })
}

impl Avx2Emitter<'_> {
    /// Emits a Boolean function of three sources. Returns the temporary register of the result.
    pub(super) fn bits(&mut self, table: u8, sources: [Operand; 3]) -> Reg {
        match self.formula(table, &sources) {
            Operand::Register(y) if self.is_temporary(y) && !is_among(y, &sources) => y,
            other => self.unary(V::Move, other),
        }
    }

    fn formula(&mut self, table: u8, sources: &[Operand; 3]) -> Operand {
        let (gate, a, b) = match rules()[usize::from(table)] {
            Rule::Source(i) => return sources[i],
            Rule::Ones => return self.number(u32::MAX),
            Rule::Gate(gate, a, b) => (gate, a, b),
        };
        let (a, b) = (self.formula(a, sources), self.formula(b, sources));
        // The first operand of an instruction must be a register.
        let (a, b) = match (a, b) {
            (Operand::Register(a), b) => (a, b),
            (a, Operand::Register(b)) if gate != AND_NOT => (b, a),
            (a, b) => (self.unary(V::Move, a), b),
        };
        let mut own = None;
        for operand in [Operand::Register(a), b] {
            if let Operand::Register(y) = operand
                && self.is_temporary(y)
                && !is_among(y, sources)
            {
                if own.is_some() {
                    self.release(y);
                } else {
                    own = Some(y);
                }
            }
        }
        let d = own.unwrap_or_else(|| self.temporary());
        self.three(GATES[gate].1, d, a, b);
        d.into()
    }
}

fn is_among(y: Reg, sources: &[Operand]) -> bool {
    sources.iter().any(|source| matches!(source, Operand::Register(s) if *s == y))
}

//! Runs one arithmetic instruction, written as in PTX, on given values.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use texunit_alu::{Alu, Approximate, Lanes, ResultKind, Row, Value, find, logic, lop3, with_data};
use texunit_isa::{CmpOp, Modifiers, MulPart, Opcode, PrmtMode, Rounding, ScalarType, TestOp};

/// Parses an instruction such as `mad.hi.sat.s32`; every modifier must be known.
pub fn parse(text: &str) -> (Opcode, Modifiers) {
    let mut words = text.split('.');
    let opcode = Opcode::from_name(words.next().unwrap()).unwrap();
    let mut m = Modifiers::default();
    for word in words {
        let shf = opcode == Opcode::Shf;
        match word {
            "approx" => m.approx = true,
            "full" => m.full = true,
            "ftz" => m.ftz = true,
            "sat" => m.sat = true,
            "satfinite" => m.satfinite = true,
            "relu" => m.relu = true,
            "NaN" => m.nan = true,
            "cc" => m.cc = true,
            "wrap" => m.wrap = true,
            "clamp" => m.wrap = false,
            "shiftamt" => m.shiftamt = true,
            "l" if shf => m.shf_right = false,
            "r" if shf => m.shf_right = true,
            _ => {
                let compares = matches!(opcode, Opcode::Set | Opcode::Setp);
                let known = if let Some(x) = ScalarType::from_name(word) {
                    m.types.push(x);
                    true
                } else if let (true, Some(x)) = (compares, CmpOp::from_name(word)) {
                    m.cmp = Some(x);
                    true
                } else if let (Opcode::Testp, Some(x)) = (opcode, TestOp::from_name(word)) {
                    m.test = Some(x);
                    true
                } else if let (Opcode::Prmt, Some(x)) = (opcode, PrmtMode::from_name(word)) {
                    m.prmt = Some(x);
                    true
                } else if let Some(x) = MulPart::from_name(word) {
                    m.part = Some(x);
                    true
                } else if let Some(x) = Rounding::from_name(word) {
                    m.rounding = Some(x);
                    true
                } else {
                    false
                };
                assert!(known, "{word} of {text}");
            }
        }
    }
    (opcode, m)
}

/// An instruction that is ready to run.
pub enum Instruction {
    Row(&'static Row),
    /// An operation that is not in the tables, because it has data.
    Data(Alu),
}

/// The operation of an instruction; `None` if the instruction is not supported.
pub fn select(opcode: Opcode, mods: &Modifiers) -> Option<Instruction> {
    select_as(opcode, mods, Approximate::Card)
}

fn select_as(opcode: Opcode, mods: &Modifiers, approximate: Approximate) -> Option<Instruction> {
    find(opcode, mods, 2, approximate)
        .map(Instruction::Row)
        .or_else(|| with_data(opcode, mods).map(Instruction::Data))
}

impl Instruction {
    pub fn new(text: &str) -> Self {
        // `.rounded` selects `--approx rounded`.
        let plain = text.replace(".rounded", "");
        let approximate = if plain == text { Approximate::Card } else { Approximate::Rounded };
        let (opcode, mods) = parse(&plain);
        select_as(opcode, &mods, approximate).unwrap_or_else(|| panic!("{text} is not executed"))
    }

    fn alu(&self) -> Alu {
        match self {
            Instruction::Row(row) => row.function(),
            Instruction::Data(alu) => *alu,
        }
    }

    /// Runs an instruction with carry on three sources. Returns the outgoing carries.
    pub fn carry(&self, d: &mut [u64; 32], [a, b, c]: &[[u64; 32]; 3], carries: u32) -> u32 {
        let Alu::Carry(f) = self.alu() else { panic!("no carry form") };
        f(d, a, b, c, carries)
    }

    /// Runs an instruction on up to 32 rows of four sources (the fourth is also the table of lop3).
    /// Other lanes hold noise, so that an influence of one lane on another is detected.
    pub fn rows(&self, rows: &[[u64; 4]]) -> Vec<u64> {
        let wide: [[u64; 32]; 4] = std::array::from_fn(|k| {
            std::array::from_fn(|i| rows.get(i).map_or(0x0123_4567_89ab_cdef << (i % 7), |r| r[k]))
        });
        let narrow = wide.map(|lanes| lanes.map(|x| x as u32));
        let mut value =
            Value { narrow: [0x5555_5555; 32], wide: [0x5555_5555_5555_5555; 32], holds: 0 };
        let bits = |m: u32| -> [u64; 32] { std::array::from_fn(|i| u64::from(m >> i & 1)) };
        let mask = |k: usize| (0..32).fold(0, |m, i| m | ((wide[k][i] & 1) as u32) << i);
        let [a, b, c, _] = &wide;
        let result = match (self.alu(), self) {
            (Alu::Lop3, _) => {
                lop3(&mut value.narrow, &narrow[0], &narrow[1], &narrow[2], rows[0][3] as u8);
                value.narrow.map(u64::from)
            }
            (Alu::Predicate(table), _) => bits(logic(table, mask(0), mask(1))),
            (alu @ (Alu::Convert(_) | Alu::Pack(_) | Alu::Video(_)), _) => {
                assert!(alu.run(&mut value.wide, [a, b, c]));
                value.wide
            }
            // The incoming carry is the fourth source.
            (Alu::Carry(f), _) => {
                f(&mut value.wide, a, b, c, mask(3));
                value.wide
            }
            (_, Instruction::Row(row)) if row.shape().result == ResultKind::Predicates => {
                let (low, high) = row.run_pair(&narrow[0], &narrow[1]);
                let (low, high) = (bits(low), bits(high));
                std::array::from_fn(|i| low[i] | high[i] << 1)
            }
            (_, Instruction::Row(row)) => {
                let from = row.shape().from;
                let source = |k: usize| {
                    if from[k] { Lanes::Wide(&wide[k]) } else { Lanes::Narrow(&narrow[k]) }
                };
                row.run([source(0), source(1), source(2), source(3)], &mut value);
                match row.shape().result {
                    ResultKind::Narrow => value.narrow.map(u64::from),
                    ResultKind::Wide | ResultKind::Double(_) => value.wide,
                    ResultKind::Predicate | ResultKind::Predicates => bits(value.holds),
                }
            }
            (_, Instruction::Data(alu)) => panic!("{alu:?} is a row's"),
        };
        result[..rows.len()].to_vec()
    }

    /// The bits of a value that fit into the destination register.
    pub fn slot(&self, x: u64) -> u64 {
        match self {
            Instruction::Row(row) if row.shape().result == ResultKind::Narrow => x & 0xffff_ffff,
            _ => x,
        }
    }

    /// Runs the instruction on one set of sources.
    pub fn run(&self, sources: [u64; 4]) -> u64 {
        self.rows(&[sources])[0]
    }
}

/// Checks the result of an instruction for these sources.
pub fn check(text: &str, sources: &[u64], expected: u64) {
    let mut row = [0; 4];
    row[..sources.len()].copy_from_slice(sources);
    let got = Instruction::new(text).run(row);
    assert_eq!(got, expected, "{text} {sources:x?}: got {got:#x}, expected {expected:#x}");
}

/// Checks lines of the form `instruction source... = result`, in hexadecimal; lines that begin with
/// `#` are comments.
pub fn check_table(table: &str) {
    let mut seen = 0;
    let mut ready = std::collections::HashMap::new();
    for line in table.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let (left, right) = line.split_once(" = ").unwrap();
        let mut fields = left.split(' ');
        let text = fields.next().unwrap();
        let mut row = [0; 4];
        for (slot, field) in row.iter_mut().zip(fields) {
            *slot = u64::from_str_radix(field, 16).unwrap();
        }
        let expected = u64::from_str_radix(right, 16).unwrap();
        let ready = ready.entry(text).or_insert_with(|| Instruction::new(text));
        let got = ready.run(row);
        assert_eq!(got, ready.slot(expected), "{line}: got {got:x}");
        seen += 1;
    }
    assert!(seen > 100, "{seen} rows");
}

/// Numbers at the limits of every width, and others between them.
pub fn edges() -> Vec<u64> {
    let mut all = vec![0, 1, 2, 3, 5, 7, 0x55, 0xaaaa_aaaa_aaaa_aaaa, 0x0123_4567_89ab_cdef];
    for bits in [8, 16, 24, 31, 32, 48, 63] {
        let power = 1u64 << bits;
        all.extend([power - 1, power, power + 1, power.wrapping_neg(), !power]);
        all.push(power >> 1);
    }
    all.push(u64::MAX);
    let mut random = texunit_testkit::Random::new(24);
    all.extend((0..24).map(|_| random.u64()));
    all
}

/// An integer type: its width, and whether it is signed.
#[derive(Clone, Copy)]
pub struct Int(pub u32, pub bool);

/// The integer types that have arithmetic.
pub const TYPES: [(&str, Int); 6] = [
    ("u16", Int(16, false)),
    ("s16", Int(16, true)),
    ("u32", Int(32, false)),
    ("s32", Int(32, true)),
    ("u64", Int(64, false)),
    ("s64", Int(64, true)),
];

impl Int {
    /// The value of the low bits.
    pub fn value(self, x: u64) -> i128 {
        let low = i128::from(x) & ((1 << self.0) - 1);
        if self.1 && low >> (self.0 - 1) == 1 { low - (1 << self.0) } else { low }
    }

    /// The low bits of a value, zero-extended.
    pub fn bits(self, x: i128) -> u64 {
        (x & ((1 << self.0) - 1)) as u64
    }

    pub fn saturate(self, x: i128) -> u64 {
        let top = 1i128 << (self.0 - 1);
        self.bits(x.clamp(-top, top - 1))
    }
}

/// Runs an instruction on all pairs of edge numbers, with a varying third source.
pub fn sweep(text: &str, model: impl Fn(u64, u64, u64) -> u64) {
    let instruction = Instruction::new(text);
    let edges = edges();
    for (i, &a) in edges.iter().enumerate() {
        for (j, chunk) in edges.chunks(32).enumerate() {
            let c = |k: usize| edges[(i * 7 + j * 3 + k * 5) % edges.len()];
            let rows: Vec<_> = chunk.iter().enumerate().map(|(k, &b)| [a, b, c(k), 0]).collect();
            for (row, got) in rows.iter().zip(instruction.rows(&rows)) {
                let expected = model(row[0], row[1], row[2]);
                assert_eq!(got, expected, "{text} {row:x?}: {got:#x}, expected {expected:#x}");
            }
        }
    }
}

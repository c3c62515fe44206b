//! A model of memory accesses, byte by byte.

use super::step::{AccessOp, CONST, Form, LOCAL, Memory, PARAM, ROUNDED, SHARED, Step};
use texunit_testkit::Random;

/// The memory of a CTA of one warp.
#[derive(Clone)]
pub struct Model {
    pub buffers: [Vec<u8>; 2],
    pub shared: Vec<u8>,
    pub local: Vec<Vec<u8>>,
    pub constant: Vec<u8>,
    pub params: Vec<u8>,
    /// Whether accesses slightly past the end of a buffer are permitted, and their number.
    pub hardware: bool,
    pub past_end: u64,
}

/// The part of a fault that a test compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    pub misaligned: bool,
    pub access: &'static str,
    pub memory: Memory,
    pub at: i64,
    pub size: u64,
    pub lane: u32,
}

/// Values of the lanes, by element.
pub type Got = Vec<[Option<u64>; 32]>;

fn cut(value: u64, bits: u64) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

fn signed(value: u64, bits: u64) -> i128 {
    let value = i128::from(cut(value, bits));
    if value >> (bits - 1) == 1 { value - (1 << bits) } else { value }
}

impl Model {
    pub fn random(random: &mut Random, hardware: bool) -> Self {
        let mut some = |size: u64| -> Vec<u8> {
            let words = (0..size / 4).flat_map(|_| {
                let small = random.chance(50);
                let word = if small { random.below(4) } else { random.u32() };
                word.to_le_bytes()
            });
            words.collect()
        };
        Self {
            buffers: [some(ROUNDED), some(ROUNDED)],
            shared: vec![0; SHARED as usize],
            local: vec![vec![0; LOCAL as usize]; 32],
            constant: some(CONST),
            params: some(PARAM),
            hardware,
            past_end: 0,
        }
    }

    fn bytes(&mut self, memory: Memory, lane: usize) -> &mut Vec<u8> {
        match memory {
            Memory::Global(n) => &mut self.buffers[n],
            Memory::Shared => &mut self.shared,
            Memory::Local => &mut self.local[lane],
            Memory::Const => &mut self.constant,
            Memory::Param => &mut self.params,
        }
    }

    fn get(&mut self, memory: Memory, lane: usize, at: i64, size: u64) -> u64 {
        let bytes = self.bytes(memory, lane);
        (0..size).fold(0, |v, i| v | u64::from(bytes[(at as u64 + i) as usize]) << (8 * i))
    }

    fn set(&mut self, memory: Memory, lane: usize, at: i64, size: u64, value: u64) {
        let bytes = self.bytes(memory, lane);
        (0..size).for_each(|i| bytes[(at as u64 + i) as usize] = (value >> (8 * i)) as u8);
    }

    /// Whether bytes may be accessed. Elements past the end are counted.
    fn may(&mut self, memory: Memory, at: i64, size: u64, element: u64) -> bool {
        let end = at + size as i64;
        if at >= 0 && end <= memory.size() as i64 {
            return true;
        }
        let passes = self.hardware
            && matches!(memory, Memory::Global(_))
            && at >= 0
            && end <= memory.size().next_multiple_of(512) as i64;
        if passes {
            let past = |k: &u64| at + ((k + 1) * element) as i64 > memory.size() as i64;
            self.past_end += (0..size / element).filter(past).count() as u64;
        }
        passes
    }

    /// Executes an access of the live lanes. The result of a load or atomic is `None` where a
    /// register keeps its value.
    pub fn step(&mut self, step: &Step, live: u32) -> Result<Got, Wrong> {
        let mask = step.guard & live;
        let access = match step.operation {
            AccessOp::Load { .. } => "load",
            AccessOp::Store => "store",
            AccessOp::Atomic { .. } => "atomic",
        };
        let total = step.total();
        let unit = if step.form == Form::Known { step.size } else { total };
        let mut got = vec![[None; 32]; step.count];
        let lanes = || (0..32).filter(|lane| mask >> lane & 1 == 1);
        let wrong = |lane: usize, misaligned, size| {
            let (memory, at) = step.at[lane];
            Wrong { misaligned, access, memory, at, size, lane: lane as u32 }
        };
        let is_misaligned = |lane: usize, unit: u64| step.at[lane].1.rem_euclid(unit as i64) != 0;
        if let AccessOp::Atomic { op, ty, returns } = &step.operation {
            for lane in lanes() {
                if is_misaligned(lane, total) {
                    return Err(wrong(lane, true, total));
                }
                let (memory, at) = step.at[lane];
                if !self.may(memory, at, total, total) {
                    return Err(wrong(lane, false, total));
                }
                let old = self.get(memory, lane, at, total);
                let new = change(op, ty, old, step.values[0][lane], step.values[1][lane]);
                self.set(memory, lane, at, total, new);
                got[0][lane] = returns.then_some(old);
            }
            return Ok(got);
        }
        // Alignment is checked for all lanes first.
        if let Some(lane) = lanes().find(|&lane| is_misaligned(lane, unit)) {
            return Err(wrong(lane, true, unit));
        }
        for lane in lanes() {
            let (memory, at) = step.at[lane];
            if !self.may(memory, at, total, step.size) {
                return Err(wrong(lane, false, total));
            }
            for (k, got) in got.iter_mut().enumerate() {
                let at = at + k as i64 * step.size as i64;
                match step.operation {
                    AccessOp::Load { signed: is_signed, sink } if sink != Some(k) => {
                        let value = self.get(memory, lane, at, step.size);
                        let extended = signed(value, 8 * step.size) as u64;
                        let value = if is_signed { extended } else { value };
                        got[lane] = Some(cut(value, step.bits.into()));
                    }
                    AccessOp::Store => self.set(memory, lane, at, step.size, step.values[k][lane]),
                    _ => {}
                }
            }
        }
        Ok(got)
    }
}

/// The new value of an atomic.
fn change(op: &str, ty: &str, old: u64, b: u64, c: u64) -> u64 {
    let bits: u64 = ty[1..].parse().expect("a number");
    let (b, c) = (cut(b, bits), cut(c, bits));
    let order = |v: u64| if ty.starts_with('s') { signed(v, bits) } else { i128::from(v) };
    let new = match op {
        "add" => old.wrapping_add(b),
        "min" => {
            if order(b) < order(old) {
                b
            } else {
                old
            }
        }
        "max" => {
            if order(b) > order(old) {
                b
            } else {
                old
            }
        }
        "and" => old & b,
        "or" => old | b,
        "xor" => old ^ b,
        "exch" => b,
        "cas" => {
            if old == b {
                c
            } else {
                old
            }
        }
        "inc" => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        "dec" => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
        _ => panic!("{op}"),
    };
    cut(new, bits)
}

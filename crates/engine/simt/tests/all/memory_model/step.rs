//! Generator of random accesses.

use texunit_testkit::Random;

/// Bytes of each kind of memory.
pub const SHARED: u64 = 256;
pub const LOCAL: u64 = 64;
pub const CONST: u64 = 256;
pub const PARAM: u64 = 64;
/// Sizes of the two buffers, which are not multiples of a GPU's allocation granularity.
pub const BUFFERS: [u64; 2] = [1000, 640];
/// Sizes of the allocations, rounded up to the granularity of the bounds checks.
pub const ROUNDED: u64 = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    Global(usize),
    Shared,
    Local,
    Const,
    Param,
}

impl Memory {
    pub fn size(self) -> u64 {
        match self {
            Memory::Global(n) => BUFFERS[n],
            Memory::Shared => SHARED,
            Memory::Local => LOCAL,
            Memory::Const => CONST,
            Memory::Param => PARAM,
        }
    }
}

/// Form of an address operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A 64-bit register, in the instruction's state space.
    Wide,
    /// A 32-bit register.
    Narrow,
    /// A generic address.
    Generic,
    /// The name of a variable and an offset.
    Known,
}

/// Width of the registers in bits.
pub type Bits = u32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessOp {
    Load {
        signed: bool,
        sink: Option<usize>,
    },
    Store,
    /// Operation and type.
    Atomic {
        op: &'static str,
        ty: &'static str,
        returns: bool,
    },
}

/// An instruction with addresses for all lanes, including those that the guard excludes.
#[derive(Clone, Debug)]
pub struct Step {
    pub operation: AccessOp,
    pub form: Form,
    pub size: u64,
    pub count: usize,
    pub bits: Bits,
    pub guard: u32,
    /// Kind of memory of each lane, and the signed offset from its first byte.
    pub at: [(Memory, i64); 32],
    /// Values to store, by element and lane, or the operands of an atomic.
    pub values: [[u64; 32]; 4],
}

const ATOMICS: [(&str, &str); 17] = [
    ("add", "u32"),
    ("add", "s32"),
    ("add", "u64"),
    ("min", "s32"),
    ("max", "s64"),
    ("min", "u64"),
    ("max", "u32"),
    ("and", "b32"),
    ("or", "b64"),
    ("xor", "b32"),
    ("exch", "b32"),
    ("exch", "b64"),
    ("cas", "b32"),
    ("cas", "b64"),
    ("cas", "b16"),
    ("inc", "u32"),
    ("dec", "u32"),
];

impl Step {
    pub fn total(&self) -> u64 {
        self.size * self.count as u64
    }

    /// `wrong`: at least one lane is out of bounds.
    pub fn random(random: &mut Random, wrong: bool) -> Self {
        let atomic = random.chance(30);
        let (op, ty) = random.of(&ATOMICS);
        let returns = op == "cas" || op == "exch" || random.chance(60);
        let mut operation = match random.below(2) {
            _ if atomic => AccessOp::Atomic { op, ty, returns },
            0 => AccessOp::Load { signed: random.chance(40), sink: None },
            _ => AccessOp::Store,
        };
        let mut size = 1 << random.below(4_u32);
        let mut count = 1_usize << random.below(3_u32);
        if atomic {
            (size, count) = (ty[1..].parse::<u64>().expect("a number") / 8, 1);
        }
        while size * count as u64 > 16 {
            count /= 2;
        }
        let mut bits = 8 * size as u32;
        while bits < 16 || (!atomic && bits < 64 && random.chance(30)) {
            bits *= 2;
        }
        if let AccessOp::Load { sink, .. } = &mut operation {
            *sink = (count > 1 && random.chance(30)).then(|| random.below(count));
        }
        let (memories, form) = places(random, &operation, wrong);
        let (some, one) = (random.u32(), 1 << random.below(32_u32));
        let mut step = Self {
            operation,
            form,
            size,
            count,
            bits,
            guard: random.of(&[u32::MAX, u32::MAX, some, one]),
            at: [(memories[0], 0); 32],
            values: std::array::from_fn(|_| std::array::from_fn(|_| value(random))),
        };
        step.place(random, &memories);
        if wrong {
            let lanes: Vec<usize> = (0..32).filter(|l| step.guard >> l & 1 == 1).collect();
            if !lanes.is_empty() {
                let lane = random.of(&lanes);
                step.go_wrong(random, lane);
            }
        }
        step
    }

    fn place(&mut self, random: &mut Random, memories: &[Memory]) {
        let total = self.total();
        let pattern = if self.form == Form::Known { 0 } else { random.below(5_u32) };
        let first = memories[0];
        let slots = first.size() / total;
        let start = random.below(slots);
        for lane in 0..32 {
            let slot = match pattern {
                0 => start,
                1 => start.min(slots.saturating_sub(32)) + lane as u64,
                2 => 31 - lane as u64,
                3 => start.min(slots.saturating_sub(16)) + lane as u64 % 16,
                _ => random.below(slots),
            };
            self.at[lane] = (first, (slot % slots * total) as i64);
            if pattern == 4 {
                let memory = random.of(memories);
                let slots = memory.size() / total;
                self.at[lane] = (memory, (random.below(slots) * total) as i64);
            }
        }
    }

    fn go_wrong(&mut self, random: &mut Random, lane: usize) {
        let (memory, at) = &mut self.at[lane];
        let size = memory.size() as i64;
        let total = (self.size * self.count as u64) as i64;
        *at = match random.below(4_u32) {
            0 if total > 1 => *at + random.within(1..=total - 1),
            // Another state space precedes the window.
            1 if matches!(memory, Memory::Global(_)) || self.form == Form::Narrow => -total,
            // Past the end by few bytes, and by more than a GPU rounds up.
            2 => (size + total - 1) / total * total,
            _ => (size + total * random.below(64_i64)) / total * total,
        };
    }
}

/// The kinds of memory that the lanes of a step may access, the first being the most frequent, and
/// the form of the address.
fn places(random: &mut Random, operation: &AccessOp, wrong: bool) -> (Vec<Memory>, Form) {
    use Memory as M;
    let global = if random.chance(50) { [M::Global(0), M::Global(1)] } else { [M::Global(1); 2] };
    let generic = match random.below(5_u32) {
        0 => vec![M::Shared],
        1 => vec![M::Local],
        2 => vec![global[0]],
        3 => vec![M::Shared, global[0], global[1]],
        _ => vec![M::Local, M::Shared, global[0]],
    };
    let is_load = matches!(operation, AccessOp::Load { .. });
    let is_atomic = matches!(operation, AccessOp::Atomic { .. });
    match random.below(9_u32) {
        0 => (global.to_vec(), Form::Wide),
        1 | 2 => (vec![M::Shared], random.of(&[Form::Wide, Form::Narrow, Form::Narrow])),
        3 if !is_atomic => (vec![M::Local], Form::Wide),
        4 if !wrong && !is_atomic => (vec![M::Local], Form::Known),
        5 if !wrong => (vec![M::Shared], Form::Known),
        6 if is_load => (vec![M::Const], Form::Wide),
        7 if is_load && !wrong => (vec![M::Param], Form::Known),
        _ => (generic, Form::Generic),
    }
}

/// Small numbers are often equal to others, and occur as bounds of counters.
fn value(random: &mut Random) -> u64 {
    if random.chance(50) { random.below(4_u64) } else { random.u64() }
}

//! Random programs, their results, and the order of their operations.

use std::collections::BTreeSet;

/// Number of words that programs access.
pub(crate) const WORDS: usize = 6;

/// A random number generator (SplitMix64).
#[derive(Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize % n
    }

    /// Advances past the creation of a program of one stream.
    pub(crate) fn after(mut self, program: &Program) -> Self {
        let same = Program::random(&mut self, 1);
        assert_eq!(same.ops.len(), program.ops.len());
        self
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op {
    /// `word[to] = word[to] * by + word[from]`, computed by a kernel.
    Mix {
        to: usize,
        from: usize,
        by: u32,
    },
    Copy {
        to: usize,
        from: usize,
    },
    Set {
        to: usize,
        value: u32,
    },
    /// A host function that notes its call.
    Note,
}

impl Op {
    fn random(random: &mut Random) -> Self {
        let (to, from) = (random.below(WORDS), random.below(WORDS));
        match random.below(8) {
            0..=3 => Self::Mix { to, from, by: random.below(1000) as u32 },
            // A copy of a word to itself would be a copy of overlapping memory.
            4 => Self::Copy { to, from: if from == to { (to + 1) % WORDS } else { from } },
            5 => Self::Set { to, value: random.below(1000) as u32 },
            _ => Self::Note,
        }
    }

    fn writes(&self) -> Option<usize> {
        match *self {
            Self::Mix { to, .. } | Self::Copy { to, .. } | Self::Set { to, .. } => Some(to),
            Self::Note => None,
        }
    }

    fn touches(&self, word: usize) -> bool {
        match *self {
            Self::Mix { to, from, .. } | Self::Copy { to, from } => word == to || word == from,
            Self::Set { to, .. } => word == to,
            Self::Note => false,
        }
    }

    fn conflicts(&self, other: &Self) -> bool {
        self.writes().is_some_and(|word| other.touches(word))
            || other.writes().is_some_and(|word| self.touches(word))
    }
}

/// Operations, the stream of each, and the predecessors of each: in a stream, those in addition to
/// all preceding operations of the stream.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) ops: Vec<Op>,
    pub(crate) streams: Vec<usize>,
    pub(crate) before: Vec<BTreeSet<usize>>,
}

impl Program {
    pub(crate) fn random(random: &mut Random, streams: usize) -> Self {
        let mut program = Self { ops: Vec::new(), streams: Vec::new(), before: Vec::new() };
        // All predecessors, by edges, and by stream in programs of several streams.
        let mut all: Vec<BTreeSet<usize>> = Vec::new();
        for i in 0..1 + random.below(18) {
            let (op, stream) = (Op::random(random), random.below(streams));
            let (mut before, mut known) = (BTreeSet::new(), BTreeSet::new());
            let of_stream = |j: &usize| streams > 1 && program.streams[*j] == stream;
            if let Some(last) = (0..i).rev().find(of_stream) {
                known.insert(last);
                known.extend(&all[last]);
            }
            for j in (0..i).rev() {
                let is_needed = op.conflicts(&program.ops[j]) && !known.contains(&j);
                if is_needed || random.below(12) == 0 {
                    before.insert(j);
                    known.insert(j);
                    known.extend(&all[j]);
                }
            }
            program.ops.push(op);
            program.streams.push(stream);
            program.before.push(before);
            all.push(known);
        }
        program
    }

    /// The same program with other numbers in its operations.
    pub(crate) fn with_other_numbers(&self, random: &mut Random) -> Self {
        let mut other = self.clone();
        for op in &mut other.ops {
            match op {
                Op::Mix { by: number, .. } | Op::Set { value: number, .. } => {
                    *number = random.below(1000) as u32;
                }
                _ => {}
            }
        }
        other
    }

    pub(crate) fn start() -> [u32; WORDS] {
        std::array::from_fn(|i| i as u32 + 1)
    }

    pub(crate) fn result(&self) -> [u32; WORDS] {
        let mut words = Self::start();
        for op in &self.ops {
            match *op {
                Op::Mix { to, from, by } => {
                    words[to] = words[to].wrapping_mul(by).wrapping_add(words[from]);
                }
                Op::Copy { to, from } => words[to] = words[from],
                Op::Set { to, value } => words[to] = value,
                Op::Note => {}
            }
        }
        words
    }

    /// All predecessors of each operation, by edges.
    pub(crate) fn all_before(&self) -> Vec<BTreeSet<usize>> {
        let mut all: Vec<BTreeSet<usize>> = Vec::new();
        for before in &self.before {
            let inherited = before.iter().flat_map(|&j| all[j].iter().copied());
            all.push(inherited.chain(before.iter().copied()).collect());
        }
        all
    }

    /// Edges of the graph captured from the streams. An operation depends on the last operations of
    /// its stream and on those of the events for which the stream waits. A stream that joins the
    /// capture starts with the current dependencies of the first stream.
    pub(crate) fn captured_edges(&self) -> Vec<BTreeSet<usize>> {
        let mut tails: Vec<Option<BTreeSet<usize>>> = vec![Some(BTreeSet::new()), None, None];
        let mut edges = Vec::new();
        for (i, &stream) in self.streams.iter().enumerate() {
            let first = tails[0].clone().unwrap_or_default();
            let tail = tails[stream].get_or_insert(first);
            let others = self.before[i].iter().filter(|&&j| self.streams[j] != stream);
            tail.extend(others);
            edges.push(std::mem::replace(tail, BTreeSet::from([i])));
        }
        edges
    }
}

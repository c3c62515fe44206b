//! Checkpoints of a launch, from which every earlier position can be reached again by execution.
//!
//! A checkpoint has the registers and memory of the running CTAs (`Saved`), and all memory that the
//! kernel can write, in pages. A page that has not changed since the previous checkpoint is shared
//! with that checkpoint, so that checkpoints grow with what the kernel writes. Checkpoints are made
//! while the launch runs forward. Their interval is a compromise: short enough that a small step
//! back executes little, long enough that making them costs a small part of the time. When their
//! memory exceeds the limit, every second checkpoint is dropped, which makes stepping back slower.
//! The first checkpoint is always kept.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use texunit_memory::Block;
use texunit_simt::debug::{Machine, Position, Saved};

/// Bytes of a page.
const PAGE: usize = 4096;
/// Initial and minimum number of warp instructions between checkpoints.
const INTERVAL: u64 = 50_000;
/// Maximum share of the time for making checkpoints, as a reciprocal.
const SHARE: u32 = 10;

type Pages = Vec<Arc<[u8]>>;

/// The state of a launch at a position.
struct Checkpoint {
    saved: Saved,
    number: u64,
    pages: Vec<Pages>,
    /// Whether the user has changed a value at this position, so that executing from an earlier
    /// checkpoint does not reach this state.
    is_changed: bool,
}

/// The checkpoints of a launch.
pub(crate) struct History {
    blocks: Vec<Arc<Block>>,
    checkpoints: Vec<Checkpoint>,
    limit: u64,
    bytes: u64,
    /// Number of warp instructions between checkpoints.
    interval: u64,
    last: Instant,
    /// A message that the user has not seen yet.
    pub(crate) note: Option<String>,
}

impl History {
    /// A history that begins at the machine's position.
    pub(crate) fn new(machine: &Machine<'_>, limit: u64) -> Self {
        let config = machine.config();
        let mapped = config.memory.blocks().iter().map(|(_, block)| block);
        let surfaces = config.descriptors.surfaces.iter().flatten();
        let all = mapped.chain(surfaces.map(|surface| surface.resource.block()));
        let mut seen = HashSet::new();
        let blocks: Vec<Arc<Block>> = all
            .filter(|block| !block.is_read_only() && seen.insert(Arc::as_ptr(block)))
            .cloned()
            .collect();
        let mut history = Self {
            blocks,
            checkpoints: Vec::new(),
            limit,
            bytes: 0,
            interval: INTERVAL,
            last: Instant::now(),
            note: None,
        };
        let all: u64 = history.blocks.iter().map(|block| block.size() as u64).sum();
        if all > limit {
            history.note = Some(format!(
                "Going back is off: a checkpoint of this launch takes {} MiB, and --checkpoint-memory is {} MiB.",
                all.div_ceil(1 << 20),
                limit >> 20
            ));
        } else {
            history.put(machine, false);
        }
        history
    }

    /// Whether there are checkpoints, so that the launch can be executed backwards.
    pub(crate) fn is_on(&self) -> bool {
        !self.checkpoints.is_empty()
    }

    /// The position at which the machine has to stop for the next checkpoint.
    pub(crate) fn next(&mut self, machine: &Machine<'_>) -> Option<Position> {
        let at = machine.position();
        // If the program executes again from a position before the user changed a value, the change
        // is discarded.
        let is_before = |c: &Checkpoint| c.is_changed && c.saved.position() > at;
        if let Some(first) = self.checkpoints.iter().position(is_before) {
            self.checkpoints.truncate(first);
            self.note =
                Some("Values that were changed behind this place are as they were.".to_owned());
        }
        let last = self.checkpoints.last()?;
        // Positions before the last checkpoint have checkpoints already.
        if machine.number(at) < last.number {
            return None;
        }
        let done = machine.number(at) - last.number;
        let step = at.step + self.interval.saturating_sub(done).max(1);
        Some(Position { step, ..at })
    }

    /// Makes a checkpoint if the interval has passed.
    pub(crate) fn keep(&mut self, machine: &Machine<'_>) {
        let number = machine.number(machine.position());
        let due = self.checkpoints.last().is_some_and(|last| number >= last.number + self.interval);
        if due {
            self.put(machine, false);
        }
    }

    /// Makes a checkpoint at the current position, unless there is one. Returns false if the memory
    /// limit leaves no room for it.
    pub(crate) fn keep_here(&mut self, machine: &Machine<'_>) -> bool {
        let is_last = |history: &Self| {
            let last = history.checkpoints.last();
            last.is_some_and(|last| last.saved.position() == machine.position())
        };
        if self.is_on() && !is_last(self) {
            self.put(machine, false);
        }
        is_last(self)
    }

    /// Index of the last checkpoint.
    pub(crate) fn last(&self) -> usize {
        self.checkpoints.len().saturating_sub(1)
    }

    fn put(&mut self, machine: &Machine<'_>, is_changed: bool) {
        let begin = Instant::now();
        let before = begin - self.last;
        let mut buffer = vec![0; PAGE];
        let last = self.checkpoints.last();
        let mut pages = Vec::with_capacity(self.blocks.len());
        let mut new = 0;
        for (index, block) in self.blocks.iter().enumerate() {
            let old = last.map(|last| &last.pages[index]);
            let mut own = Pages::with_capacity(block.size().div_ceil(PAGE));
            for (page, from) in (0..block.size()).step_by(PAGE).enumerate() {
                let size = PAGE.min(block.size() - from);
                let bytes = &mut buffer[..size];
                // The range lies in the block, so that reading cannot fail.
                let _ = block.read(from as u64, bytes);
                match old.map(|old| &old[page]) {
                    Some(same) if **same == *bytes => own.push(Arc::clone(same)),
                    _ => {
                        own.push((&*bytes).into());
                        new += size as u64;
                    }
                }
            }
            new += own.len() as u64 * 16;
            pages.push(own);
        }
        let saved = machine.save();
        self.bytes += new + saved.bytes();
        let number = machine.number(saved.position());
        self.checkpoints.push(Checkpoint { saved, number, pages, is_changed });
        let took = begin.elapsed();
        // If making checkpoints takes too large a share of the time, their interval is doubled.
        if took * SHARE > before && before > Duration::ZERO {
            self.interval = self.interval.saturating_mul(2);
        }
        if self.bytes > self.limit {
            self.thin();
        }
        self.last = Instant::now();
    }

    /// Drops every second checkpoint.
    fn thin(&mut self) {
        if self.checkpoints.len() < 3 {
            self.interval = self.interval.saturating_mul(4);
            if self.checkpoints.len() > 1 {
                self.checkpoints.pop();
            }
        } else {
            let (mut number, last) = (0, self.checkpoints.len());
            self.checkpoints.retain(|_| {
                number += 1;
                number % 2 == 1 || number == last
            });
            self.interval = self.interval.saturating_mul(2);
        }
        self.note = Some(format!(
            "Checkpoints have reached --checkpoint-memory ({} MiB): fewer are kept, and going back takes longer.",
            self.limit >> 20
        ));
        let mut seen = HashSet::new();
        self.bytes = self.checkpoints.iter().map(|c| c.saved.bytes()).sum();
        for page in self.checkpoints.iter().flat_map(|c| &c.pages).flatten() {
            self.bytes += 16;
            if seen.insert(Arc::as_ptr(page)) {
                self.bytes += page.len() as u64;
            }
        }
    }

    /// Indices of the checkpoints before a position, the last first.
    pub(crate) fn before(&self, position: Position) -> Vec<usize> {
        let all = self.checkpoints.iter().enumerate().rev();
        all.filter(|(_, c)| c.saved.position() <= position).map(|(i, _)| i).collect()
    }

    /// The position of a checkpoint.
    pub(crate) fn position(&self, index: usize) -> Position {
        self.checkpoints[index].saved.position()
    }

    /// Restores the launch to a checkpoint.
    pub(crate) fn restore(&self, machine: &mut Machine<'_>, index: usize) {
        let checkpoint = &self.checkpoints[index];
        let mut buffer = vec![0; PAGE];
        for (block, pages) in self.blocks.iter().zip(&checkpoint.pages) {
            for (page, from) in pages.iter().zip((0..block.size()).step_by(PAGE)) {
                let bytes = &mut buffer[..page.len()];
                let _ = block.read(from as u64, bytes);
                if *bytes != **page {
                    // Read-only blocks have no pages, so that writing cannot fail.
                    let _ = block.write(from as u64, page);
                }
            }
        }
        machine.restore(&checkpoint.saved);
    }

    /// Notes that the user has changed a value, so that later checkpoints are invalid.
    pub(crate) fn changed(&mut self, machine: &Machine<'_>) {
        let position = machine.position();
        if self.is_on() {
            self.checkpoints.retain(|c| {
                c.saved.position() < position || !c.is_changed && c.saved.position() <= position
            });
            self.put(machine, true);
        }
    }
}

//! Functions that warps run one after the other, with all their lanes: what is the same for all of them is done once.

#![allow(unsafe_code, reason = "code is called here")]

use crate::Narrow;
use crate::Registers;
use crate::compiled::{Begin, Function, Running, why_of};
use crate::emit::{Frame, Needs};
use crate::machine::{Entry, Mode, Parted};
use crate::region::{Apart, Warps, Why};
use std::marker::PhantomData;
use std::ops::Range;

/// A function that is ready to be entered at one place by all live lanes of warps.
#[derive(Debug)]
pub struct Series<'s> {
    pub(crate) function: &'s Function,
    pub(crate) needs: &'s Needs,
    pub(crate) frame: &'s mut Frame,
    begin: Begin,
    target: *const u8,
    /// Whether local memory is accessed.
    local: bool,
    /// Whether lanes may part.
    pub(crate) parts: bool,
    /// Inputs and sites of the function, and shared memory.
    memory: PhantomData<&'s mut [u8]>,
}

impl Running<'_> {
    /// Makes ready for warps of a CTA with this shared memory, whose lanes may part so; the end is that of each warp
    /// ([`Series::run`]). None: the entry is that of another function, or not for all live lanes, or the function has
    /// atomics, which are counted.
    #[inline]
    pub fn series<'s>(
        &'s mut self,
        entry: Entry,
        shared: &'s mut [u8],
        apart: Apart,
    ) -> Option<Series<'s>> {
        let ours = entry.function == self.function.number && entry.mode == Mode::Live;
        if !ours || self.function.atomics {
            return None;
        }
        let function = self.function;
        let (begin, target) = (function.begin(), function.target(entry.offset));
        let (needs, parts) = (&function.needs, function.parts);
        let frame = &mut *self.frame;
        if needs.shared {
            frame.reach_shared(shared);
        }
        if parts {
            frame.begin_parts(0, apart);
        }
        (frame.group.meets, frame.zeros) = (u32::MAX, 0);
        let local = needs.local || needs.frame != 0;
        Some(Series { function, needs, frame, begin, target, local, parts, memory: PhantomData })
    }
}

impl<'s> Series<'s> {
    /// Runs the region for the live lanes of a warp, until it has done so many steps, or those up to the end where lanes
    /// have parted and met. Says at which instruction it has been left; the rest is told by the other functions. None: a
    /// file is shorter than what the code looks at, or there are no lanes; nothing has been done.
    #[inline(always)]
    pub fn run(
        &mut self,
        registers: Registers<'_>,
        local: &mut [Narrow],
        of_frame: Range<u64>,
        live: u32,
        until: (u64, u64),
    ) -> Option<u32> {
        let rows = registers.rows;
        self.with_files(registers, local, of_frame)?.run(rows, live, until)
    }

    /// With the files of a warp; others whose registers hold nothing yet can be run with them, too. None: a file is shorter
    /// than what the code looks at.
    #[inline(always)]
    pub fn with_files<'f>(
        &'f mut self,
        registers: Registers<'f>,
        local: &'f mut [Narrow],
        of_frame: Range<u64>,
    ) -> Option<WithFiles<'f, 's>> {
        let frame = &mut *self.frame;
        if !self.needs.hold_registers(&registers) {
            return None;
        }
        if self.local {
            if !self.needs.hold_frame(local, &of_frame) {
                return None;
            }
            frame.reach_local(local, &of_frame);
        }
        frame.narrow = registers.narrow.as_mut_ptr();
        frame.wide = registers.wide.as_mut_ptr();
        frame.predicates = registers.predicates.as_mut_ptr();
        frame.frame_at = of_frame.start;
        Some(WithFiles { series: self, files: PhantomData })
    }

    /// The number of the warp that is run next, as listeners are told it.
    #[inline(always)]
    pub fn of_warp(&mut self, warp: u32) {
        self.frame.warp = warp;
    }

    /// From here on the warps of another CTA run, with these [`crate::region::Inputs::words`]. False: they are fewer than the code looks at, or
    /// more than sixteen; then nothing has changed.
    #[inline(always)]
    pub fn set_words(&mut self, words: &[u32]) -> bool {
        words.len() >= self.needs.words && self.frame.set_words(words)
    }

    /// Why it has been left last.
    #[inline(always)]
    pub fn why(&self) -> Why {
        why_of(self.frame)
    }

    /// Instructions that have counted since it was entered last.
    #[inline(always)]
    pub fn steps(&self) -> u64 {
        self.frame.steps
    }

    /// Lanes that have taken these, in all.
    #[inline(always)]
    pub fn threads(&self) -> u64 {
        self.frame.all_lanes(self.parts)
    }

    /// The steps up to which the turn of those goes that have left it.
    #[inline(always)]
    pub fn limit(&self) -> u64 {
        self.frame.limit
    }

    /// Whether lanes have parted that have not met again.
    #[inline(always)]
    pub fn has_parted(&self) -> bool {
        self.parts && self.frame.has_parted()
    }

    /// The lanes that stand where it has been left, and how the others do, if lanes have parted.
    pub fn parted(&mut self) -> (u32, Parted<'_>) {
        (self.frame.mask, self.frame.parted())
    }

    /// What [`crate::region::Action::CountZeros`] has counted for all warps.
    #[inline]
    pub fn zeros(&self) -> u64 {
        self.frame.zeros
    }
}

/// A series with the files of a warp.
#[derive(Debug)]
pub struct WithFiles<'f, 's> {
    series: &'f mut Series<'s>,
    /// Registers and local memory.
    files: PhantomData<&'f mut [Narrow]>,
}

impl WithFiles<'_, '_> {
    /// As [`Series::set_words`].
    #[inline(always)]
    pub fn set_words(&mut self, words: &[u32]) -> bool {
        self.series.set_words(words)
    }

    /// As [`Series::run`], for a warp with these rows.
    #[inline(always)]
    pub fn run(&mut self, rows: &[Narrow], live: u32, (steps, end): (u64, u64)) -> Option<u32> {
        let Series { needs, frame, begin, target, parts, .. } = &mut *self.series;
        if live == 0 || !needs.hold_rows(rows) {
            return None;
        }
        frame.rows = rows.as_ptr();
        frame.limit = steps;
        (frame.mask, frame.live) = (live, live);
        if *parts {
            frame.begin_parts_again(live, end);
        }
        // SAFETY: as in `Running::run`: the function has been made for this processor, the target is an entry of
        // it, the lengths of the warp's files have been compared by `Series::with_files`, that of its rows just now, and those
        // of the inputs by `Function::with`, and all of them live until it returns; shared memory is borrowed as long as the
        // series.
        Some(unsafe { begin(&raw mut **frame, *target) })
    }

    /// Runs warps with these rows, one after the other, each with these lanes and for so many steps, as long as all
    /// lanes of each come to the instruction `exit`. One that does not ends it: where it stands is told as behind
    /// [`Self::run`]. None: as there, or there is no warp.
    #[inline(always)]
    pub fn run_warps<const N: usize>(
        &mut self,
        rows: &[[Narrow; N]],
        live: u32,
        steps: u64,
        exit: u32,
    ) -> Option<Warps> {
        let follow = u32::try_from(rows.len()).ok()?.checked_sub(1)?;
        let Series { needs, frame, target, .. } = &mut *self.series;
        if !needs.hold_rows(&rows[0]) {
            return None;
        }
        // The rows of each are as many as those of the first, and the code takes as many warps as there are.
        (frame.follow, frame.ends_at, frame.target) = (follow, exit, *target);
        frame.row_bytes = size_of::<[Narrow; N]>() as u64;
        (frame.all_steps, frame.all_threads) = (0, 0);
        let at = self.run(rows.as_flattened(), live, (steps, steps));
        let frame = &mut *self.series.frame;
        frame.ends_at = Frame::NOWHERE;
        let ended = follow.wrapping_sub(frame.follow);
        let left = at.filter(|_| ended <= follow);
        at.map(|_| Warps { ended, steps: frame.all_steps, threads: frame.all_threads, left })
    }

    /// Steps of a warp that was left before an instruction with all of its lanes together, and the lanes that have taken
    /// them in all. None: it was left for another reason, or some of its lanes stand elsewhere.
    #[inline]
    pub fn came_together(&self) -> Option<(u64, u64)> {
        let series = &*self.series;
        let together = series.why() == Why::Instruction && !series.has_parted();
        together.then(|| (series.steps(), series.threads()))
    }
}

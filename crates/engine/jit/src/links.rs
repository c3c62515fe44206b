//! Warps that run a function together: one after the other up to an instruction that somebody does for all of them, and on
//! from there. What is known of each lies in a table, so that code goes from one to the next by itself.

#![allow(unsafe_code, reason = "code is called here")]

use crate::emit::{Frame, Linked};
use crate::machine::{Mode, Parted};
use crate::region::{Files, MOST, Series, Stands, Way};
use crate::{Narrow, Registers};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Warps that run a function together, in the order in which they have been added.
#[derive(Debug)]
pub struct Links<'l, 's> {
    series: &'l mut Series<'s>,
    table: [MaybeUninit<Linked>; MOST],
    len: usize,
    /// The files of the warps.
    files: PhantomData<&'l mut [Narrow]>,
}

impl<'s> Series<'s> {
    /// Nobody yet who runs together. None: nobody can ([`crate::region::Function::has_pauses`]).
    #[inline]
    pub fn links<'l>(&'l mut self) -> Option<Links<'l, 's>> {
        if !self.function.has_pauses() {
            return None;
        }
        let table = [const { MaybeUninit::uninit() }; MOST];
        Some(Links { series: self, table, len: 0, files: PhantomData })
    }
}

impl<'l, 's> Links<'l, 's> {
    /// Adds a warp with these live lanes, which runs as [`Series::run`] says; its frame begins there in local memory. False: a file is shorter than what the
    /// code looks at, there are no lanes, or there are [`MOST`] already.
    #[inline]
    pub fn add(
        &mut self,
        registers: Registers<'l>,
        frame_at: u64,
        live: u32,
        (limit, end): (u64, u64),
    ) -> bool {
        let Series { needs, .. } = &*self.series;
        let holds = needs.hold_registers(&registers) && needs.hold_rows(registers.rows);
        let Some(to) = self.table.get_mut(self.len).filter(|_| live != 0 && holds) else {
            return false;
        };
        let Registers { narrow, wide, predicates, rows } = registers;
        let registers = [narrow.len(), wide.len(), predicates.len()];
        to.write(Linked {
            // Only as many as can be told are looked at.
            registers: registers.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            narrow: narrow.as_mut_ptr(),
            wide: wide.as_mut_ptr(),
            predicates: predicates.as_mut_ptr(),
            rows: rows.as_ptr(),
            frame_at,
            limit,
            steps: 0,
            missed: 0,
            live,
            at: Frame::NOWHERE,
            end,
            counted: 0,
            threads: 0,
            waits: 0,
        });
        self.len += 1;
        true
    }

    /// All of them are warps of another CTA now, with the same registers and lanes, which begin; with these words, as
    /// [`Series::set_words`] has it.
    #[inline]
    pub fn begin_again(&mut self, words: &[u32], (limit, end): (u64, u64)) -> bool {
        for link in self.all_mut() {
            (link.limit, link.end, link.steps, link.missed) = (limit, end, 0, 0);
            (link.at, link.counted, link.threads, link.waits) = (Frame::NOWHERE, 0, 0, 0);
        }
        self.series.set_words(words)
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    fn all(&self) -> &[Linked] {
        // SAFETY: so many have been written.
        unsafe { self.table[..self.len].assume_init_ref() }
    }

    #[inline(always)]
    fn all_mut(&mut self) -> &mut [Linked] {
        // SAFETY: as above.
        unsafe { self.table[..self.len].assume_init_mut() }
    }

    /// Runs some of them from there on, one after the other, until each waits or has come to the instruction `exit` with its lanes
    /// together. The one that has left before another instruction, if there is one, with that, as the functions of the series tell it:
    /// those behind it have not been run.
    #[inline]
    pub fn run(&mut self, which: Range<usize>, way: Way, exit: u32) -> Option<(usize, u32)> {
        let function = self.series.function;
        let target = match way {
            Way::On(entry) if entry.function == function.number && entry.mode == Mode::Live => {
                entry.offset
            }
            Way::Out(at) => function.pauses.iter().find(|pause| pause.0 == at)?.1,
            Way::On(_) => return None,
        };
        let links = function.links?;
        let (end, parts, all) = (which.end, self.series.parts, self.all_mut());
        let some = all.get_mut(which)?;
        let follow = u32::try_from(some.len()).ok()?.checked_sub(1)?;
        let link = some.as_mut_ptr();
        let Series { frame, .. } = &mut *self.series;
        (frame.link, frame.follow, frame.target) = (link, follow, function.target(target));
        frame.ends_at = if let Way::Out(at) = way { at } else { exit };
        if parts {
            frame.begin_parts_again(0, 0);
        }
        // SAFETY: as in `Running::run`: the function has been made for this processor, the target is an entry of it, or the
        // way out of an instruction where all of these wait; files of each of them have been compared by `add`, are borrowed as
        // long as this lives, and nobody else uses them meanwhile; as many follow as there are.
        let at = unsafe { function.begin()(&raw mut **frame, function.target(links)) };
        (frame.link, frame.ends_at) = (std::ptr::null_mut(), Frame::NOWHERE);
        // One less than none when the last one has come to an end.
        let follow = frame.follow.wrapping_add(1) as usize;
        (follow != 0).then(|| (end - follow, at))
    }

    /// So many of them, from the first one on, have done so many instructions that count, with all their lanes.
    #[inline]
    pub fn count(&mut self, warps: usize, steps: u64) {
        self.all_mut().iter_mut().take(warps).for_each(|link| link.steps += steps);
    }

    /// How one stands that has not left otherwise.
    #[inline]
    pub fn stands(&self, i: usize) -> Option<Stands> {
        let link = self.all().get(i)?;
        let lanes = if link.live == u32::MAX { 32 } else { u64::from(link.live.count_ones()) };
        let threads = link.threads + (link.steps - link.counted) * lanes;
        Some(Stands {
            at: link.at,
            waits: link.waits != 0,
            steps: link.steps,
            threads: threads.wrapping_sub(link.missed),
            limit: link.limit,
        })
    }

    /// The instruction at which all of them wait.
    #[inline]
    pub fn wait_at(&self) -> Option<u32> {
        let first = self.all().first()?;
        let same = self.all().iter().all(|link| link.waits != 0 && link.at == first.at);
        same.then_some(first.at)
    }

    /// What the series tells of the one that has been left otherwise.
    #[inline]
    pub fn series(&self) -> &Series<'s> {
        self.series
    }

    /// How the lanes stand of the one that has been left otherwise ([`Series::parted`]).
    pub fn parted(&mut self) -> (u32, Parted<'_>) {
        self.series.parted()
    }

    /// Whether all of them have not done the steps of their turns yet.
    #[inline]
    pub fn may_go_on(&self) -> bool {
        self.all().iter().all(|link| link.steps < link.limit)
    }

    /// The registers and live lanes of each.
    #[inline(always)]
    pub fn each(&mut self) -> impl Iterator<Item = (Files<'_>, u32)> {
        self.all_mut().iter_mut().map(|link| {
            let [narrow, wide, predicates] = link.registers.map(|n| n as usize);
            // SAFETY: pointers and lengths of slices that are borrowed as long as the table lives. No code runs as long as
            // this is borrowed, and each warp has its own.
            let files = unsafe {
                Files {
                    narrow: std::slice::from_raw_parts_mut(link.narrow, narrow),
                    wide: std::slice::from_raw_parts_mut(link.wide, wide),
                    predicates: std::slice::from_raw_parts_mut(link.predicates, predicates),
                }
            };
            (files, link.live)
        })
    }
}

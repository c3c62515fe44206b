//! Counts of fetches and surface accesses by geometry and format, collected by an observer.

use crate::observe::{At, Events, LaunchInfo, Observer, PlannedFetch, PlannedSurfaceAccess, Probe};
use std::sync::{Mutex, PoisonError};
use texunit_forms::sort_by_key;
use texunit_texel::Format;
use texunit_unit::Geometry;

/// Number of accesses of one geometry and format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Geometry of the instruction.
    pub geometry: Geometry,
    /// Format of the texture or surface.
    pub format: Format,
    /// Whether the accesses are surface accesses, not fetches.
    pub surface: bool,
    /// Number of accesses; each lane counts.
    pub accesses: u64,
}

impl Count {
    fn is(&self, other: &Count) -> bool {
        (self.geometry, self.format, self.surface) == (other.geometry, other.format, other.surface)
    }
}

/// Access counts, one entry for each geometry and format, in order of first occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    counts: Vec<Count>,
    /// Index of the entry that was incremented last, which is usually the next one, too.
    last: usize,
}

impl Tally {
    /// Adds to the count of the same geometry and format.
    #[inline]
    pub fn add(&mut self, count: Count) {
        if let Some(last) = self.counts.get_mut(self.last).filter(|last| last.is(&count)) {
            last.accesses += count.accesses;
            return;
        }
        match self.counts.iter().position(|c| c.is(&count)) {
            Some(at) => {
                self.counts[at].accesses += count.accesses;
                self.last = at;
            }
            None => {
                self.last = self.counts.len();
                self.counts.push(count);
            }
        }
    }

    /// Adds all counts of another tally.
    pub fn merge(&mut self, other: &Tally) {
        other.counts.iter().for_each(|&count| self.add(count));
    }

    /// The counts sorted by geometry and format, fetches first.
    pub fn sorted(&self) -> Vec<Count> {
        let mut counts = self.counts.clone();
        sort_by_key(&mut counts, |c| (c.surface, c.geometry.name(), c.format.name()));
        counts
    }
}

/// An observer that counts the fetches and surface accesses of launches.
#[derive(Debug, Default)]
pub struct Tallies(Mutex<Tally>);

impl Tallies {
    /// Returns the counts so far, including those of launches that ended with a fault, and resets
    /// them.
    pub fn take(&self) -> Tally {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Tallies {
    fn wants(&self) -> Events {
        Events::FETCHES
    }

    fn probe<'a>(&'a self, _: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        Box::new(Counting { all: self, tally: Tally::default() })
    }
}

/// The counts of one worker, which are merged at its end.
struct Counting<'a> {
    all: &'a Tallies,
    tally: Tally,
}

impl Probe for Counting<'_> {
    fn fetch(&mut self, at: &At, fetch: &PlannedFetch<'_>) {
        self.tally.add(Count {
            geometry: fetch.plan.form().geometry,
            format: fetch.plan.texture().resource.format(),
            surface: false,
            accesses: at.lanes.count_ones().into(),
        });
    }

    fn surface(&mut self, at: &At, access: &PlannedSurfaceAccess<'_>) {
        self.tally.add(Count {
            geometry: access.form.geometry,
            format: access.surface.resource.format(),
            surface: true,
            accesses: at.lanes.count_ones().into(),
        });
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).merge(&self.tally);
    }
}

//! Counts of fetches and surface accesses by geometry and format, collected by an observer.

use crate::observe::{At, Events, LaunchInfo, Observer, PlannedFetch, PlannedSurfaceAccess, Probe};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use texunit_texel::Format;
use texunit_unit::Geometry;

/// Whether accesses are surface accesses instead of fetches, the geometry of the instruction, and
/// the name of the format of the texture or surface.
pub type AccessKind = (bool, &'static str, &'static str);

/// Numbers of accesses by kind; each lane counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(pub BTreeMap<AccessKind, u64>);

impl Tally {
    fn add(&mut self, at: &At, surface: bool, (geometry, format): (Geometry, Format)) {
        let count = self.0.entry((surface, geometry.name(), format.name())).or_default();
        *count += u64::from(at.lanes.count_ones());
    }

    /// Adds all counts of another tally.
    pub fn merge(&mut self, other: &Self) {
        for (kind, count) in &other.0 {
            *self.0.entry(*kind).or_default() += count;
        }
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
        let geometry = fetch.plan.form().geometry;
        self.tally.add(at, false, (geometry, fetch.plan.texture().resource.format()));
    }

    fn surface(&mut self, at: &At, access: &PlannedSurfaceAccess<'_>) {
        self.tally.add(at, true, (access.form.geometry, access.surface.resource.format()));
    }
}

impl Drop for Counting<'_> {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).merge(&self.tally);
    }
}

//! Detects surface accesses whose x coordinate counts elements, where it should count bytes.

use super::words;
use crate::end::Spot;
use crate::rules;
use crate::sink::{LaunchFinding, Sink};
use std::collections::HashMap;
use texunit_forms::Count;
use texunit_simt::observe::{At, ExecutedSurfaceAccess, LaunchInfo};
use texunit_simt::{Described, Fault, FaultKind};
use texunit_unit::{AccessFault, SurfaceKind};

/// Statistics of surface accesses by operation.
#[derive(Debug, Default)]
pub(super) struct Surfaces(HashMap<u32, AccessStats>);

#[derive(Clone, Debug)]
struct AccessStats {
    first: Spot,
    object: Described,
    /// Bytes of an access; bytes of a texel; texels of a row; number of rows.
    size: u32,
    texel: u32,
    width: u32,
    height: u32,
    accesses: u64,
    /// The largest x and y coordinate of all accesses.
    most: [i64; 2],
    least: i64,
    /// The first access whose x coordinate is not a multiple of the access's size.
    odd: Option<Spot>,
}

impl Surfaces {
    pub(super) fn accessed(
        &mut self,
        at: &At,
        access: &ExecutedSurfaceAccess<'_>,
        block: [u32; 3],
    ) {
        let size = match access.form.kind {
            SurfaceKind::Load { element_size, vector }
            | SurfaceKind::Store { element_size, vector } => {
                u32::from(element_size) * u32::from(vector)
            }
            // The x coordinate of these instructions counts texels.
            SurfaceKind::StoreFormatted { .. } | SurfaceKind::Reduce { .. } => return,
        };
        let resource = &access.plan.surface().resource;
        let seen = || AccessStats {
            first: Spot::new(at, at.lanes.trailing_zeros() & 31, block),
            object: words::object("surface", resource),
            size,
            texel: resource.format().texel_size(),
            width: resource.extent().width,
            height: resource.extent().height,
            accesses: 0,
            most: [i64::MIN; 2],
            least: i64::MAX,
            odd: None,
        };
        let seen = self.0.entry(at.op).or_insert_with(seen);
        for lane in super::each(at.lanes) {
            let [x, y, _] = access.request.coords.point.map(|c| i64::from(c[lane as usize] as i32));
            seen.accesses += 1;
            seen.most = [seen.most[0].max(x), seen.most[1].max(y)];
            seen.least = seen.least.min(x);
            if x % i64::from(size.max(1)) != 0 && seen.odd.is_none() {
                seen.odd = Some(Spot::new(at, lane, block));
            }
        }
        if let Some(AccessFault::Misaligned { .. }) = access.fault {
            seen.odd.get_or_insert(seen.first);
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        for (op, seen) in other.0 {
            match self.0.get_mut(&op) {
                None => drop(self.0.insert(op, seen)),
                Some(own) => {
                    own.accesses += seen.accesses;
                    own.most = [own.most[0].max(seen.most[0]), own.most[1].max(seen.most[1])];
                    own.least = own.least.min(seen.least);
                    own.odd = own.odd.or(seen.odd);
                }
            }
        }
    }

    /// At the end of a launch that a misaligned surface access has ended, reports the access if its
    /// x coordinate looks like an element number.
    pub(super) fn report(&self, sink: &Sink, launch: &LaunchInfo<'_>, fault: Option<&Fault>) {
        let Some(Fault { kind: FaultKind::Surface(_), span, .. }) = fault else { return };
        for seen in self.0.values() {
            let Some(odd) = seen.odd.filter(|_| launch.listing.span(seen.first.op) == *span) else {
                continue;
            };
            let fits = seen.least >= 0 && seen.most[0] < i64::from(seen.width);
            let rows = seen.most[1] < i64::from(seen.height.max(1));
            if seen.size <= 1 || seen.texel <= 1 || !fits || !rows {
                continue;
            }
            let message = format!(
                "x is up to {} here, which is less than the {} of a row: it looks like a number of elements, and \
                 it counts bytes, {} for an element",
                seen.most[0],
                Count(seen.width, "element"),
                seen.texel
            );
            let found = LaunchFinding::new(rules::TEXTURE_SURFACE_X, odd, message);
            sink.found(LaunchFinding { object: Some(seen.object.clone()), ..found });
        }
    }
}

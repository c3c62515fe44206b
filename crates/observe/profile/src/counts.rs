//! The counts of an instruction, a line or a kernel, and their addition.

use serde::{Deserialize, Serialize};

/// A count, or a structure of counts, to which the counts of other executions are added.
trait Sum {
    fn sum(&mut self, other: &Self);
}

impl Sum for u64 {
    fn sum(&mut self, other: &Self) {
        *self = self.saturating_add(*other);
    }
}

impl Sum for Vec<u64> {
    fn sum(&mut self, other: &Self) {
        self.resize(self.len().max(other.len()), 0);
        self.iter_mut().zip(other).for_each(|(sum, n)| sum.sum(n));
    }
}

/// Defines structures of counts that can be added. A count without a type is a `u64`.
macro_rules! counts {
    (@) => { u64 };
    (@ $type:ty) => { $type };
    ($($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident $(: $type:ty)?,)* })*) => { $(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $name { $($(#[$doc])* pub $field: counts!(@ $($type)?),)* }

        impl $name {
            /// Adds the counts of other executions.
            pub fn add(&mut self, other: &Self) {
                $(self.$field.sum(&other.$field);)*
            }

            /// Whether all counts are zero.
            pub fn is_empty(&self) -> bool {
                *self == Self::default()
            }
        }

        impl Sum for $name {
            fn sum(&mut self, other: &Self) {
                self.add(other);
            }
        }
    )* };
}

counts! {
    /// Loads or stores of global or local memory.
    #[derive(Copy)]
    Requests {
        /// Number of warp-level accesses.
        requests,
        /// Number of active lanes.
        threads,
        /// Bytes accessed by the active lanes.
        bytes,
        /// 32-byte sectors accessed by the warps.
        sectors,
        /// Sectors that would suffice if each warp's bytes were contiguous.
        ideal_sectors,
    }
    /// Accesses to shared memory.
    #[derive(Copy)]
    Shared {
        /// Number of warp-level accesses.
        requests,
        /// Number of active lanes.
        threads,
        /// Bytes accessed by the active lanes.
        bytes,
        /// Number of passes over the shared memory banks.
        wavefronts,
        /// Number of passes that would suffice without bank conflicts.
        ideal_wavefronts,
        /// Number of additional passes because of bank conflicts: `wavefronts` less
        /// `ideal_wavefronts`.
        bank_conflicts,
    }
    /// Atomics and reductions on memory.
    #[derive(Copy)]
    Atomics {
        /// Number of warp-level accesses.
        requests,
        /// Number of active lanes.
        threads,
        /// Sum over accesses of the number of distinct addresses.
        addresses,
        /// Sum over accesses of the number of lanes at the most frequent address: the operations on
        /// one address are executed one after another.
        serial,
        /// 32-byte sectors accessed by the warps, for atomics on global memory.
        sectors,
    }
    /// Loads from constant memory.
    #[derive(Copy)]
    Constant {
        /// Number of warp-level accesses.
        requests,
        /// Number of active lanes.
        threads,
        /// Sum over accesses of the number of distinct addresses, each of which needs a pass.
        addresses,
    }
    /// Surface accesses.
    #[derive(Copy)]
    Surface {
        /// Number of warp-level accesses.
        requests,
        /// Number of active lanes.
        threads,
        /// Number of lanes outside the surface.
        outside,
        /// Bytes accessed by the lanes.
        bytes,
        /// 32-byte sectors accessed by the warps.
        sectors,
    }
    /// Texture fetches.
    Texture {
        /// Number of warp-level fetches.
        requests,
        /// Number of fetches by lanes.
        fetches,
        /// Number of footprints (linear ones or single texels) that the fetches consist of: one for
        /// each level and anisotropic tap.
        taps,
        /// Number of texels in the footprints, inside and outside the texture.
        texels,
        /// Number of the footprints' texels outside the texture, which read as border colour or
        /// zeros.
        texels_outside,
        /// Number of fetches with a texel outside the texture.
        fetches_outside,
        /// 32-byte sectors accessed by the warps, if rows of texels are stored one after another.
        sectors,
        /// Sectors that would suffice if the distinct texels of each warp-level fetch were
        /// contiguous.
        ideal_sectors,
        /// Bytes of the distinct texels that each launch reads.
        distinct_bytes,
        /// Fetches that `distinct_bytes` does not include, because the launch has too many or too
        /// large textures.
        not_noted,
        /// Number of footprints by mip level, from 0.
        levels: Vec<u64>,
    }
    /// The counts of an instruction, or the sums for a line or kernel.
    Counts {
        /// Number of warp instructions.
        warp_instructions,
        /// Number of active lanes of the warp instructions.
        thread_instructions,
        /// Number of active lanes whose predicate is true.
        thread_instructions_on,
        /// Number of warp-level executions of branches that can diverge: those with a predicate or
        /// a table, including predicated exits and returns.
        branches,
        /// Number of warp-level executions of branches that diverged.
        divergent_branches,
        /// Loads from global memory.
        #[serde(skip_serializing_if = "Requests::is_empty")]
        global_load: Requests,
        /// Stores to global memory.
        #[serde(skip_serializing_if = "Requests::is_empty")]
        global_store: Requests,
        /// Atomics on global memory.
        #[serde(skip_serializing_if = "Atomics::is_empty")]
        global_atomic: Atomics,
        /// Loads from shared memory.
        #[serde(skip_serializing_if = "Shared::is_empty")]
        shared_load: Shared,
        /// Stores to shared memory.
        #[serde(skip_serializing_if = "Shared::is_empty")]
        shared_store: Shared,
        /// Counts of atomics on shared memory.
        #[serde(skip_serializing_if = "Atomics::is_empty")]
        shared_atomic: Atomics,
        /// Loads from local memory.
        #[serde(skip_serializing_if = "Requests::is_empty")]
        local_load: Requests,
        /// Stores to local memory.
        #[serde(skip_serializing_if = "Requests::is_empty")]
        local_store: Requests,
        /// Counts of loads from constant memory.
        #[serde(skip_serializing_if = "Constant::is_empty")]
        constant: Constant,
        /// Counts of texture fetches.
        #[serde(skip_serializing_if = "Texture::is_empty")]
        texture: Texture,
        /// Counts of surface accesses.
        #[serde(skip_serializing_if = "Surface::is_empty")]
        surface: Surface,
    }
}

impl Texture {
    /// Adds footprints on a mip level.
    pub(crate) fn add_level(&mut self, level: usize, footprints: u64) {
        self.levels.resize(self.levels.len().max(level + 1), 0);
        self.levels[level].sum(&footprints);
    }
}

impl Counts {
    /// Number of global memory sectors that loads, stores and atomics access.
    pub fn global_sectors(&self) -> u64 {
        self.global_load.sectors + self.global_store.sectors + self.global_atomic.sectors
    }
}

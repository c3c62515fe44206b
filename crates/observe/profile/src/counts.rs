//! The counts of an instruction, a line or a kernel, and their addition.

use serde::{Deserialize, Serialize};

/// Defines structures of counts that can be added.
macro_rules! counts {
    ($($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident,)* })*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $name { $($(#[$doc])* pub $field: u64,)* }

        impl $name {
            /// Adds the counts of other executions.
            pub fn add(&mut self, other: &Self) {
                $(self.$field = self.$field.saturating_add(other.$field);)*
            }

            /// Whether all counts are zero.
            pub fn is_empty(&self) -> bool {
                *self == Self::default()
            }
        }
    )* };
}

counts! {
    /// Loads or stores of global or local memory.
    Requests {
        /// Number of warp-level accesses.
        requests,
        /// Number of active lanes.
        threads,
        /// Bytes accessed by these lanes.
        bytes,
        /// 32-byte sectors accessed by the warps.
        sectors,
        /// Sectors that would suffice if each warp's bytes were contiguous.
        ideal_sectors,
    }
    /// Accesses to shared memory.
    Shared {
        /// Number of warp-level accesses.
        requests,
        /// Number of active lanes.
        threads,
        /// Bytes accessed by these lanes.
        bytes,
        /// Passes over the banks.
        wavefronts,
        /// Passes that would suffice without bank conflicts.
        ideal_wavefronts,
        /// Passes in excess of these.
        bank_conflicts,
    }
    /// Atomics and reductions on memory.
    Atomics {
        /// Number of warp-level accesses.
        requests,
        /// Number of active lanes.
        threads,
        /// Sum over accesses of the number of distinct addresses.
        addresses,
        /// Sum over accesses of the number of lanes at the most frequent address, which are
        /// executed one after another.
        serial,
        /// 32-byte sectors, for atomics on global memory.
        sectors,
    }
    /// Loads from constant memory.
    Constant {
        /// Number of warp-level accesses.
        requests,
        /// Number of active lanes.
        threads,
        /// Sum over accesses of the number of distinct addresses, each of which needs a pass.
        addresses,
    }
    /// Surface accesses.
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
}

/// Texture fetches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Texture {
    /// Number of warp-level fetches.
    pub requests: u64,
    /// Number of fetches by lanes.
    pub fetches: u64,
    /// Number of footprints (linear ones or single texels) that the fetches consist of: one for
    /// each level and anisotropic tap.
    pub taps: u64,
    /// Number of texels in the footprints, inside and outside the texture.
    pub texels: u64,
    /// Number of these outside, which are the border colour or zeros.
    pub texels_outside: u64,
    /// Number of fetches with a texel outside.
    pub fetches_outside: u64,
    /// 32-byte sectors accessed by the warps, if rows of texels are stored one after another.
    pub sectors: u64,
    /// Sectors that would suffice if the distinct texels of each warp-level fetch were contiguous.
    pub ideal_sectors: u64,
    /// Bytes of the distinct texels that each launch reads.
    pub distinct_bytes: u64,
    /// Fetches that `distinct_bytes` does not include, because the launch has too many or too large
    /// textures.
    pub not_noted: u64,
    /// Number of footprints by mip level, from 0.
    pub levels: Vec<u64>,
}

impl Texture {
    /// Adds the counts of other executions.
    pub fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.requests, other.requests),
            (&mut self.fetches, other.fetches),
            (&mut self.taps, other.taps),
            (&mut self.texels, other.texels),
            (&mut self.texels_outside, other.texels_outside),
            (&mut self.fetches_outside, other.fetches_outside),
            (&mut self.sectors, other.sectors),
            (&mut self.ideal_sectors, other.ideal_sectors),
            (&mut self.distinct_bytes, other.distinct_bytes),
            (&mut self.not_noted, other.not_noted),
        ];
        pairs.into_iter().for_each(|(sum, n)| *sum = sum.saturating_add(n));
        for (level, &n) in other.levels.iter().enumerate() {
            self.add_level(level, n);
        }
    }

    /// Adds footprints on a level.
    pub(crate) fn add_level(&mut self, level: usize, footprints: u64) {
        self.levels.resize(self.levels.len().max(level + 1), 0);
        self.levels[level] = self.levels[level].saturating_add(footprints);
    }

    /// Whether all counts are zero.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The counts of an instruction, or the sums for a line or kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Number of warp instructions.
    pub warp_instructions: u64,
    /// Number of active lanes of these.
    pub thread_instructions: u64,
    /// Number of active lanes whose predicate is true.
    pub thread_instructions_on: u64,
    /// Number of warp-level executions of branches that can diverge: those with a predicate or a
    /// table, including predicated exits and returns.
    pub branches: u64,
    /// Number of these that diverged.
    pub divergent_branches: u64,
    /// Loads from global memory.
    #[serde(skip_serializing_if = "Requests::is_empty")]
    pub global_load: Requests,
    /// Stores to global memory.
    #[serde(skip_serializing_if = "Requests::is_empty")]
    pub global_store: Requests,
    /// Atomics on global memory.
    #[serde(skip_serializing_if = "Atomics::is_empty")]
    pub global_atomic: Atomics,
    /// Loads from shared memory.
    #[serde(skip_serializing_if = "Shared::is_empty")]
    pub shared_load: Shared,
    /// Stores to shared memory.
    #[serde(skip_serializing_if = "Shared::is_empty")]
    pub shared_store: Shared,
    /// Counts of atomics on shared memory.
    #[serde(skip_serializing_if = "Atomics::is_empty")]
    pub shared_atomic: Atomics,
    /// Loads from local memory.
    #[serde(skip_serializing_if = "Requests::is_empty")]
    pub local_load: Requests,
    /// Stores to local memory.
    #[serde(skip_serializing_if = "Requests::is_empty")]
    pub local_store: Requests,
    /// Counts of loads from constant memory.
    #[serde(skip_serializing_if = "Constant::is_empty")]
    pub constant: Constant,
    /// Counts of texture fetches.
    #[serde(skip_serializing_if = "Texture::is_empty")]
    pub texture: Texture,
    /// Counts of surface accesses.
    #[serde(skip_serializing_if = "Surface::is_empty")]
    pub surface: Surface,
}

impl Counts {
    /// Adds the counts of other executions.
    pub fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.warp_instructions, other.warp_instructions),
            (&mut self.thread_instructions, other.thread_instructions),
            (&mut self.thread_instructions_on, other.thread_instructions_on),
            (&mut self.branches, other.branches),
            (&mut self.divergent_branches, other.divergent_branches),
        ];
        pairs.into_iter().for_each(|(sum, n)| *sum = sum.saturating_add(n));
        self.global_load.add(&other.global_load);
        self.global_store.add(&other.global_store);
        self.global_atomic.add(&other.global_atomic);
        self.shared_load.add(&other.shared_load);
        self.shared_store.add(&other.shared_store);
        self.shared_atomic.add(&other.shared_atomic);
        self.local_load.add(&other.local_load);
        self.local_store.add(&other.local_store);
        self.constant.add(&other.constant);
        self.texture.add(&other.texture);
        self.surface.add(&other.surface);
    }

    /// Whether all counts are zero.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Sectors of global memory, including those of atomics.
    pub fn global_sectors(&self) -> u64 {
        self.global_load.sectors + self.global_store.sectors + self.global_atomic.sectors
    }
}

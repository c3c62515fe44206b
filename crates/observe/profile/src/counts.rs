//! What is counted of an instruction, a line or a kernel. All of it adds up.

use serde::{Deserialize, Serialize};

/// Defines structures of counts, with their sums.
macro_rules! counts {
    ($($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident,)* })*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $name { $($(#[$doc])* pub $field: u64,)* }

        impl $name {
            /// Adds others.
            pub fn add(&mut self, other: &Self) {
                $(self.$field = self.$field.saturating_add(other.$field);)*
            }

            /// Whether nothing was counted.
            pub fn is_empty(&self) -> bool {
                *self == Self::default()
            }
        }
    )* };
}

counts! {
    /// Loads or stores of global or local memory.
    Requests {
        /// How often a warp has made one.
        requests,
        /// Lanes that took part.
        threads,
        /// Their bytes.
        bytes,
        /// 32-byte sectors that the warps touch.
        sectors,
        /// Sectors that would be enough for the same bytes side by side.
        ideal_sectors,
    }
    /// Accesses of shared memory.
    Shared {
        /// How often a warp has made one.
        requests,
        /// Lanes that took part.
        threads,
        /// Their bytes.
        bytes,
        /// Passes over the banks.
        wavefronts,
        /// Passes that would be enough without conflicts.
        ideal_wavefronts,
        /// The passes beyond these.
        bank_conflicts,
    }
    /// Atomics and reductions on memory.
    Atomics {
        /// How often a warp has made one.
        requests,
        /// Lanes that took part.
        threads,
        /// Different addresses of each request, added up.
        addresses,
        /// Lanes of each request that are at its most frequent address, added up: how many come one after the other.
        serial,
        /// 32-byte sectors, of those on global memory.
        sectors,
    }
    /// Loads of constant memory.
    Constant {
        /// How often a warp has made one.
        requests,
        /// Lanes that took part.
        threads,
        /// Different addresses of each request, added up: each is a pass of its own.
        addresses,
    }
    /// Accesses of surfaces.
    Surface {
        /// How often a warp has made one.
        requests,
        /// Lanes that took part.
        threads,
        /// Lanes that are outside.
        outside,
        /// Their bytes.
        bytes,
        /// 32-byte sectors that the warps touch.
        sectors,
    }
}

/// Fetches from textures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Texture {
    /// How often a warp has made one.
    pub requests: u64,
    /// Fetches, a lane each.
    pub fetches: u64,
    /// Linear footprints or single texels that they are made of: one for each level and anisotropic tap.
    pub taps: u64,
    /// Texels that are read, of memory and outside of it.
    pub texels: u64,
    /// Those that lie outside: the border's colour, or zeros.
    pub texels_outside: u64,
    /// Fetches with a texel that lies outside.
    pub fetches_outside: u64,
    /// 32-byte sectors that the warps touch, rows of texels lying one after the other.
    pub sectors: u64,
    /// Sectors that would be enough for the bytes of the different texels of each request side by side.
    pub ideal_sectors: u64,
    /// Bytes of the different texels that each launch reads.
    pub distinct_bytes: u64,
    /// Fetches whose texels are missing from the sets of distinct texels: the launch has too many textures, or their texture is too large.
    pub not_noted: u64,
    /// Footprints by mip level, from 0.
    pub levels: Vec<u64>,
}

impl Texture {
    /// Adds others.
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

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What is counted of an instruction, or of all instructions of a line or kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Instructions that warps have issued.
    pub warp_instructions: u64,
    /// Active lanes of these.
    pub thread_instructions: u64,
    /// Those whose guard holds.
    pub thread_instructions_on: u64,
    /// How often warps have come to branches that could divide them: with a guard or a table, exits and returns with a guard
    /// among them.
    pub branches: u64,
    /// Those that have divided the lanes.
    pub divergent_branches: u64,
    /// Loads of global memory.
    #[serde(skip_serializing_if = "Requests::is_empty")]
    pub global_load: Requests,
    /// Stores to global memory.
    #[serde(skip_serializing_if = "Requests::is_empty")]
    pub global_store: Requests,
    /// Atomics on global memory.
    #[serde(skip_serializing_if = "Atomics::is_empty")]
    pub global_atomic: Atomics,
    /// Loads of shared memory.
    #[serde(skip_serializing_if = "Shared::is_empty")]
    pub shared_load: Shared,
    /// Stores to shared memory.
    #[serde(skip_serializing_if = "Shared::is_empty")]
    pub shared_store: Shared,
    /// Atomics on shared memory.
    #[serde(skip_serializing_if = "Atomics::is_empty")]
    pub shared_atomic: Atomics,
    /// Loads of local memory.
    #[serde(skip_serializing_if = "Requests::is_empty")]
    pub local_load: Requests,
    /// Stores to local memory.
    #[serde(skip_serializing_if = "Requests::is_empty")]
    pub local_store: Requests,
    /// Loads of constant memory.
    #[serde(skip_serializing_if = "Constant::is_empty")]
    pub constant: Constant,
    /// Fetches.
    #[serde(skip_serializing_if = "Texture::is_empty")]
    pub texture: Texture,
    /// Surface accesses.
    #[serde(skip_serializing_if = "Surface::is_empty")]
    pub surface: Surface,
}

impl Counts {
    /// Adds others.
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

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Sectors of global memory, those of atomics among them.
    pub fn global_sectors(&self) -> u64 {
        self.global_load.sectors + self.global_store.sectors + self.global_atomic.sectors
    }
}

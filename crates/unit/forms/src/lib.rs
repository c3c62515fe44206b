//! Types that the instruction table (`isa`) and the texture unit (`unit`) share, so that no
//! conversion is needed: geometries and the order of coordinates, boundary policies, operations and
//! attributes.
//!
//! [`Geometry::elements`] is the only definition of the order of a coordinate vector; all code
//! after the checker uses [`Coordinates`] by name.

#[macro_use]
mod words;

mod count;
mod geometry;
mod lock;
mod order;

pub use count::Count;
pub use geometry::{Coordinates, Element, Geometry, UnknownGeometry};
pub use lock::{lock, read_lock, write_lock};
pub use order::sort_by_key;

/// The valid channel counts, as a phrase in messages that refuse other counts.
pub const CHANNELS: &str = "1, 2 or 4 channels of 8, 16 or 32 bits; 3 is not possible: pad to 4";

words! {
    /// What happens to surface accesses outside the surface (PTX `.clamp`).
    #[derive(Default)]
    ClampMode { #[default] Trap = "trap", Clamp = "clamp", Zero = "zero" }
}

words! {
    /// Operations of `sured`.
    ReduceOp { Add = "add", Min = "min", Max = "max", And = "and", Or = "or" }
}

words! {
    /// Types of operands of `sured`.
    ReduceType {
        U32 = "u32", S32 = "s32", U64 = "u64", S64 = "s64", B32 = "b32",
        // The type `.b64`, which only `sured.p` has.
        B64 = "b64",
    }
}

words! {
    /// Attributes of `txq` and `suq`.
    #[derive(Default)]
    Attribute {
        #[default] Width = "width", Height = "height", Depth = "depth",
        ChannelDataType = "channel_data_type", ChannelOrder = "channel_order",
        NormalizedCoords = "normalized_coords", ArraySize = "array_size",
        NumMipmapLevels = "num_mipmap_levels", NumSamples = "num_samples",
        ForceUnnormalizedCoords = "force_unnormalized_coords", FilterMode = "filter_mode",
        AddrMode0 = "addr_mode_0", AddrMode1 = "addr_mode_1", AddrMode2 = "addr_mode_2",
        MemoryLayout = "memory_layout",
    }
}

impl Attribute {
    /// Whether the query is for an attribute of the sampler instead of the texture.
    pub const fn is_of_sampler(self) -> bool {
        use Attribute as A;
        matches!(
            self,
            A::ForceUnnormalizedCoords | A::FilterMode | A::AddrMode0 | A::AddrMode1 | A::AddrMode2
        )
    }
}

#[cfg(test)]
mod tests;

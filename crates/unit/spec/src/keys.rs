//! The keys of the TOML dialect. Names are those of CUDA's descriptors as `cuda.core` spells them,
//! where CUDA has them; each key lists its names in earlier versions.

/// A key and its earlier names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The present name of the key.
    pub name: &'static str,
    /// Earlier names of the key, which are still accepted and get a note.
    pub old: &'static [&'static str],
}

impl Key {
    const fn new(name: &'static str, old: &'static [&'static str]) -> Self {
        Self { name, old }
    }
}

impl From<&'static str> for Key {
    /// Makes a key that has no earlier names.
    fn from(name: &'static str) -> Self {
        Self::new(name, &[])
    }
}

macro_rules! keys {
    ($($constant:ident $name:literal [$($old:literal),*] $what:literal)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $what)]
            pub const $constant: Key = Key::new($name, &[$($old),*]);
        )*
        /// All keys that have earlier names.
        pub const RENAMED: &[Key] = &[$($constant),*];
    };
}

keys! {
    FILTER_MODE "filter_mode" ["filter"] "between texels"
    MIPMAP_FILTER_MODE "mipmap_filter_mode" ["mip_filter"] "between mip levels"
    ADDRESS_MODE "address_mode" ["address"] "outside of the texture, for all axes or for each"
    BORDER_COLOR "border_color" ["border"] "of address mode `border`"
    MIN_MIPMAP_LEVEL_CLAMP "min_mipmap_level_clamp" ["min_level_clamp", "min_lod"] "lower limit of the level of detail"
    MAX_MIPMAP_LEVEL_CLAMP "max_mipmap_level_clamp" ["max_level_clamp", "max_lod"] "upper limit of the level of detail"
    MIPMAP_LEVEL_BIAS "mipmap_level_bias" ["level_bias", "lod_bias"] "added to the level of detail"
    SEAMLESS_CUBEMAP "seamless_cubemap" ["seamless_cube"] "filtering across the edges of faces"
    FORCE_UNNORMALIZED_COORDS "force_unnormalized_coords" ["force_unnormalized"] "coordinates in texels, whatever the texture says"
    READ_MODE "read_mode" ["read"] "as elements or as normalized floats"
    NORMALIZED_COORDS "normalized_coords" ["normalized"] "coordinates from 0 to 1"
    NONRESIDENT "nonresident" ["missing_tiles"] "regions of a sparse array that are not in memory"
}

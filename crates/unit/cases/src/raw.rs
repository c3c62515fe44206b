//! The keys of a case file, as they stand there. docs: tests/fetch/README.md.

use crate::text::Float;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawFile {
    pub provenance: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub rules: Vec<String>,
    /// Strings of digits that several keys share: `"@name"`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub words: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub resource: Vec<RawResource>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub fetch: Vec<RawFetch>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub surface: Vec<RawSurface>,
}

#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawResource {
    pub name: String,
    pub format: String,
    pub geometry: String,
    pub size: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texels: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ramp: Option<[i64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_level: Option<[i64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_tiles: Option<Vec<[u32; 5]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<RawView>,
}

#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geometry: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<[u32; 2]>,
}

#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RawSampler {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mip_filter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub border: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_level_clamp: Option<Float>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_level_clamp: Option<Float>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level_bias: Option<Float>,
    #[serde(skip_serializing_if = "is_default")]
    pub max_anisotropy: u32,
    #[serde(skip_serializing_if = "is_default")]
    pub force_unnormalized: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub srgb: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub seamless_cube: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<String>,
}

#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawFetch {
    pub name: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub rules: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    pub resource: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_mode: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub normalized_coords: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub sampler: RawSampler,
    pub op: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<Vec<i32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offsets: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coords: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lod: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dpdx: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dpdy: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub components: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resident: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSurface {
    pub name: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub rules: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    pub resource: String,
    pub op: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accesses: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub warp: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

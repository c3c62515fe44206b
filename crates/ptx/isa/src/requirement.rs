//! What a feature needs of `.version` and `.target`. The rows of the instruction table and of
//! [`crate::texture`] say it of forms; here are the features that forms share.

/// A feature with what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// What the user would call it.
    pub feature: &'static str,
    /// `.version`, times ten.
    pub version: u32,
    /// Number of `.target`; 0: any.
    pub target: u32,
}

const fn requirement(feature: &'static str, version: u32, target: u32) -> Requirement {
    Requirement { feature, version, target }
}

/// Handles in registers.
pub const INDIRECT: Requirement = requirement("indirect access through a register", 31, 20);
/// Handles in registers, `texmode_independent`.
pub const INDIRECT_INDEPENDENT: Requirement =
    requirement("indirect access with texmode_independent", 43, 30);
/// Offset operand.
pub const OFFSET: Requirement = requirement("a texture offset", 43, 30);
/// Depth compare operand.
pub const COMPARE: Requirement = requirement("depth compare", 43, 30);
/// `.uni` of texture fetches.
pub const UNIFORM: Requirement = requirement(".uni of tex and tld4", 32, 0);
/// `d|p`.
pub const RESIDENCY: Requirement = requirement("a destination predicate", 71, 60);
/// Texels in half precision.
pub const HALF: Requirement = requirement("texels in half precision", 42, 53);
/// `.clamp` and `.zero` of suld and sust.
pub const CLAMP: Requirement = requirement("clamp modes other than .trap", 20, 0);
/// Cache operators of suld and sust.
pub const CACHE_OPERATOR: Requirement = requirement("a cache operator", 20, 20);
/// `ld.v4.b64` and `.v8`.
pub const WIDE: Requirement = requirement("256-bit loads and stores", 88, 100);
/// Opaque types, `.target` texturing modes.
pub const OPAQUE: Requirement = requirement("opaque types", 15, 0);
/// A kernel's name as a value.
pub const KERNEL_ADDRESS: Requirement = requirement("the address of a kernel", 31, 35);

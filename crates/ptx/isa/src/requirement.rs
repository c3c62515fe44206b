//! Version and target requirements of features that several forms share. The requirements of forms
//! are in the instruction table and in [`crate::texture`].

/// A feature, with the version and target that it requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Name of the feature for messages.
    pub feature: &'static str,
    /// The required `.version`, times ten.
    pub version: u32,
    /// Number of the required `.target`; 0: any.
    pub target: u32,
}

impl std::fmt::Display for Requirement {
    /// Writes the required version and target, such as `PTX ISA 3.1, sm_20`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PTX ISA {}.{}", self.version / 10, self.version % 10)?;
        if self.target > 0 { write!(f, ", sm_{}", self.target) } else { Ok(()) }
    }
}

/// A requirement of a `.version`, times ten, and a `.target` number.
pub const fn requirement(feature: &'static str, version: u32, target: u32) -> Requirement {
    Requirement { feature, version, target }
}

/// Requirement of texture and surface handles in registers, in unified mode.
pub const INDIRECT: Requirement = requirement("indirect access through a register", 31, 20);
/// Requirement of handles in registers with `texmode_independent`.
pub const INDIRECT_INDEPENDENT: Requirement =
    requirement("indirect access with texmode_independent", 43, 30);
/// Requirement of the offset operand of texture fetches.
pub const OFFSET: Requirement = requirement("a texture offset", 43, 30);
/// Requirement of the depth compare operand of texture fetches.
pub const COMPARE: Requirement = requirement("depth compare", 43, 30);
/// Requirement of `.uni` in texture fetches.
pub const UNIFORM: Requirement = requirement(".uni of tex and tld4", 32, 0);
/// Requirement of the destination predicate `d|p` of texture fetches.
pub const RESIDENCY: Requirement = requirement("a destination predicate", 71, 60);
/// Requirement of texels in half precision.
pub const HALF: Requirement = requirement("texels in half precision", 42, 53);
/// Requirement of `.clamp` and `.zero` of suld and sust.
pub const CLAMP: Requirement = requirement("clamp modes other than .trap", 20, 0);
/// Requirement of cache operators of suld and sust.
pub const CACHE_OPERATOR: Requirement = requirement("a cache operator", 20, 20);
/// Requirement of a kernel's name as an operand or initial value, which is its address.
pub const KERNEL_ADDRESS: Requirement = requirement("the address of a kernel", 31, 35);

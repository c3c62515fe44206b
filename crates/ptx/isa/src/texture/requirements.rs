//! Version and target requirements of texture and surface instructions, and of their options.

use super::fetch_of;
use crate::requirement::{self, Requirement};
use crate::{Form, FormRow, Modifiers, Opcode};

/// An option of texture and surface instructions, and its requirements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureOption {
    /// Syntax of the option, such as `d|p` or `.uni`.
    pub syntax: &'static str,
    /// Instructions with this option.
    pub opcodes: &'static [Opcode],
    /// The requirements of the option.
    pub requirement: Requirement,
    /// The effect of the option on a fetch.
    pub doc: &'static str,
}

const TEX: &[Opcode] = &[Opcode::Tex, Opcode::Tld4];

/// All options of texture and surface instructions.
#[rustfmt::skip]
pub const OPTIONS: &[TextureOption] = &[
    option("d|p",                TEX,                                                        requirement::RESIDENCY,            "p is false where a texel is not resident in memory; the result is then 0."),
    option(".uni",               TEX,                                                        requirement::UNIFORM,              "A hint without effect on results."),
    option(".f16, .f16x2",       &[Opcode::Tex],                                             requirement::HALF,                 "Results in half precision."),
    option("offset e",           TEX,                                                        requirement::OFFSET,               "A vector of integers after level or gradients."),
    option("depth reference f",  TEX,                                                        requirement::COMPARE,              "The last operand, a scalar; needs .f32 coordinates."),
    option("handle in a register, unified",     &[Opcode::Tex, Opcode::Tld4, Opcode::Txq],   requirement::INDIRECT,             "A .u64 register instead of the name of a texture."),
    option("handle in a register, independent", TEX,                                         requirement::INDIRECT_INDEPENDENT, "A .u64 register instead of the name of a texture or sampler."),
    option("handle in a register",  &[Opcode::Suld, Opcode::Sust, Opcode::Sured, Opcode::Suq], requirement::INDIRECT,           "A .u64 register instead of the name of a surface."),
    option(".clamp, .zero",      &[Opcode::Suld, Opcode::Sust],                              requirement::CLAMP,                "What happens outside of the surface: the nearest element is taken; or 0 is read and nothing written. .trap ends the kernel."),
    option("cache operator",     &[Opcode::Suld, Opcode::Sust],                              requirement::CACHE_OPERATOR,       "A hint without effect on results: .ca .cg .cs .cv for loads, .wb .cg .cs .wt for stores."),
];

const fn option(
    syntax: &'static str,
    opcodes: &'static [Opcode],
    requirement: Requirement,
    doc: &'static str,
) -> TextureOption {
    TextureOption { syntax, opcodes, requirement, doc }
}

/// The requirements of a form of a texture or surface instruction with these modifiers; `None` if
/// the form does not exist.
pub fn requirement_of(form: &Form, mods: &Modifiers) -> Option<Requirement> {
    use Opcode::{Istypep, Suld, Suq, Sured, Sust, Tex, Tld4, Txq};
    let FormRow { opcode, mut version, mut target, .. } = form.row;
    match opcode {
        Tex | Tld4 => {
            let row = fetch_of(opcode, mods.mip, mods.geometry?)?;
            (version, target) = (row.version, row.target);
        }
        Txq | Suq | Suld | Sust | Sured | Istypep => {}
        _ => return None,
    }
    Some(Requirement { feature: "this form", version, target })
}

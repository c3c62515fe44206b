//! Declarations: what may be declared where, its layout in memory and its initial value.

pub(crate) mod allowed;
mod directive;
mod initializer;
pub(crate) mod layout;
mod opaque;
pub(crate) mod parameter;
mod variable;

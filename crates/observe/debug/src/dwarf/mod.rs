//! Debug information about variables: DWARF in the sections of a PTX text, read by `gimli`.
//!
//! Code addresses are offsets in the PTX text (`sections`), so that an address range contains the
//! instructions whose first byte is in it. Locations of variables are expressions over PTX
//! registers by name, module variables, and the frame (`location`).

mod die;
mod location;
mod scopes;
mod sections;
mod types;

pub(crate) use location::{At, locate};
pub(crate) use scopes::{Kind, Location, Scope, Variable};
pub(crate) use types::{Base, Member, Shape, TypeId, Types};

use sections::Sections;

/// The debug information of a module.
#[derive(Debug, Default)]
pub(crate) struct Info {
    pub(crate) types: Types,
    /// Functions with their nested scopes.
    pub(crate) functions: Vec<Scope>,
    /// Variables of the module.
    pub(crate) globals: Vec<Variable>,
    /// Names of the compiled files as given to the compiler, with the compilation folders.
    pub(crate) files: Vec<(String, String)>,
    sections: Option<Sections>,
}

impl Info {
    /// Reads the debug information of a PTX text; empty if there is none, or if it is malformed.
    pub(crate) fn of(text: &str) -> Self {
        let mut info = Self::default();
        if let Some(sections) = Sections::of(text) {
            let read = scopes::read(&mut info, &sections);
            info.sections = Some(sections);
            if read.is_err() {
                return Self::default();
            }
        }
        info
    }

    /// Whether there is information about variables.
    pub(crate) fn has_variables(&self) -> bool {
        !self.functions.is_empty()
    }

    /// The module variable and byte offset that a symbol number stands for.
    pub(crate) fn symbol(&self, number: u64) -> Option<(&str, i64)> {
        self.sections.as_ref()?.symbol(number)
    }

    /// The scopes around an instruction, from the function inwards.
    pub(crate) fn scopes_at(&self, at: u32) -> Vec<&Scope> {
        let mut all = Vec::new();
        let mut inside = &self.functions;
        while let Some(scope) = inside.iter().find(|scope| scope.has(at)) {
            all.push(scope);
            inside = &scope.children;
        }
        all
    }
}

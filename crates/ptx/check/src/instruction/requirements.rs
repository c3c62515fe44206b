//! Version and target requirements of texture and surface instructions: those of the form and of
//! every option. Requirements of operands are checked with the operand.

use texunit_isa::texture::{option_requirements, requirement_of};
use texunit_isa::{ClampMode, Opcode, ScalarType};
use texunit_syntax::ast;

use crate::instruction::site::Site;

const CACHE_OPERATORS: [&str; 6] = ["ca", "cg", "cs", "cv", "wb", "wt"];

impl<'a> Site<'_, '_, 'a> {
    /// Checks the requirements of the form and of the modifiers. Only the highest version and the
    /// highest target are reported.
    pub(crate) fn require_form(&mut self) {
        let Self { i, mods, form, .. } = *self;
        let opcode = form.row.opcode;
        let Some(own) = requirement_of(opcode, mods) else { return };
        let cached = i.modifiers.iter().any(|m| CACHE_OPERATORS.contains(&m.text));
        let options = option_requirements(opcode, mods, cached);
        let (version, target) = options.fold((own, own), |(version, target), option| {
            (
                if option.version > version.version { option } else { version },
                if option.target > target.target { option } else { target },
            )
        });
        let name = form_name(i, opcode);
        let named = |feature: &'static str| match feature == own.feature {
            true => name.clone(),
            false => feature.to_owned(),
        };
        let (of_version, of_target) = (named(version.feature), named(target.feature));
        self.cx.require_named(&of_version, version.version, 0, i.opcode.span);
        self.cx.require_named(&of_target, 0, target.target, i.opcode.span);
    }
}

/// The words that select the form: without vector sizes, hints and clamp modes, and without types
/// if they do not matter.
fn form_name(i: &ast::Instruction, opcode: Opcode) -> String {
    let typed = !matches!(opcode, Opcode::Tex | Opcode::Tld4 | Opcode::Suld | Opcode::Sust);
    let mut name = opcode.name().to_owned();
    for word in &i.modifiers {
        let hint = CACHE_OPERATORS.contains(&word.text) || word.text == "uni";
        let vector = word.text.starts_with('v') && word.text.len() == 2;
        let clamp = ClampMode::from_name(word.text).is_some();
        let ty = !typed && ScalarType::from_name(word.text).is_some();
        if !(hint || vector || clamp || ty) {
            name.push('.');
            name += word.text;
        }
    }
    name
}

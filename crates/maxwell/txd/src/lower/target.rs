//! Properties of a whole module: its target architecture, and its externally visible functions.

use std::collections::HashSet;
use texunit_check::ir::Module;
use texunit_sass::Arch;
use texunit_syntax::ast::{self, Item, Linkage};

/// The number in the name of a target or architecture: 52 for `sm_52`.
pub fn target_number(name: &str) -> u32 {
    let digits = name.chars().skip_while(|c| !c.is_ascii_digit());
    let digits: String = digits.take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// The architecture that a module is assembled for: its target, or sm_52 if the target is older
/// than sm_50; `None` if the target is newer than Maxwell and Pascal.
pub fn arch_of(module: &Module) -> Option<Arch> {
    let least = target_number(&module.target);
    if least == target_number(Arch::Sm50.name()) {
        return Some(Arch::Sm50);
    }
    let from = least.max(target_number(Arch::Sm52.name()));
    Arch::ALL.iter().copied().find(|arch| target_number(arch.name()) >= from)
}

/// Names of the functions that are declared `.visible` or `.weak`.
pub fn visible_functions<'a>(module: &ast::Module<'a>) -> HashSet<&'a str> {
    let seen = |item: &Item<'a>| match item {
        Item::Function(f) => match f.linkage {
            Some((Linkage::Visible | Linkage::Weak, _)) => Some(f.name.text),
            _ => None,
        },
        _ => None,
    };
    module.items.iter().filter_map(seen).collect()
}

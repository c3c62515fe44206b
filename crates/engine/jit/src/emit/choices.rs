//! Prints how the analyses classify accesses, for `texunit dump`: whether an address is affine,
//! whether its index is checked, and which base group an access belongs to.

use super::affine::{Addend, Affine};
use super::base_groups::BaseGroups;
use super::index::Indices;
use super::input;
use super::memory::Addressing;
use super::uniform;
use crate::ir::{Action, Region};
use std::fmt::Write;

/// Prints one line for each access of global or shared memory: how its address is formed, and its
/// base group.
pub(crate) fn choices(region: &Region) -> String {
    let same = uniform::loads(region);
    let (region, _, plans) = input::prepared(region);
    let near = BaseGroups::of(&region);
    let indices = Indices::of(&region, &plans);
    let mut text = String::new();
    for (b, block) in region.blocks.iter().enumerate() {
        for (i, step) in block.steps.iter().enumerate() {
            let Some((access, _)) = step.access() else { continue };
            let is_atomic = matches!(step.action, Action::Atomic(_));
            let base = plans.get(b).and_then(|plan| plan.get(i)).and_then(|known| known.base);
            let way = match (base, access.base) {
                (Some(value), _) => affine(&value),
                (None, None) => "fixed".to_owned(),
                (None, Some(base)) if base.vreg().is_some() => format!("by lane {base}"),
                (None, Some(base)) => format!("uniform {base}"),
            };
            let _ = write!(text, "; {}: {way}", step.at);
            let indexed = plans.get(b).and_then(|plan| indices.access(plan, (b, i), step));
            if let Some(indexed) = indexed {
                text.push_str(", index");
                let _ = indexed.slot.map(|slot| write!(text, " in slot {slot}"));
            }
            let shared = (indices.is_shared_row((b, i), step), indices.is_strided((b, i)));
            let is_same = same.contains(&(b, i));
            text.push_str(match Addressing::of(access, indexed, shared, is_same) {
                _ if access.is_in_frame() => "",
                Addressing::Uniform | Addressing::Index => "",
                Addressing::Same => ", one address",
                Addressing::Row => ", row",
                Addressing::Tested if !is_atomic => ", tested",
                Addressing::Tested | Addressing::Scattered => ", scattered",
            });
            if let Some(member) = near.member(b, i) {
                let role = if member.leads { "leads" } else { "in" };
                let _ = write!(text, ", {role} group {} + {}", member.slot, member.delta);
            }
            text.push('\n');
        }
    }
    text
}

/// Prints an affine value: `param64[0] + (n3 + 1) << 2`.
fn affine(value: &Affine) -> String {
    let addend = match value.addend {
        Addend::NONE => format!("n{}", value.index),
        Addend { number, minus } => {
            format!("(n{} {} {number})", value.index, if minus { '-' } else { '+' })
        }
    };
    let extended = if value.signed { "s" } else { "u" };
    format!("affine {} + {addend}.{extended}32 << {}", value.add, value.shift)
}

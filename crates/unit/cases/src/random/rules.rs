//! Determines which rules of docs/numerics.md a random case covers, for its key `rules`.

use crate::fetch::FetchCase;
use crate::file::Access;
use texunit_unit::{AddressMode, CoordType, FetchKind, Filter, Lod};

/// The numbers of the sections of docs/numerics.md whose rules affect the results of a case.
pub(super) fn of(access: &Access) -> Vec<String> {
    let Access::Fetch(fetch) = access else { return vec!["10".to_owned()] };
    let FetchCase { form, sampler, resource, .. } = fetch;
    let levels = resource.shape.level_count() > 1;
    let is_integer = form.coord == CoordType::S32;
    let linear = !is_integer && sampler.filter == Filter::Linear;
    let gradients = form.kind == FetchKind::Sample(Lod::Gradient);
    let geometry = resource.shape.geometry;
    #[rustfmt::skip]
    let sections = [
        ("1", !geometry.is_cube()),
        ("2", linear && !matches!(form.kind, FetchKind::Gather(_))),
        ("3", levels && !matches!(form.kind, FetchKind::Gather(_))),
        ("4", gradients),
        ("5", sampler.srgb),
        ("6", !is_integer && sampler.address_mode.contains(&AddressMode::Border)),
        ("7", geometry.is_cube()),
        ("8", matches!(form.kind, FetchKind::Gather(_))),
        ("9", form.compare || geometry.is_multisample()),
        ("11", resource.shape.format.is_block()),
    ];
    sections.into_iter().filter(|row| row.1).map(|row| row.0.to_owned()).collect()
}

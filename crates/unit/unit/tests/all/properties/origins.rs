//! Tests the bytes that a component of a result depends on, according to the reference's trace: no
//! other byte of the resource may change the component.

use std::collections::BTreeSet;
use texunit_cases::{Access, random_unit_case};
use texunit_unit::{Resource, Texture, reference};

/// Inverts all bytes of the texels except the kept ones.
fn invert(resource: &Resource, kept: &BTreeSet<u64>) {
    for row in resource.rows() {
        for at in row.filter(|at| !kept.contains(at)) {
            let byte = resource.block().load_u8(at).unwrap();
            resource.block().store_u8(at, !byte).unwrap();
        }
    }
}

/// The bytes that a component depends on.
fn bytes(trace: &reference::trace::Trace, seen: &Resource, component: u32) -> BTreeSet<u64> {
    let channel = trace.channel_of(component);
    let ranges = trace.texels_of(component).filter_map(|at| seen.channel_bytes(at, channel));
    ranges.flat_map(|(offset, size)| offset..offset + u64::from(size)).collect()
}

#[test]
fn other_bytes_change_nothing() {
    let (mut asked, mut depends, mut none) = (0, 0, 0);
    for index in 0..4000 {
        let Access::Fetch(case) = random_unit_case(31, index).access else { continue };
        if case.resource.shape.packed_size().unwrap() > 1 << 14 {
            continue;
        }
        let built = case.build().unwrap();
        let texture: &Texture = &built.texture;
        let plan = texunit_unit::FetchPlan::new(built.form, &built.texture, &built.sampler);
        let Ok(plan) = plan else { continue };
        let seen = &*plan.seen().resource;
        let fetch =
            |operands| reference::trace(built.form, texture, &built.sampler, operands).unwrap();
        for operands in built.operands.iter().take(3) {
            let trace = fetch(operands);
            for component in 0..4 {
                let kept = bytes(&trace, seen, component);
                let before = trace.channels[component as usize].result;
                let again = || fetch(operands).channels[component as usize].result;
                invert(seen, &kept);
                assert_eq!(again(), before, "case {index}, component {component}");
                invert(seen, &kept);
                // In most cases, the value changes if the bytes on which it depends are inverted.
                asked += 1;
                none += i32::from(kept.is_empty());
                invert(seen, &BTreeSet::new());
                depends += i32::from(!kept.is_empty() && again() != before);
                invert(seen, &BTreeSet::new());
            }
        }
    }
    assert!(asked > 10_000 && none < asked / 3 * 2, "{asked} {none}");
    assert!(depends * 2 > asked - none, "{depends} of {} change with their texels", asked - none);
}

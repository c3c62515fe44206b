//! Random cases for sweeps: any valid combination of resource, sampler, instruction and operands,
//! including corner cases. The same seed and index give the same case on every machine.

mod fetch;
mod resource;
mod surface;

use crate::fetch::FetchCase;
use crate::file::{Access, Case};
use texunit_spec::rng::Random;
use texunit_unit::{AddressMode, CoordType, FetchKind, Filter, Lod};

/// The set of cases from which a random case is chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Cases that CUDA's driver API can express.
    Driver,
    /// All cases that the unit supports.
    Unit,
}

/// Case `index` of the sweep `seed`, without expected results. It can be executed on a GPU
/// ([`why_no_driver`](crate::why_no_driver) returns `None`), and none of its accesses faults.
pub fn random_case(seed: u64, index: u64) -> Case {
    random_case_of(seed, index, FETCHES)
}

/// As [`random_case`], with a given number of fetches, if it is a fetch case; the first fetches are
/// the same.
pub fn random_case_of(seed: u64, index: u64, fetches: u32) -> Case {
    draw(seed, index, Scope::Driver, fetches)
}

/// As [`random_case`], including features that no GPU offers through CUDA: multi-sample arrays,
/// depth compare, `clamp_ogl`, forced unnormalized coordinates, and accesses that fault.
pub fn random_unit_case(seed: u64, index: u64) -> Case {
    draw(seed, index, Scope::Unit, FETCHES)
}

/// Number of fetches in a random case, unless the caller chooses it.
const FETCHES: u32 = 64;

fn draw(seed: u64, index: u64, scope: Scope, fetches: u32) -> Case {
    let mut random = Random::new(seed ^ index.wrapping_mul(0xd134_2543_de82_ef95));
    random.next();
    let access = if random.once_in(6) {
        surface::case(&mut random, scope)
    } else {
        fetch::case(&mut random, scope, fetches)
    };
    Case {
        name: format!("random-{seed}-{index}"),
        rules: rules_of(&access),
        provenance: format!("random case {index} of seed {seed}"),
        note: None,
        access,
    }
}

/// The numbers of the sections of docs/numerics.md whose rules affect the results of a case.
fn rules_of(access: &Access) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Built, parse, to_toml, why_no_driver};
    use texunit_unit::resolve;

    #[test]
    fn random_cases_can_be_made_written_and_read() {
        let (mut fetches, mut surfaces) = (0, 0);
        for index in 0..400 {
            let cases = [random_case(7, index), random_unit_case(7, index)];
            assert_eq!(why_no_driver(&cases[0]), None, "{:?}", cases[0].access);
            for case in cases {
                assert!(case.count() > 0);
                let text = to_toml(std::slice::from_ref(&case));
                let again = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
                assert_eq!(again.cases.first(), Some(&case), "{text}");
                let built = case.build().unwrap_or_else(|e| panic!("{e}\n{text}"));
                if let Built::Fetch(fetch) = built {
                    let resolved = resolve(fetch.form, &fetch.texture, &fetch.sampler);
                    resolved.unwrap_or_else(|e| panic!("{e}\n{text}"));
                }
                match case.access {
                    Access::Fetch(_) => fetches += 1,
                    Access::Surface(_) => surfaces += 1,
                }
            }
        }
        assert!(fetches > 500 && surfaces > 80, "{fetches} {surfaces}");
        assert_eq!(random_case(1, 2), random_case(1, 2));
        assert_ne!(random_case(1, 2), random_case(1, 3));
    }
}

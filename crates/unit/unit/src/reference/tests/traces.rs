//! Properties of every trace. `tests/fetch` has the results of fetches, `tests/explain` whole
//! traces, and `tests/steps.txt` single rules.

#![allow(clippy::unwrap_used)]

use super::super::*;
use crate::request::{CoordType, Coordinates, Geometry, ResultType};
use crate::resource::ArrayShape;
use crate::sampler::{AddressMode, ReadMode};
use proptest::prelude::*;
use std::sync::Arc;

proptest! {
    /// Properties that every trace of a sampled fetch must have.
    #[test]
    fn weights_are_shares(
        axes in 1_usize..=3,
        linear in proptest::bool::ANY,
        mip_linear in proptest::bool::ANY,
        normalized in proptest::bool::ANY,
        mode in proptest::sample::select(vec![
            AddressMode::Wrap, AddressMode::Mirror, AddressMode::Clamp, AddressMode::ClampOgl,
            AddressMode::Border,
        ]),
        bits in proptest::array::uniform3(proptest::num::u32::ANY),
        near in proptest::array::uniform3(-2.0_f32..9.0),
        use_bits in proptest::bool::weighted(0.2),
        level in -1.0_f32..4.0,
        offset in proptest::option::of(proptest::array::uniform3(-40..40)),
    ) {
        let geometry = Geometry::ALL[axes - 1];
        let size = [[7, 1, 1], [7, 6, 1], [7, 6, 5]][axes - 1];
        let texels: Vec<f32> = (0..400).map(|i| i as f32 / 16.0).collect();
        let extent = Extent { width: size[0], height: size[1], depth: size[2] };
        let count: u32 = (0..3).map(|l| extent.level(l).axes().iter().product::<u32>()).sum();
        let shape = ArrayShape::new("f32".parse().unwrap(), geometry, extent).with_levels(3);
        let resource = Resource::from_texels(&shape, &texels[..count as usize], "t").unwrap();
        let t = Texture {
            resource: Arc::new(resource),
            read_mode: ReadMode::Element,
            normalized_coords: normalized,
        };
        let pick = |linear| if linear { Filter::Linear } else { Filter::Point };
        let s = Sampler {
            filter: pick(linear),
            mip_filter: pick(mip_linear),
            address_mode: [mode; 3],
            ..Sampler::default()
        };
        let form = FetchForm {
            kind: FetchKind::Sample(Lod::Level),
            offset: offset.is_some(),
            ..FetchForm::sample(geometry, CoordType::F32, ResultType::F32)
        };
        let point: [u32; 3] =
            std::array::from_fn(|a| if use_bits { bits[a] } else { near[a].to_bits() });
        let operands = FetchOperands {
            coords: Coordinates::at(point, 0),
            offset: offset.unwrap_or_default(),
            level: level.to_bits(),
            ..FetchOperands::default()
        };
        let trace = trace(form, &t, &s, &operands).unwrap();
        prop_assert_eq!(trace.level.levels.iter().map(|l| l.1).sum::<u32>(), 256);
        prop_assert_eq!(trace.footprints.len(), trace.level.levels.len());
        for (footprint, &(level, share)) in trace.footprints.iter().zip(&trace.level.levels) {
            prop_assert_eq!((footprint.level, footprint.share), (level, share));
            prop_assert_eq!(footprint.texels.iter().map(|t| t.weight).sum::<u32>(), share);
            for texel in &footprint.texels {
                prop_assert!((texel.exact * 256.0 - f64::from(texel.weight)).abs() < 2.5);
                prop_assert!(texel.at.is_some() || texel.codes == [0; 4]);
            }
        }
        for (channel, value) in trace.channels.iter().zip(trace.answer.values) {
            prop_assert_eq!(channel.result, value);
        }
        let largest = trace.footprints.iter().flat_map(|f| &f.texels);
        let largest = largest.map(|t| f32::from_bits(t.values[0])).fold(0.0, f32::max);
        prop_assert!((0.0..=largest).contains(&f32::from_bits(trace.answer.values[0])));
    }
}

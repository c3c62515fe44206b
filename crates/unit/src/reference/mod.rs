//! One fetch, slow and obvious: docs/numerics.md line by line, in exact arithmetic. Never
//! optimised; the planned path must equal it on every bit.

mod coordinate;
mod fixed;
mod sum;
pub mod trace;
mod weights;

use crate::effective::{Coords, EffectiveSampler, reads_normalized, resolve};
use crate::request::{FetchForm, FetchKind, FetchOperands, Lod, PlanError};
use crate::resource::{Resource, TexelIndex};
use crate::sampler::{AddressMode, Filter, Sampler, Texture};
use coordinate::Neighbours;
use fixed::Fixed;
use sum::Weighted;
use texunit_texel::{Reading, border_codes, readings};
use trace::FetchValue;

/// What a `tex` returns. The type of the results does
/// not matter: an integer that a texture yields stays an integer in an `.f32` register, and a
/// float a float in a `.u32` one.
pub fn fetch(
    form: FetchForm,
    texture: &Texture,
    sampler: &Sampler,
    operands: &FetchOperands,
) -> Result<FetchValue, PlanError> {
    not_built(form, texture)?;
    let effective = resolve(form, texture, sampler)?;
    let fetch = Fetch { texture, sampler, effective, dims: texture.resource.geometry().axes() };
    let coords = operands.coords;
    let values = match effective.address_mode {
        None => fetch.integer(coords),
        Some(mode) if effective.filter == Filter::Point => fetch.point(coords, mode),
        Some(mode) => fetch.linear(coords, mode),
    };
    Ok(FetchValue { values, resident: true })
}

/// What is still being built.
pub(crate) fn not_built(form: FetchForm, texture: &Texture) -> Result<(), PlanError> {
    let plain = matches!(form.kind, FetchKind::Sample(Lod::Implicit | Lod::Base))
        && !form.offset
        && !form.compare
        && !form.geometry.is_array()
        && !form.geometry.is_cube()
        && !form.geometry.is_multisample()
        && !texture.resource.is_mipmapped();
    if plain {
        return Ok(());
    }
    Err(PlanError::Undefined("this kind of fetch is not built yet".to_owned()))
}

struct Fetch<'a> {
    texture: &'a Texture,
    sampler: &'a Sampler,
    effective: EffectiveSampler,
    dims: usize,
}

impl Fetch<'_> {
    fn resource(&self) -> &Resource {
        &self.texture.resource
    }

    fn size(&self, axis: usize) -> u32 {
        let extent = self.resource().extent();
        [extent.width, extent.height, extent.depth][axis]
    }

    /// Rule 1.9: no filter, no address mode, no border colour; outside, every component is 0.
    fn integer(&self, coords: [u32; 4]) -> [u32; 4] {
        let mut index = [0; 3];
        for axis in 0..self.dims {
            match coordinate::integer(coords[axis], self.size(axis)) {
                Some(i) => index[axis] = i,
                None => return [0; 4],
            }
        }
        self.point_value(self.codes(index.map(Some)))
    }

    /// Rules 1.1 to 1.3: a coordinate in texels.
    fn texels(&self, coords: [u32; 4], axis: usize) -> Fixed {
        let x = coordinate::nan_is_zero(f32::from_bits(coords[axis]));
        match self.effective.coords {
            Coords::Normalized => coordinate::scale_normalized(x, self.size(axis)),
            Coords::Unnormalized | Coords::Integer => coordinate::unnormalized(x),
        }
    }

    /// Rule 1.5 and the point-sampled values of section 2.
    fn point(&self, coords: [u32; 4], mode: [AddressMode; 3]) -> [u32; 4] {
        let mut index = [Some(0); 3];
        for axis in 0..self.dims {
            let i = coordinate::point_index(self.texels(coords, axis));
            index[axis] = coordinate::address(i, self.size(axis), mode[axis]);
        }
        self.point_value(self.codes(index))
    }

    /// Rule 1.6 and the filter of section 2.
    fn linear(&self, coords: [u32; 4], mode: [AddressMode; 3]) -> [u32; 4] {
        let axis = |axis: usize| {
            let u = match axis {
                _ if axis < self.dims => self.texels(coords, axis),
                // A 1D texture is a 2D one of height 1, read at y = 0.
                1 => Fixed::from_int(0),
                _ => return Neighbours { index: 0, upper: 0 },
            };
            coordinate::neighbours(u, self.size(axis), mode[axis])
        };
        let axes = [axis(0), axis(1), axis(2)];
        let weights = weights::footprint(axes.map(|n| n.upper));
        let mut groups = [const { Vec::new() }; 2];
        for (z, group) in groups.iter_mut().enumerate() {
            for (y, x) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let weight = weights[z][y][x];
                // A texel of weight 0 is not read.
                if weight > 0 {
                    let side = [x, y, z];
                    let index = std::array::from_fn(|a| {
                        let k = axes[a].index + side[a] as i64;
                        coordinate::address(k, self.size(a), mode[a])
                    });
                    group.push((self.codes(index), weight));
                }
            }
        }
        self.filtered(&groups)
    }

    /// The codes of a texel, or of the border colour (section 6) if an axis is outside.
    fn codes(&self, index: [Option<u32>; 3]) -> [u32; 4] {
        let inside = match index {
            [Some(x), Some(y), Some(z)] => {
                self.resource().texel(TexelIndex { at: [x, y, z], ..TexelIndex::default() })
            }
            _ => None,
        };
        inside.unwrap_or_else(|| border_codes(self.readings(), self.sampler.border))
    }

    /// Section 2, "Point-sampled values".
    fn point_value(&self, codes: [u32; 4]) -> [u32; 4] {
        let readings = self.readings();
        std::array::from_fn(|c| readings[c].point(codes[c]))
    }

    /// How the texture reads its channels.
    fn readings(&self) -> [Reading; 4] {
        let normalized = reads_normalized(self.texture);
        readings(self.resource().format(), normalized, self.sampler.srgb)
            .expect("`resolve` has refused other formats")
    }

    /// Section 2, "Sum"; a channel that the format lacks reads 0.
    fn filtered(&self, groups: &[Vec<([u32; 4], u32)>]) -> [u32; 4] {
        let readings = self.readings();
        std::array::from_fn(|c| {
            let channel = |group: &Vec<([u32; 4], u32)>| {
                group.iter().map(|&(codes, weight)| Weighted { code: codes[c], weight }).collect()
            };
            let groups: Vec<sum::Group> = groups.iter().map(channel).collect();
            sum::sum(readings[c], &groups).expect("`resolve` has refused other formats")
        })
    }
}

#[cfg(test)]
mod tests;

//! Convenience functions with Rust's number types instead of register bits, for callers without a
//! kernel.

use crate::request::{CoordType, Coordinates, FetchForm, Geometry, PlanError, ResultType};
use crate::resource::{ArrayShape, CreateError, Extent, Resource};
use crate::sampler::{AddressMode, Sampler, Texture};
use crate::warp::{FetchArrays, FetchPlan, Scratch};
use bytemuck::Pod;
use std::ops::RangeInclusive;
use std::sync::Arc;
use texunit_forms::Count;
use texunit_memory::Block;
use texunit_texel::Format;

impl ArrayShape {
    /// The shape of a 1D array.
    pub fn d1(format: Format, width: u32) -> Self {
        Self::new(format, Geometry::D1, Extent { width, height: 1, depth: 1 })
    }

    /// The shape of a 2D array.
    pub fn d2(format: Format, width: u32, height: u32) -> Self {
        Self::new(format, Geometry::D2, Extent { width, height, depth: 1 })
    }

    /// The shape of a 3D array.
    pub fn d3(format: Format, width: u32, height: u32, depth: u32) -> Self {
        Self::new(format, Geometry::D3, Extent { width, height, depth })
    }

    /// The shape of a cube map: six square faces +x, -x, +y, -y, +z, -z.
    pub fn cube(format: Format, size: u32) -> Self {
        Self::new(format, Geometry::Cube, Extent { width: size, height: size, depth: 1 })
    }

    /// Adds layers to a 1D, 2D, multi-sample or cube shape. 3D arrays have no layers, which is
    /// reported when the array is made.
    pub fn with_layers(self, layers: u32) -> Self {
        let geometry = match self.geometry {
            Geometry::D1 => Geometry::A1d,
            Geometry::D2 => Geometry::A2d,
            Geometry::Cube => Geometry::Acube,
            Geometry::D2ms => Geometry::A2dms,
            other => other,
        };
        Self { geometry, layers, ..self }
    }

    /// Sets the number of mip levels, including the base level.
    pub fn with_levels(self, levels: u32) -> Self {
        Self { levels: Some(levels), ..self }
    }

    /// Sets the number of samples: 2, 4, 8 or 16.
    pub fn with_samples(self, samples: u32) -> Self {
        let geometry = match self.geometry {
            Geometry::D2 => Geometry::D2ms,
            Geometry::A2d => Geometry::A2dms,
            other => other,
        };
        Self { geometry, samples, ..self }
    }
}

impl Resource {
    /// Allocates an array with these texels, which are contiguous in the order: levels, layers
    /// (faces), samples, slices, rows. `T` is a channel or a texel; block-compressed texels are
    /// bytes.
    ///
    /// # Errors
    /// The shape is invalid, there is not enough memory, or the size of `texels` does not match the
    /// shape.
    pub fn from_texels<T: Pod>(
        shape: &ArrayShape,
        texels: &[T],
        name: impl Into<String>,
    ) -> Result<Self, CreateError> {
        let (size, name) = (shape.size()?, name.into());
        let block = usize::try_from(size).ok().and_then(|size| Block::new(size, name.clone()));
        let none =
            || CreateError::Refused(format!("{} of memory cannot be had", Count(size, "byte")));
        let resource = Self::array(shape, Arc::new(block.ok_or_else(none)?), name)?;
        resource.fill_packed(bytemuck::cast_slice(texels))?;
        Ok(resource)
    }

    /// Returns all texels in the order of [`Self::from_texels`]. If the last bytes do not fill a
    /// `T`, they are left out.
    pub fn to_texels<T: Pod>(&self) -> Vec<T> {
        let (bytes, size) = (self.to_packed(), size_of::<T>());
        match bytes.len().checked_div(size) {
            Some(count) => bytemuck::pod_collect_to_vec(&bytes[..count * size]),
            // A type `T` of size 0 has no values to return.
            None => Vec::new(),
        }
    }
}

impl Sampler {
    /// Sets the address mode of x, y and z.
    #[must_use]
    pub fn with_address_mode(self, mode: AddressMode) -> Self {
        Self { address_mode: [mode; 3], ..self }
    }

    /// Sets the border mode on all axes, with this border colour: r, g, b, a.
    #[must_use]
    pub fn with_border(self, colour: [f32; 4]) -> Self {
        let border = colour.map(f32::to_bits);
        Self { border, address_mode: [AddressMode::Border; 3], ..self }
    }

    /// Sets the sampler's clamps of the mip level: the smallest and the largest level that is read.
    #[must_use]
    pub fn with_levels(self, levels: RangeInclusive<f32>) -> Self {
        Self { min_level_clamp: *levels.start(), max_level_clamp: *levels.end(), ..self }
    }
}

/// Samples a texture at points with a plain `tex` at float coordinates, and returns all four
/// components. Supports 1D, 2D, 3D and cube textures whose texels are read as floats; for layers,
/// levels, gradients and integers use [`FetchPlan::fetch_arrays`].
///
/// # Errors
/// The number of coordinates per point is not that of the texture, or the result of such fetches is
/// undefined.
pub fn sample<const N: usize>(
    texture: &Arc<Texture>,
    sampler: &Sampler,
    points: &[[f32; N]],
) -> Result<Vec<[f32; 4]>, PlanError> {
    let geometry = texture.resource.geometry();
    let refused = |why: String| {
        let what = texture.resource.describe();
        Err(PlanError::Undefined(format!("{what}: {why}")))
    };
    if geometry.is_array() || geometry.is_multisample() {
        return refused("layers and samples are for FetchPlan::fetch_arrays".to_owned());
    }
    if N != geometry.gradients() {
        return refused(format!(
            "points of {N} coordinates, but it takes {}",
            geometry.gradients()
        ));
    }
    let readings = crate::effective::texture_readings(texture, sampler.srgb)?;
    if !readings[0].can_filter() {
        return refused(
            "its texels are read as integers; FetchPlan::fetch_arrays has those".to_owned(),
        );
    }
    let form = FetchForm::sample(geometry, CoordType::F32, ResultType::F32);
    let plan = FetchPlan::new(form, texture, sampler)?;
    let axis = |axis: usize| -> Vec<u32> {
        if axis < N { points.iter().map(|point| point[axis].to_bits()).collect() } else { vec![] }
    };
    let axes = [axis(0), axis(1), axis(2)];
    let at = Coordinates::at(axes.each_ref().map(|axis| &axis[..]), &[][..]);
    let mut results = [(); 4].map(|()| vec![0; points.len()]);
    let out = results.each_mut().map(|component| &mut component[..]);
    plan.fetch_arrays(&FetchArrays::new(at), out, &mut Scratch::default())
        .expect("all arrays are as long as the points");
    let [x, y, z, w] = &results;
    Ok((0..points.len()).map(|i| [x[i], y[i], z[i], w[i]].map(f32::from_bits)).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::ReadMode;

    fn made(shape: &ArrayShape, read_mode: ReadMode) -> Arc<Texture> {
        let bytes = vec![0_u8; shape.packed_size().unwrap() as usize];
        let resource = Resource::from_texels(shape, &bytes, "a").unwrap();
        Arc::new(Texture::without_sampler(Arc::new(resource), read_mode, false).unwrap())
    }

    #[test]
    fn texels_go_in_and_come_out() {
        let shape = ArrayShape::d2("u16x2".parse().unwrap(), 1, 2);
        let array = Resource::from_texels(&shape, &[[1_u16, 2], [3, 4]], "a").unwrap();
        assert_eq!(array.to_texels::<u16>(), [1, 2, 3, 4]);
        assert_eq!(array.to_texels::<[u8; 3]>().len(), 2);
        assert_eq!(array.to_texels::<()>(), []);
        let wrong = Resource::from_texels(&shape, &[1_u16], "a").unwrap_err();
        assert!(matches!(wrong, CreateError::Memory { needed: 8, available: 2 }), "{wrong}");
        let none = ArrayShape::d3("u8".parse().unwrap(), 2, 2, 2).with_layers(2);
        assert!(Resource::from_texels(&none, &[0_u8; 16], "a").is_err(), "a volume in layers");
    }

    #[test]
    fn shapes() {
        let format: Format = "u8".parse().unwrap();
        let picture = ArrayShape::d2(format, 4, 4);
        for (shape, geometry) in [
            (ArrayShape::d1(format, 4).with_layers(3), Geometry::A1d),
            (picture.with_layers(3), Geometry::A2d),
            (picture.with_samples(4), Geometry::D2ms),
            (picture.with_samples(4).with_layers(3), Geometry::A2dms),
            (picture.with_layers(3).with_samples(4), Geometry::A2dms),
            (ArrayShape::cube(format, 4).with_layers(3).with_levels(3), Geometry::Acube),
        ] {
            assert_eq!((shape.geometry, shape.check()), (geometry, Ok(())));
        }
    }

    #[test]
    fn what_cannot_be_sampled_so() {
        let (u8, sampler) = ("u8".parse().unwrap(), Sampler::default());
        let said = |shape: &ArrayShape, mode| {
            sample(&made(shape, mode), &sampler, &[[0.0, 0.0]]).unwrap_err().to_string()
        };
        let normalized = ReadMode::NormalizedFloat;
        assert!(
            said(&ArrayShape::d1(u8, 4), normalized)
                .contains("points of 2 coordinates, but it takes 1")
        );
        assert!(said(&ArrayShape::cube(u8, 4), normalized).contains("takes 3"));
        assert!(said(&ArrayShape::d2(u8, 4, 4).with_layers(2), normalized).contains("layers"));
        assert!(said(&ArrayShape::d2(u8, 4, 4), ReadMode::Element).contains("integers"));
        let none = sample::<2>(&made(&ArrayShape::d2(u8, 4, 4), normalized), &sampler, &[]);
        assert_eq!(none, Ok(vec![]));
    }

    #[test]
    fn samplers_have_several_settings_at_once() {
        let sampler = Sampler::default().with_border([1.0, 0.0, 0.0, 1.0]).with_levels(0.5..=3.0);
        let built = Sampler {
            address_mode: [AddressMode::Border; 3],
            border: [0x3f80_0000, 0, 0, 0x3f80_0000],
            min_level_clamp: 0.5,
            max_level_clamp: 3.0,
            ..Sampler::default()
        };
        assert_eq!(sampler, built);
        let wrapped = sampler.with_address_mode(AddressMode::Wrap);
        assert_eq!(wrapped.address_mode, [AddressMode::Wrap; 3]);
    }
}

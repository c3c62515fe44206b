//! Descriptors of texture and surface objects, and their conversion to and from the driver's.

use super::*;

impl cudaResourceDesc {
    /// The driver's descriptor; an error for an invalid channel descriptor or type.
    pub(crate) fn to_driver(self) -> Answer<CUDA_RESOURCE_DESC> {
        let mut to = CUDA_RESOURCE_DESC {
            res_type: self.res_type,
            what: self.what,
            #[cfg(not(feature = "cuda-12"))]
            flags: self.flags,
            ..CUDA_RESOURCE_DESC::default()
        };
        match self.res_type {
            CU_RESOURCE_TYPE_ARRAY | CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {}
            CU_RESOURCE_TYPE_LINEAR | CU_RESOURCE_TYPE_PITCH2D => {
                let Format { format, channels } = self.desc.format()?;
                (to.format, to.num_channels, to.size) = (format, channels, self.size);
                if self.res_type == CU_RESOURCE_TYPE_PITCH2D {
                    (to.height, to.pitch_in_bytes) = (self.height, self.pitch_in_bytes);
                }
            }
            other => bail!(
                "resType {other} is not a cudaResourceType: 0 (array), 1 (mipmapped array), 2 (linear), 3 (pitch2D)"
            ),
        }
        Ok(to)
    }

    /// Converts the driver's descriptor.
    pub(crate) fn of_driver(from: &CUDA_RESOURCE_DESC) -> Answer<Self> {
        let mut to = Self { res_type: from.res_type, what: from.what, ..Self::default() };
        if matches!(from.res_type, CU_RESOURCE_TYPE_LINEAR | CU_RESOURCE_TYPE_PITCH2D) {
            to.desc = Format { format: from.format, channels: from.num_channels }.channel()?;
            to.size = from.size;
        }
        if from.res_type == CU_RESOURCE_TYPE_PITCH2D {
            (to.height, to.pitch_in_bytes) = (from.height, from.pitch_in_bytes);
        }
        Ok(to)
    }
}

/// The driver's flags of a texture descriptor, except for `CU_TRSF_READ_AS_INTEGER`.
const FLAGS: [u32; 4] = [
    CU_TRSF_SRGB,
    CU_TRSF_NORMALIZED_COORDINATES,
    CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION,
    CU_TRSF_SEAMLESS_CUBEMAP,
];

impl cudaTextureDesc {
    /// The driver's descriptor for a texture of a format; an error if the format does not support
    /// the state.
    pub(crate) fn to_driver(self, format: Format) -> Answer<CUDA_TEXTURE_DESC> {
        let class = format.class()?;
        let linear = self.filter_mode == CU_TR_FILTER_MODE_LINEAR;
        let fractions = self.read_mode == READ_NORMALIZED_FLOAT;
        match class {
            Class::LongInteger if linear => bail!(
                INVALID_FILTER_SETTING,
                "filterMode is cudaFilterModeLinear, and the elements are 32-bit integers, which are not filtered: \
                 use cudaFilterModePoint"
            ),
            Class::Integer if linear && !fractions => bail!(
                INVALID_FILTER_SETTING,
                "filterMode is cudaFilterModeLinear, and the elements are integers that are read as such \
                     (cudaReadModeElementType): use cudaFilterModePoint, or read them as floats \
                     (cudaReadModeNormalizedFloat)"
            ),
            Class::LongInteger | Class::Element if fractions => bail!(
                INVALID_NORM_SETTING,
                "readMode is cudaReadModeNormalizedFloat, and the elements are floats or 32-bit integers: only \
                     8 and 16-bit integers are read so"
            ),
            Class::Normalized if !fractions => bail!(
                INVALID_NORM_SETTING,
                "readMode is cudaReadModeElementType, and the format is read as normalized floats only \
                 (cudaReadModeNormalizedFloat)"
            ),
            Class::None => bail!("the array has a format that textures do not read"),
            _ => {}
        }
        let integers = matches!(class, Class::Integer | Class::LongInteger);
        let as_integers = integers && self.read_mode == READ_ELEMENT_TYPE;
        let mut flags = if as_integers { CU_TRSF_READ_AS_INTEGER } else { 0 };
        for (said, flag) in self.switches().into_iter().zip(FLAGS) {
            if said != 0 {
                flags |= flag;
            }
        }
        Ok(CUDA_TEXTURE_DESC { flags, ..self.shared() })
    }

    /// Fields that correspond to [`FLAGS`], in the same order.
    fn switches(&self) -> [i32; 4] {
        [
            self.srgb,
            self.normalized_coords,
            self.disable_trilinear_optimization,
            self.seamless_cubemap,
        ]
    }

    /// Converts the driver's descriptor of a texture of a format.
    pub(crate) fn of_driver(from: &CUDA_TEXTURE_DESC, format: Format) -> Answer<Self> {
        let read_mode = match format.class()? {
            Class::LongInteger | Class::Element | Class::None => READ_ELEMENT_TYPE,
            Class::Normalized => READ_NORMALIZED_FLOAT,
            Class::Integer if from.flags & CU_TRSF_READ_AS_INTEGER != 0 => READ_ELEMENT_TYPE,
            Class::Integer => READ_NORMALIZED_FLOAT,
        };
        let [srgb, normalized_coords, disable_trilinear_optimization, seamless_cubemap] =
            FLAGS.map(|flag| i32::from(from.flags & flag != 0));
        Ok(Self {
            read_mode,
            srgb,
            normalized_coords,
            disable_trilinear_optimization,
            seamless_cubemap,
            ..Self::of_shared(from)
        })
    }
}

/// Converts the members that a structure has in common with the driver's, by these names; the
/// others are 0.
macro_rules! shared {
    ($($of:ident, $driver:ident: $($member:ident)*;)*) => {$(
        #[allow(clippy::needless_update, reason = "some structures have no other members")]
        impl $of {
            /// The driver's structure.
            pub(crate) fn shared(self) -> $driver {
                $driver { $($member: self.$member,)* ..$driver::default() }
            }

            /// Converts the driver's structure.
            pub(crate) fn of_shared(from: &$driver) -> Self {
                Self { $($member: from.$member,)* ..Self::default() }
            }
        }
    )*};
}
shared! {
    cudaTextureDesc, CUDA_TEXTURE_DESC:
        address_mode filter_mode max_anisotropy mipmap_filter_mode mipmap_level_bias
        min_mipmap_level_clamp max_mipmap_level_clamp border_color;
    cudaResourceViewDesc, CUDA_RESOURCE_VIEW_DESC:
        format width height depth first_mipmap_level last_mipmap_level first_layer last_layer;
}

//! Advice in terms of what launched the kernel: keys of a job, or calls of a program.

use texunit_simt::{BadHandle, FaultKind};
use texunit_unit::{Geometry, GeometryError, Layout};

/// What launched a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// A job file (`texunit launch`), whose objects are tables with keys.
    Job,
    /// A program that calls CUDA's API (`texunit run`).
    Program,
    /// The Python module `texunit`.
    Python,
}

impl Host {
    /// Remark for a fault that only [`BadFetch::Fault`](texunit_simt::BadFetch::Fault) causes: what
    /// a GPU does instead, and the evidence for it.
    pub(super) fn of_card(self, kind: &FaultKind) -> Option<String> {
        let does = match kind {
            FaultKind::Handle { is: BadHandle::Surface, .. } => {
                "fetches from the surface, by a point filter and coordinates in texels"
            }
            FaultKind::Handle { is: BadHandle::Unknown, wanted: "sampler", .. } => {
                "does not look at a sampler's handle: that of the texture has the sampler"
            }
            // A handle with a single bit in its upper half may refer to an object of another kind.
            FaultKind::Handle { is: BadHandle::Unknown, handle, .. }
                if *handle as u32 != 0 && (handle >> 32).count_ones() != 1 =>
            {
                "takes the lower half of a handle for all of it: it reads the object of this \
                 number, or zeros if there is none"
            }
            FaultKind::Handle { is: BadHandle::Unknown, .. }
            | FaultKind::Floats { .. }
            | FaultKind::Geometry { .. } => {
                "goes on: a fetch or load gives 0, a store or reduction does nothing"
            }
            _ => return None,
        };
        let option = match self {
            Self::Job => "`--bad-fetch fault`",
            Self::Program => "`--bad-fetch fault` (TEXUNIT_BAD_FETCH=fault)",
            Self::Python => "`bad_fetch=\"fault\"`",
        };
        Some(format!("a card {does}; {option} makes it a fault"))
    }

    /// Advice for a fault whose remedy differs between job and program.
    pub(super) fn help(self, kind: &FaultKind) -> Option<String> {
        match kind {
            FaultKind::Handle { why, .. } if why.ends_with("is not bound") => {
                let how = match self {
                    Self::Job => {
                        "bind an object to it in the job, with a table `[textures.NAME]`, \
                         `[samplers.NAME]` or `[surfaces.NAME]`"
                    }
                    Self::Program => {
                        "bind an object to it before the launch: cuTexRefSetArray, \
                         cuTexRefSetAddress, cuSurfRefSetArray"
                    }
                    Self::Python => {
                        "bind a texture or surface to it before the launch: `module.bind(name, texture)`"
                    }
                };
                Some(how.to_owned())
            }
            FaultKind::OutOfBounds { unnoticed: true, .. } => {
                let option = match self {
                    Self::Job => "`--bounds hardware`",
                    Self::Program => "`--bounds hardware` (TEXUNIT_BOUNDS=hardware)",
                    Self::Python => "`bounds=\"hardware\"`",
                };
                Some(format!(
                    "a GPU rounds sizes up and would not notice; {option} lets such accesses pass and counts them"
                ))
            }
            FaultKind::Handle { is: BadHandle::Surface, .. } => Some(
                match self {
                    Self::Job => {
                        "in the job, make it a texture: `texture = { ... }`, or `[textures.NAME]`"
                    }
                    Self::Program => {
                        "a fetch takes what cudaCreateTextureObject (cuTexObjectCreate) makes; \
                         this handle is of cudaCreateSurfaceObject (cuSurfObjectCreate)"
                    }
                    Self::Python => "pass a `texunit.Texture`; this one is a `texunit.Surface`",
                }
                .to_owned(),
            ),
            FaultKind::Floats { .. } => Some(
                match self {
                    Self::Job => "in the job, a texture without `layout` takes `.f32` coordinates",
                    Self::Program => {
                        "tex1Dfetch reads linear memory (cudaResourceTypeLinear), by integers; \
                         tex1D needs a CUDA array (cudaMallocArray)"
                    }
                    Self::Python => "a texture without copy=False takes `.f32` coordinates",
                }
                .to_owned(),
            ),
            FaultKind::Geometry { surface, error } => Some(match self {
                Self::Job => keys(error),
                Self::Program => calls(error, *surface),
                Self::Python => keywords(error),
            }),
            _ => None,
        }
    }
}

/// The `geometry` key of a job.
fn key(geometry: Geometry) -> String {
    format!("`geometry = \"{geometry}\"`")
}

/// The keys that give an array the geometry that the instruction reads.
fn keywords(error: &GeometryError) -> String {
    let of = |geometry: Geometry| {
        let axes = geometry.axes();
        let mut words = match geometry.is_cube() {
            true => "cube=True".to_owned(),
            false => format!("dim={axes}"),
        };
        for (is, word) in
            [(geometry.is_array(), "layered"), (geometry.is_multisample(), "multisample")]
        {
            if is {
                words += &format!(", {word}=True");
            }
        }
        words
    };
    let (wanted, own) = (of(error.instruction), of(error.own));
    match error.layout {
        Layout::Array => {
            format!("{wanted} makes an object for this instruction; this one has {own}")
        }
        Layout::Linear | Layout::Pitched => {
            format!("{wanted} without copy=False makes an object for this instruction")
        }
    }
}

fn keys(error: &GeometryError) -> String {
    let wanted = key(error.instruction);
    match error.layout {
        Layout::Array => format!(
            "in the job, {wanted} makes an object for this instruction; this one has {}",
            key(error.own)
        ),
        Layout::Linear | Layout::Pitched => {
            format!("in the job, {wanted} without `layout` makes an object for this instruction")
        }
    }
}

/// The API calls that create an object of the geometry that the instruction reads, and the
/// functions that read the existing object.
fn calls(error: &GeometryError, surface: bool) -> String {
    let made = match error.instruction {
        Geometry::D1 => {
            "cudaMallocArray with height 0 (cuArrayCreate with Height 0) makes a 1D array"
        }
        Geometry::D2 => "cudaMallocArray with a height (cuArrayCreate) makes a 2D array",
        Geometry::D3 => {
            "cudaMalloc3DArray with a depth and without cudaArrayLayered (cuArray3DCreate) makes a \
             3D array"
        }
        Geometry::A1d => {
            "cudaMalloc3DArray with cudaArrayLayered (CUDA_ARRAY3D_LAYERED) and height 0 makes a \
             layered 1D array"
        }
        Geometry::A2d => {
            "cudaMalloc3DArray with cudaArrayLayered (CUDA_ARRAY3D_LAYERED) makes a layered 2D \
             array"
        }
        Geometry::Cube => {
            "cudaMalloc3DArray with cudaArrayCubemap (CUDA_ARRAY3D_CUBEMAP) and depth 6 makes a \
             cube map"
        }
        Geometry::Acube => {
            "cudaMalloc3DArray with cudaArrayCubemap and cudaArrayLayered (CUDA_ARRAY3D_CUBEMAP \
             and CUDA_ARRAY3D_LAYERED) makes a layered cube map"
        }
        Geometry::D2ms | Geometry::A2dms => "CUDA makes no multi-sample arrays",
    };
    match (functions(error, surface), error.instruction, error.own) {
        (None, ..) => made.to_owned(),
        (Some(own), Geometry::D1, Geometry::D2) if !surface && error.layout == Layout::Array => {
            format!("{made}, and tex1D reads a 2D array of height 1; this one is for {own}")
        }
        (Some(own), ..) => format!("{made}; this object is for {own}"),
    }
}

/// The CUDA C++ functions for an object of this geometry.
fn functions(error: &GeometryError, surface: bool) -> Option<String> {
    let stem = match error.own {
        Geometry::D1 if error.layout == Layout::Linear && !surface => "1Dfetch",
        Geometry::D1 => "1D",
        Geometry::D2 => "2D",
        Geometry::D3 => "3D",
        Geometry::A1d => "1DLayered",
        Geometry::A2d => "2DLayered",
        Geometry::Cube => "Cubemap",
        Geometry::Acube => "CubemapLayered",
        Geometry::D2ms | Geometry::A2dms => return None,
    };
    Some(match surface {
        true => format!("surf{stem}read and surf{stem}write"),
        false => format!("tex{stem}"),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::fault) fn geometry(
        instruction: Geometry,
        own: Geometry,
        surface: bool,
    ) -> FaultKind {
        let (layout, resource) = (Layout::Array, "texture `t` is another".to_owned());
        FaultKind::Geometry { surface, error: GeometryError { instruction, own, layout, resource } }
    }

    fn help(host: Host, instruction: Geometry, own: Geometry, surface: bool) -> String {
        host.help(&geometry(instruction, own, surface)).unwrap_or_default()
    }

    #[test]
    fn jobs_have_keys_and_programs_have_calls() {
        use Geometry as G;
        assert_eq!(
            help(Host::Job, G::D1, G::D2, false),
            "in the job, `geometry = \"1d\"` makes an object for this instruction; this one has \
             `geometry = \"2d\"`"
        );
        assert_eq!(
            help(Host::Program, G::D1, G::D2, false),
            "cudaMallocArray with height 0 (cuArrayCreate with Height 0) makes a 1D array, and \
             tex1D reads a 2D array of height 1; this one is for tex2D"
        );
        assert_eq!(
            help(Host::Python, G::Acube, G::D2, false),
            "cube=True, layered=True makes an object for this instruction; this one has dim=2"
        );
        assert_eq!(
            help(Host::Program, G::D2, G::A2d, true),
            "cudaMallocArray with a height (cuArrayCreate) makes a 2D array; this object is for \
             surf2DLayeredread and surf2DLayeredwrite"
        );
        for &instruction in G::ALL {
            for own in G::ALL.iter().copied().filter(|&own| own != instruction) {
                for surface in [false, true] {
                    let job = help(Host::Job, instruction, own, surface);
                    let program = help(Host::Program, instruction, own, surface);
                    assert!(job.contains("in the job") && !job.contains("cuda"), "{job}");
                    assert!(
                        !program.contains("job") && !program.contains("geometry ="),
                        "{program}"
                    );
                    assert!(program.contains("array") || program.contains("cube"), "{program}");
                }
            }
        }
    }

    #[test]
    fn memory_has_a_layout() {
        let of = |layout| GeometryError {
            instruction: Geometry::A1d,
            own: Geometry::D1,
            layout,
            resource: String::new(),
        };
        assert!(keys(&of(Layout::Linear)).contains("without `layout`"));
        assert!(calls(&of(Layout::Linear), false).ends_with("this object is for tex1Dfetch"));
    }
}

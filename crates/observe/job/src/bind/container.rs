//! Arrays from DDS and KTX 2.0 files, whose headers describe their contents.

use super::Binder;
use super::memory::file_problem;
use super::texels::{Plan, check_counts};
use crate::problem::{Problem, codes};
use crate::spec::ResourceSpec;
use std::path::PathBuf;
use texunit_device::{Extent, Format, Geometry};
use texunit_forms::Count;
use texunit_spec::At;

impl Binder<'_> {
    /// Makes an array from a whole file. Keys of the job that describe the texels must agree with
    /// the file.
    pub(super) fn container(
        &self,
        spec: &ResourceSpec,
        format: Option<Format>,
        file: &At<PathBuf>,
    ) -> Result<Plan, Problem> {
        let read = texunit_files::read_container(&self.path(file));
        let container = read.map_err(file_problem(file))?;
        let conflict = |message: String| Err(file.problem(codes::CONFLICT, message));
        let name = file.value.display();
        if let Some(format) = format
            && !container.can_be(format)
        {
            return conflict(format!("`{name}` holds {}, not {format}", container.format));
        }
        let is_layered = container.layers.is_some();
        let geometry = Geometry::of(container.dims.into(), is_layered, container.is_cube);
        if spec.shape.named_geometry().is_some_and(|named| named != geometry) {
            return conflict(format!("`{name}` holds a {} texture", geometry.name()));
        }
        let [width, height, depth] = container.extent;
        let (layers, levels) = (container.layers.unwrap_or(1), container.levels.len() as u32);
        if spec.shape.extent.extent.is_some_and(|e| e != container.extent) {
            return conflict(format!("`{name}` is {width} x {height} x {depth} texels"));
        }
        if spec.shape.layers.as_ref().is_some_and(|l| l.value != layers) {
            return conflict(format!("`{name}` has {}", Count(layers, "layer")));
        }
        check_counts(spec, geometry)?;
        let made = spec.mipmaps.is_some();
        let other = spec.shape.levels.as_ref().is_some_and(|l| l.value != levels);
        if made && levels > 1 || !made && other {
            return conflict(format!("`{name}` has {}", Count(levels, "mip level")));
        }
        let mipmapped = levels > 1 || spec.shape.levels.is_some();
        Ok(Plan {
            format: format.unwrap_or(container.format),
            geometry,
            extent: Extent { width, height, depth },
            layers,
            levels: mipmapped.then_some(levels),
            samples: 1,
            bytes: container.levels.concat(),
        })
    }
}

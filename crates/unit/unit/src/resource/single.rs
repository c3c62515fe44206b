//! Makes one mip level of an array an array of its own.

use super::{CreateError, Resource, View};

impl Resource {
    /// One mip level as an array that is not mipmapped, in the memory of this resource
    /// (`cuMipmappedArrayGetLevel`).
    pub fn single_level(&self, level: u32) -> Result<Self, CreateError> {
        let levels = Some(level..level.saturating_add(1));
        let mut resource = self.view(&View { levels, ..View::default() })?;
        resource.shape.levels = None;
        Ok(resource)
    }
}

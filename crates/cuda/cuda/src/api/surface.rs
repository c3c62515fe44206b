//! Surface objects (driver API, "Surface Object Management").

use crate::api::*;
use crate::texture;

driver_api! {
    /// Creates a surface object of an array.
    fn cuSurfObjectCreate(pSurfObject, pResDesc) {
        let context = current()?;
        pSurfObject.give(|| texture::create_surface(&context, &pResDesc.get()?))
    }

    /// Destroys a surface object.
    fn cuSurfObjectDestroy(surfObject) {
        if surfObject == 0 { Ok(()) } else { texture::destroy_surface(surfObject) }
    }

    /// The resource descriptor with which a surface object was created.
    fn cuSurfObjectGetResourceDesc(pResDesc, surfObject) {
        pResDesc.set(texture::find_surface(&*current()?, surfObject)?.resource)
    }
}

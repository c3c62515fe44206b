//! Surface objects (driver API, "Surface Object Management").

use crate::call::driver_api;
use crate::context::current;
use crate::prelude::*;
use crate::texture;
use texunit_cuda_abi::{CUDA_RESOURCE_DESC, CUsurfObject};

driver_api! {
    /// Creates a surface object of an array.
    fn cuSurfObjectCreate(pSurfObject: Out<CUsurfObject>, pResDesc: In<CUDA_RESOURCE_DESC>) {
        let context = current()?;
        pSurfObject.check()?;
        pSurfObject.set(texture::create_surface(&context, &pResDesc.get()?)?)
    }

    /// Destroys a surface object.
    fn cuSurfObjectDestroy(surfObject: CUsurfObject) {
        if surfObject == 0 { Ok(()) } else { texture::destroy_surface(surfObject) }
    }

    /// The resource descriptor with which a surface object was created.
    fn cuSurfObjectGetResourceDesc(pResDesc: Out<CUDA_RESOURCE_DESC>, surfObject: CUsurfObject) {
        pResDesc.set(texture::find_surface(&*current()?, surfObject)?.resource)
    }
}

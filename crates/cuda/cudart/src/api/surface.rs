//! Surface objects (runtime API, "Surface Object Management").

use super::array::format_of;
use crate::api::*;

// The pointers passed to driver functions come from the C caller, which guarantees that they are
// valid, or are to local variables.
runtime_api! {
    /// Creates a surface object of an array. The array need not have the surface flag (inferred
    /// from a driver's behaviour: docs/cuda-api.md, "What a driver returns").
    fn cudaCreateSurfaceObject(pSurfObject, pResDesc) {
        context()?;
        pSurfObject.check()?;
        let resource = pResDesc.get()?.to_driver()?;
        if resource.res_type == CU_RESOURCE_TYPE_ARRAY {
            format_of(resource.what as usize)?;
        }
        check(driver::cuSurfObjectCreate(pSurfObject, &resource))
    }

    /// The resource descriptor of a surface object.
    fn cudaGetSurfaceObjectResourceDesc(pResDesc, surfObject) {
        context()?;
        pResDesc.check()?;
        let resource = ask(|resource| driver::cuSurfObjectGetResourceDesc(resource, surfObject))?;
        pResDesc.set(cudaResourceDesc::of_driver(&resource)?)
    }
}

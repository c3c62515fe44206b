//! Texture and surface objects (runtime API, "Texture Object Management", "Surface Object
//! Management").

use super::array::{format_of, format_of_mipmap};
use crate::api::*;

runtime_api! {
    /// Creates a texture object. Refused are a linear filter of integers
    /// (`cudaErrorInvalidFilterSetting`) and a read mode that the format lacks
    /// (`cudaErrorInvalidNormSetting`). The format is that of the resource, not of the view.
    fn cudaCreateTextureObject(pTexObject, pResDesc, pTexDesc, pResViewDesc) {
        context()?;
        let resource = pResDesc.get()?.to_driver()?;
        let texture = pTexDesc.get_if().ok_or(CUresult::INVALID_HANDLE.because("pTexDesc is null"))?;
        let texture = texture.to_driver(format(&resource)?)?;
        pTexObject.check()?;
        let view = pResViewDesc.get_if().map(cudaResourceViewDesc::shared);
        check(driver::cuTexObjectCreate(pTexObject, &resource, &texture, view.as_ref()))
    }

    /// The resource descriptor of a texture object.
    fn cudaGetTextureObjectResourceDesc(pResDesc, texObject) {
        context()?;
        pResDesc.give(|| cudaResourceDesc::of_driver(&resource(texObject)?))
    }

    /// The texture descriptor of a texture object.
    fn cudaGetTextureObjectTextureDesc(pTexDesc, texObject) {
        context()?;
        ensure!(!pTexDesc.is_null(), CUresult::INVALID_HANDLE, "pTexDesc is null");
        let format = format(&resource(texObject)?)?;
        let texture = ask(|texture| driver::cuTexObjectGetTextureDesc(texture, texObject))?;
        pTexDesc.set(cudaTextureDesc::of_driver(&texture, format)?)
    }

    /// The resource view descriptor of a texture object; zeros if it has no view.
    fn cudaGetTextureObjectResourceViewDesc(pResViewDesc, texObject) {
        context()?;
        let view = ask(|view| driver::cuTexObjectGetResourceViewDesc(view, texObject));
        pResViewDesc.give(|| Ok(cudaResourceViewDesc::of_shared(&view?)))
    }
}

fn resource(object: CUtexObject) -> Answer<CUDA_RESOURCE_DESC> {
    ask(|resource| driver::cuTexObjectGetResourceDesc(resource, object))
}

/// The format of a texture's texels.
fn format(resource: &CUDA_RESOURCE_DESC) -> Answer<Format> {
    match resource.res_type {
        CU_RESOURCE_TYPE_ARRAY => Ok(format_of(resource.what as usize)?.1),
        CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => format_of_mipmap(resource.what as usize),
        _ => Ok(Format { format: resource.format, channels: resource.num_channels }),
    }
}

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
        let resource = ask(|resource| driver::cuSurfObjectGetResourceDesc(resource, surfObject));
        pResDesc.give(|| cudaResourceDesc::of_driver(&resource?))
    }
}

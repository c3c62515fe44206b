//! Texture and surface objects (driver API, "Texture Object Management", "Surface Object
//! Management").

use crate::api::*;
use crate::texture;

driver_api! {
    /// Creates a texture object. Integers that are read as integers may have a linear filter, which
    /// only the runtime refuses.
    fn cuTexObjectCreate(pTexObject, pResDesc, pTexDesc, pResViewDesc) {
        let context = current()?;
        pTexObject.check()?;
        let (resource, descriptor) = (pResDesc.get()?, pTexDesc.get()?);
        pTexObject.set(texture::create(&context, &resource, &descriptor, pResViewDesc.get_if())?)
    }

    /// Destroys a texture object; 0 is allowed.
    fn cuTexObjectDestroy(texObject) {
        if texObject == 0 { Ok(()) } else { texture::destroy(texObject) }
    }

    /// The resource descriptor with which a texture object was created.
    fn cuTexObjectGetResourceDesc(pResDesc, texObject) {
        pResDesc.set(texture::find(&*current()?, texObject)?.resource)
    }

    /// The texture descriptor with which a texture object was created.
    fn cuTexObjectGetTextureDesc(pTexDesc, texObject) {
        pTexDesc.set(texture::find(&*current()?, texObject)?.texture)
    }

    /// The resource view descriptor with which a texture object was created; zeros if it has no
    /// view.
    fn cuTexObjectGetResourceViewDesc(pResViewDesc, texObject) {
        pResViewDesc.set(texture::find(&*current()?, texObject)?.view.unwrap_or_default())
    }

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

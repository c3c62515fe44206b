//! Texture and surface objects (driver API, "Texture Object Management", "Surface Object
//! Management") and references ("Texture Reference Management", "Surface Reference Management"):
//! functions that create or bind them, and set and return their state.

use crate::api::*;
use crate::format::{format, format_of, numbers};
use crate::texref::{self, Bound, TextureReference};
use crate::texture::{self, ALIGN, Source, address_mode, filter};
use texunit_device::{AddressMode, Filter};

driver_api! { in_context
    /// The texture reference of a module's `.texref`.
    fn cuModuleGetTexRef(pTexRef, hmod, name) {
        pTexRef.give(|| texref::texture_of(hmod, &name.get()?))
    }

    /// Returns the surface reference of a `.surfref` variable of a module.
    fn cuModuleGetSurfRef(pSurfRef, hmod, name) {
        pSurfRef.give(|| texref::surface_of(hmod, &name.get()?))
    }

    /// Destroys a reference created by `cuTexRefCreate`.
    fn cuTexRefDestroy(hTexRef) {
        texref::destroy(hTexRef)
    }

    /// Binds an array, with the array's format.
    fn cuTexRefSetArray(hTexRef, hArray, Flags) {
        let (reference, array) = (hTexRef.get()?, hArray.get()?);
        overrides(Flags)?;
        let bound = Bound::Array(hArray, Source::array(array.array.clone()));
        reference.set(|state| state.bound = bound)
    }

    /// Binds a mipmapped array to a texture reference, which takes the array's format.
    fn cuTexRefSetMipmappedArray(hTexRef, hMipmappedArray, Flags) {
        let (reference, array) = (hTexRef.get()?, hMipmappedArray.get()?);
        overrides(Flags)?;
        let bound = Bound::Mipmapped(hMipmappedArray, Source::Array(array.array.clone().into()));
        reference.set(|state| state.bound = bound)
    }

    /// Binds linear memory. The address is rounded down to a multiple of 512, and the difference is
    /// returned as the offset; size 0 at address 0 unbinds.
    fn cuTexRefSetAddress_v2(ByteOffset, hTexRef, dptr, bytes) {
        let cut = set_address(hTexRef, dptr, bytes, ByteOffset.is_null())?;
        ByteOffset.set_if(cut);
        Ok(())
    }

    /// As `cuTexRefSetAddress_v2` for 32-bit addresses, which no memory has here.
    fn cuTexRefSetAddress(ByteOffset, hTexRef, dptr, bytes) {
        let cut = set_address(hTexRef, dptr.into(), bytes as usize, ByteOffset.is_null())?;
        ByteOffset.set_if(cut as c_uint);
        Ok(())
    }

    /// Binds pitched memory.
    fn cuTexRefSetAddress2D_v3 | cuTexRefSetAddress2D_v2(hTexRef, desc, dptr, Pitch) {
        set_address_2d(hTexRef, desc.get()?, dptr, Pitch)
    }

    /// As `cuTexRefSetAddress2D_v2` for 32-bit addresses, which no memory has here.
    fn cuTexRefSetAddress2D(hTexRef, desc, dptr, Pitch) {
        let CUDA_ARRAY_DESCRIPTOR_v1 { width, height, format, num_channels } = desc.get()?;
        let (width, height) = (width as usize, height as usize);
        let wide = CUDA_ARRAY_DESCRIPTOR { width, height, format, num_channels };
        set_address_2d(hTexRef, wide, dptr.into(), Pitch as usize)
    }

    /// Sets the format of linear memory. Arrays and pitched memory have their own format.
    fn cuTexRefSetFormat(hTexRef, fmt, NumPackedComponents) {
        let channels = u32::try_from(NumPackedComponents).map_err(|_| invalid!("NumPackedComponents {NumPackedComponents} is negative"))?;
        let reference = hTexRef.get()?;
        format_of(["fmt", "NumPackedComponents"], fmt, channels)?;
        reference.set(|state| state.format = Some((fmt, channels)))
    }

    /// Sets the address mode along an axis.
    fn cuTexRefSetAddressMode(hTexRef, dim, am) {
        let (mode, reference, axis) = (address_mode(am)?, hTexRef.get()?, axis(dim)?);
        reference.set(|state| state.sampler.address_mode[axis] = mode)
    }

    /// Sets the minimum and maximum level of detail.
    fn cuTexRefSetMipmapLevelClamp(hTexRef, minMipmapLevelClamp, maxMipmapLevelClamp) {
        hTexRef.get()?.set(|state| {
            state.sampler.min_level_clamp = minMipmapLevelClamp;
            state.sampler.max_level_clamp = maxMipmapLevelClamp;
        })
    }

    /// Has no effect, as a kernel always uses the references of its module.
    fn cuParamSetTexRef(hfunc, texunit, hTexRef) {
        hfunc.get()?;
        hTexRef.get()?;
        if texunit == CU_PARAM_TR_DEFAULT { Ok(()) } else { Err(invalid!("texunit {texunit} is not CU_PARAM_TR_DEFAULT (-1)")) }
    }

    /// Binds an array that was created for surface access.
    fn cuSurfRefSetArray(hSurfRef, hArray, Flags) {
        let reference = hSurfRef.get()?;
        ensure!(Flags == 0, "Flags {Flags:#x} is not 0");
        reference.set(hArray)
    }

    /// Returns the array of a surface reference; `CUDA_ERROR_INVALID_VALUE` if none is bound.
    fn cuSurfRefGetArray(phArray, hSurfRef) {
        phArray.set(hSurfRef.get()?.get()?)
    }
}

/// Defines functions that set a member of a reference's state, and those that return it: the
/// member, the value of it that a parameter stands for, and the result that it is.
macro_rules! members {
    ($($(#[$doc:meta])*
    [$($member:ident).+] $set:ident($arg:ident) $value:block
    $get:ident($out:ident) |$found:ident| $of:expr;)*) => {
        driver_api! { in_context $(
            $(#[$doc])*
            fn $set(hTexRef, $arg) {
                let value = $value;
                hTexRef.get()?.set(|state| state.$($member).+ = value)
            }

            $(#[$doc])*
            fn $get($out, hTexRef) {
                let $found = hTexRef.get()?.state().$($member).+;
                $out.set($of)
            }
        )*}
    };
}

members! {
    /// The filter mode within a level.
    [sampler.filter] cuTexRefSetFilterMode(fm) { filter(fm)? }
    cuTexRefGetFilterMode(pfm) |filter| number(filter);
    /// The filter mode between levels.
    [sampler.mip_filter] cuTexRefSetMipmapFilterMode(fm) { filter(fm)? }
    cuTexRefGetMipmapFilterMode(pfm) |filter| number(filter);
    /// The bias of the level of detail.
    [sampler.level_bias] cuTexRefSetMipmapLevelBias(bias) { bias }
    cuTexRefGetMipmapLevelBias(pbias) |bias| bias;
    /// The maximum anisotropy.
    [sampler.max_anisotropy] cuTexRefSetMaxAnisotropy(maxAniso) { maxAniso }
    cuTexRefGetMaxAnisotropy(pmaxAniso) |most| most;
    /// The border colour, four floats.
    [sampler.border] cuTexRefSetBorderColor(pBorderColor) {
        pBorderColor.get()?.map(f32::to_bits)
    }
    cuTexRefGetBorderColor(pBorderColor) |border| border.map(f32::from_bits);
    /// The flags (`CU_TRSF_*`).
    [flags] cuTexRefSetFlags(Flags) {
        ensure!(
            Flags & !texture::FLAGS == 0,
            "Flags {Flags:#x} has bits that are not CU_TRSF flags: {:#x}",
            Flags & !texture::FLAGS
        );
        Flags
    }
    cuTexRefGetFlags(pFlags) |flags| flags;
}

fn number(filter: Filter) -> c_uint {
    if filter == Filter::Linear { CU_TR_FILTER_MODE_LINEAR } else { CU_TR_FILTER_MODE_POINT }
}

/// The axis of a number.
fn axis(dim: c_int) -> Answer<usize> {
    let axis = usize::try_from(dim).ok().filter(|&axis| axis < 3);
    axis.ok_or_else(|| invalid!("dim {dim} is not an axis of a texture: 0, 1 or 2"))
}

fn overrides(flags: c_uint) -> Answer {
    ensure!(flags == CU_TRSA_OVERRIDE_FORMAT, "Flags {flags} is not CU_TRSA_OVERRIDE_FORMAT (1)");
    Ok(())
}

/// Binds linear memory and returns the offset of the address from the first texel. The caller may
/// omit the offset only if it is 0.
fn set_address(
    reference: Handle<TextureReference>,
    address: CUdeviceptr,
    bytes: usize,
    aligned: bool,
) -> Answer<usize> {
    let cut = (address % ALIGN) as usize;
    let all = bytes.checked_add(cut).ok_or_else(|| {
        invalid!("bytes {bytes} from dptr {address:#x} on are more than 64 bits count")
    })?;
    ensure!(
        !aligned || cut == 0,
        "ByteOffset is null, and dptr {address:#x} is not a multiple of {ALIGN}, the texture alignment: the \
         offset of {} has to go somewhere",
        Count(cut, "byte")
    );
    reference.get()?.set(|state| {
        state.bound = match (address, bytes) {
            (0, 0) => Bound::Nothing,
            _ => Bound::Linear(address - cut as u64, all),
        };
    })?;
    Ok(cut)
}

fn set_address_2d(
    reference: Handle<TextureReference>,
    what: CUDA_ARRAY_DESCRIPTOR,
    address: CUdeviceptr,
    pitch: usize,
) -> Answer {
    format(what.format, what.num_channels)?;
    reference.get()?.set(|state| state.bound = Bound::Pitched(address, what, pitch))
}

driver_api! { in_context
    /// Address of the bound memory; `CUDA_ERROR_INVALID_VALUE` if there is none.
    fn cuTexRefGetAddress_v2(pdptr, hTexRef) {
        pdptr.set(address(hTexRef)?)
    }

    /// As `cuTexRefGetAddress_v2` for 32-bit addresses, which no memory has here.
    fn cuTexRefGetAddress(pdptr, hTexRef) {
        pdptr.set(u32::try_from(address(hTexRef)?).map_err(|_| invalid!(
            "the address of the texture's memory has more than 32 bits (cuTexRefGetAddress_v2 has 64)"
        ))?)
    }

    /// Returns the array of a texture reference; `CUDA_ERROR_INVALID_VALUE` if none is bound.
    fn cuTexRefGetArray(phArray, hTexRef) {
        match hTexRef.get()?.state().bound {
            Bound::Array(handle, _) => phArray.set(handle),
            _ => Err(invalid!("no array is bound to hTexRef")),
        }
    }

    /// The bound mipmapped array; `CUDA_ERROR_INVALID_VALUE` if there is none.
    fn cuTexRefGetMipmappedArray(phMipmappedArray, hTexRef) {
        match hTexRef.get()?.state().bound {
            Bound::Mipmapped(handle, _) => phMipmappedArray.set(handle),
            _ => Err(invalid!("no mipmapped array is bound to hTexRef")),
        }
    }

    /// The address mode along an axis.
    fn cuTexRefGetAddressMode(pam, hTexRef, dim) {
        let modes = hTexRef.get()?.state().sampler.address_mode;
        pam.set(match modes[axis(dim)?] {
            AddressMode::Wrap => CU_TR_ADDRESS_MODE_WRAP,
            AddressMode::Mirror => CU_TR_ADDRESS_MODE_MIRROR,
            // CUDA has no number for `clamp_ogl`, which only a PTX initialiser can set.
            AddressMode::Clamp | AddressMode::ClampOgl => CU_TR_ADDRESS_MODE_CLAMP,
            AddressMode::Border => CU_TR_ADDRESS_MODE_BORDER,
        })
    }

    /// The minimum and maximum level of detail; either out-pointer may be null.
    fn cuTexRefGetMipmapLevelClamp(pminMipmapLevelClamp, pmaxMipmapLevelClamp, hTexRef) {
        let sampler = hTexRef.get()?.state().sampler;
        pminMipmapLevelClamp.set_if(sampler.min_level_clamp);
        pmaxMipmapLevelClamp.set_if(sampler.max_level_clamp);
        Ok(())
    }

    /// The format of the bound memory or array, or the format that was set; either out-pointer may
    /// be null. `CUDA_ERROR_INVALID_VALUE` if there is neither.
    fn cuTexRefGetFormat(pFormat, pNumChannels, hTexRef) {
        let reference = hTexRef.get()?;
        let state = reference.state();
        let found = match &state.bound {
            Bound::Array(_, source) | Bound::Mipmapped(_, source) => numbers(source.format()),
            Bound::Pitched(_, what, _) => Some((what.format, what.num_channels)),
            Bound::Linear(..) | Bound::Nothing => state.format,
        };
        let (format, channels) = found.ok_or(CUresult::INVALID_VALUE.because(
            "hTexRef has no format: nothing with one is bound, and cuTexRefSetFormat was not called",
        ))?;
        pFormat.set_if(format);
        pNumChannels.set_if(channels);
        Ok(())
    }
}

fn address(reference: Handle<TextureReference>) -> Answer<CUdeviceptr> {
    match reference.get()?.state().bound {
        Bound::Linear(address, _) | Bound::Pitched(address, ..) => Ok(address),
        _ => Err(invalid!("no memory is bound to the texture reference")),
    }
}

driver_api! {
    /// Creates a texture reference that belongs to no module.
    fn cuTexRefCreate(pTexRef) {
        let context = current()?;
        pTexRef.give(|| texref::create(&context))
    }

    /// Creates a texture object. Integers that are read as integers may have a linear filter, which
    /// only the runtime refuses.
    fn cuTexObjectCreate(pTexObject, pResDesc, pTexDesc, pResViewDesc) {
        let context = current()?;
        pTexObject.give(|| texture::create(&context, &pResDesc.get()?, &pTexDesc.get()?, pResViewDesc.get_if()))
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

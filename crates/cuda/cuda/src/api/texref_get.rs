//! Functions that return the bindings and state of texture references (driver API, "Texture
//! Reference Management").

use crate::api::*;
use crate::format::numbers;
use crate::texref::{Bound, TextureReference};
use texunit_device::AddressMode;

driver_api! {
    /// Address of the bound memory; `CUDA_ERROR_INVALID_VALUE` if there is none.
    fn cuTexRefGetAddress_v2(pdptr, hTexRef) {
        current()?;
        pdptr.set(address(hTexRef)?)
    }

    /// As `cuTexRefGetAddress_v2` for 32-bit addresses, which no memory has here.
    fn cuTexRefGetAddress(pdptr, hTexRef) {
        current()?;
        pdptr.set(u32::try_from(address(hTexRef)?).map_err(|_| invalid!(
            "the address of the texture's memory has more than 32 bits (cuTexRefGetAddress_v2 has 64)"
        ))?)
    }

    /// The bound array; `CUDA_ERROR_INVALID_VALUE` if there is none.
    fn cuTexRefGetArray(phArray, hTexRef) {
        current()?;
        match hTexRef.get()?.state().bound {
            Bound::Array(handle, _) => phArray.set(handle),
            _ => Err(invalid!("no array is bound to hTexRef")),
        }
    }

    /// The bound mipmapped array; `CUDA_ERROR_INVALID_VALUE` if there is none.
    fn cuTexRefGetMipmappedArray(phMipmappedArray, hTexRef) {
        current()?;
        match hTexRef.get()?.state().bound {
            Bound::Mipmapped(handle, _) => phMipmappedArray.set(handle),
            _ => Err(invalid!("no mipmapped array is bound to hTexRef")),
        }
    }

    /// The address mode along an axis.
    fn cuTexRefGetAddressMode(pam, hTexRef, dim) {
        current()?;
        let modes = hTexRef.get()?.state().sampler.address_mode;
        let mode = usize::try_from(dim).ok().and_then(|i| modes.get(i).copied());
        pam.set(match mode.ok_or_else(|| super::texref::no_axis(dim))? {
            AddressMode::Wrap => CU_TR_ADDRESS_MODE_WRAP,
            AddressMode::Mirror => CU_TR_ADDRESS_MODE_MIRROR,
            // CUDA has no number for `clamp_ogl`, which only a PTX initialiser can set.
            AddressMode::Clamp | AddressMode::ClampOgl => CU_TR_ADDRESS_MODE_CLAMP,
            AddressMode::Border => CU_TR_ADDRESS_MODE_BORDER,
        })
    }

    /// The minimum and maximum level of detail; either out-pointer may be null.
    fn cuTexRefGetMipmapLevelClamp(pminMipmapLevelClamp, pmaxMipmapLevelClamp, hTexRef) {
        current()?;
        let sampler = hTexRef.get()?.state().sampler;
        pminMipmapLevelClamp.set_if(sampler.min_level_clamp);
        pmaxMipmapLevelClamp.set_if(sampler.max_level_clamp);
        Ok(())
    }

    /// The format of the bound memory or array, or the format that was set; either out-pointer may
    /// be null. `CUDA_ERROR_INVALID_VALUE` if there is neither.
    fn cuTexRefGetFormat(pFormat, pNumChannels, hTexRef) {
        current()?;
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

//! Modules (driver API, "Module Management"). All kernels of a module are loaded with it.

use crate::api::*;
use crate::image::{Content, Image};
use crate::module_options::JitOptions;
use crate::origin::Origin;
use crate::{context, module};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

driver_api! {
    /// Loads a module from a file with PTX or a fatbin.
    fn cuModuleLoad(module, fname) {
        module.check()?;
        let context = context::current()?;
        let (image, name) = file(fname)?;
        load(module, &context, (&image, &name), &JitOptions::default())
    }

    /// Loads a module from zero-terminated PTX or a fatbin, with options. Messages are written to
    /// the log buffers.
    fn [cuModuleLoadData] cuModuleLoadDataEx(
        module, image, [numOptions = 0], [options = In::null()], [optionValues = InOut::null()],
    ) {
        let given = (numOptions, options, optionValues);
        // SAFETY: the options are valid as the driver API requires.
        let jit = unsafe { JitOptions::read(given)? };
        module.check()?;
        let context = context::current()?;
        // SAFETY: the image is of a kind that the driver API accepts, and valid during the call.
        load(module, &context, (&unsafe { Image::at(image)? }, "ptx"), &jit)
    }

    /// Loads a module from a fatbin; `CUDA_ERROR_INVALID_IMAGE` for anything else.
    fn cuModuleLoadFatBinary(module, fatCubin) {
        module.check()?;
        let context = context::current()?;
        // SAFETY: the image is of a kind that the driver API accepts, and valid during the call.
        let image = unsafe { Image::at(fatCubin)? };
        ensure!(
            !matches!(image.content, Content::Text(_)),
            CUresult::INVALID_IMAGE,
            "fatCubin points to text, not to a fatbin (cuModuleLoadData takes PTX)"
        );
        load(module, &context, (&image, "ptx"), &JitOptions::default())
    }

    /// Unloads a module and its kernels.
    fn cuModuleUnload(hmod) {
        context::current()?;
        module::unload(hmod)?;
        crate::texref::release_module(hmod);
        Ok(())
    }

    /// The kernel of a name in the PTX.
    fn cuModuleGetFunction(hfunc, hmod, name) {
        hfunc.check()?;
        context::current()?;
        hfunc.set(hmod.get()?.function(&name.get()?)?)
    }

    /// Number of kernels in a module.
    fn cuModuleGetFunctionCount(count, hmod) {
        count.give(|| Ok(hmod.get()?.functions.len() as c_uint))
    }

    /// Handles of a module's kernels in source order, as many as fit.
    fn cuModuleEnumerateFunctions(functions[numFunctions], numFunctions, hmod) {
        functions.set_all(hmod.get()?.functions.iter().copied())
    }

    /// Address and size of a variable; either out-pointer may be null, but not both.
    fn cuModuleGetGlobal_v2(dptr, bytes, hmod, name) {
        give_global(global(hmod, name, dptr.is_null() && bytes.is_null())?, dptr, bytes)
    }

    /// Loading mode of modules, which is always eager.
    fn cuModuleGetLoadingMode(mode) {
        mode.set(CU_MODULE_EAGER_LOADING)
    }
}

/// Address and size of a variable, unless both out-pointers are null.
pub(super) fn global(
    module: Handle<Module>,
    name: Text<'_>,
    are_null: bool,
) -> Answer<(CUdeviceptr, usize)> {
    context::current()?;
    let module = module.get()?;
    ensure!(!are_null, "dptr and bytes are both null: nothing is asked for");
    module.global(&name.get()?)
}

/// Returns address and size of a variable; either out-pointer may be null.
pub(super) fn give_global(
    (address, size): (CUdeviceptr, usize),
    dptr: Out<'_, CUdeviceptr>,
    bytes: Out<'_, usize>,
) -> Answer {
    dptr.set_if(address);
    bytes.set_if(size);
    Ok(())
}

/// Reads a file; `CUDA_ERROR_FILE_NOT_FOUND` on failure. Messages use its name, which may contain
/// any bytes.
pub(super) fn file(name: Text<'_>) -> Answer<(Image, String)> {
    let name = OsString::from_vec(name.bytes()?);
    let bytes = std::fs::read(&name).map_err(|error| {
        CUresult::FILE_NOT_FOUND.because(format!("the file {name:?} cannot be read: {error}"))
    })?;
    let text = name.to_string_lossy().into_owned();
    Ok((Image::of(bytes, Origin::Named(name.into())), text))
}

/// Loads an image with its name. The runtime never unloads modules, so that only other programs
/// must.
fn load(
    module: Out<'_, Handle<Module>>,
    context: &Context,
    image: (&Image, &str),
    jit: &JitOptions<'_>,
) -> Answer {
    let loaded = module::load(context.into(), image, jit)?;
    if !crate::current_call::has_runtime() {
        crate::check_log::created(loaded.number());
    }
    module.set(loaded)
}

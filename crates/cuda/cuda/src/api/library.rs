//! Libraries and their kernels (driver API, "Library Management").

use crate::api::module::{file, give_global};
use crate::api::*;
use crate::context;
use crate::image::Image;
use crate::library::{self, Library};
use crate::module_options::{JitOptions, RawOptions};

driver_api! {
    /// Creates a library from PTX text or a fatbin, which is copied. It is loaded into a context
    /// when it is first used there, or immediately if log buffers are given.
    fn cuLibraryLoadData(
        library, code, jitOptions, jitOptionsValues, numJitOptions,
        libraryOptions[numLibraryOptions], libraryOptionValues, numLibraryOptions,
    ) {
        let jit = (numJitOptions, jitOptions, jitOptionsValues);
        // SAFETY: the image is of a kind that the driver API accepts, and valid during the call.
        let image = || Ok((unsafe { Image::at(code)? }, "ptx".to_owned()));
        // SAFETY: the options are valid as the driver API requires.
        unsafe { load(library, jit, (libraryOptions, libraryOptionValues), image) }
    }

    /// Creates a library from a file.
    fn cuLibraryLoadFromFile(
        library, fileName, jitOptions, jitOptionsValues, numJitOptions,
        libraryOptions[numLibraryOptions], libraryOptionValues, numLibraryOptions,
    ) {
        let jit = (numJitOptions, jitOptions, jitOptionsValues);
        // SAFETY: the options are valid as the driver API requires.
        unsafe { load(library, jit, (libraryOptions, libraryOptionValues), || file(fileName)) }
    }

    /// Unloads a library, in every context.
    fn cuLibraryUnload(library) {
        library::unload(library)
    }

    /// The kernel of a name in the PTX.
    fn cuLibraryGetKernel(pKernel, library, name) {
        pKernel.give(|| library.get()?.kernel(&name.get()?))
    }

    /// Number of kernels in a library.
    fn cuLibraryGetKernelCount(count, lib) {
        count.give(|| Ok(lib.get()?.kernels.len() as c_uint))
    }

    /// Handles of a library's kernels in source order, as many as fit.
    fn cuLibraryEnumerateKernels(kernels[numKernels], numKernels, lib) {
        kernels.set_all(lib.get()?.kernels.iter().copied())
    }

    /// The module of a library in the current context.
    fn cuLibraryGetModule(pMod, library) {
        pMod.give(|| library.get()?.module(&*context::current()?))
    }

    /// Address and size of a variable in the current context; either out-pointer may be null.
    fn cuLibraryGetGlobal(dptr, bytes, library, name) {
        let module = library.get()?.module(&*context::current()?)?.get()?;
        give_global(module.global(&name.get()?)?, dptr, bytes)
    }

    /// Address and size of a `__managed__` variable. Without a current context it is that of the
    /// first device's primary context, as each context has its own variable.
    fn cuLibraryGetManaged(dptr, bytes, library, name) {
        let (library, name) = (library.get()?, name.get()?);
        ensure!(
            library.is_managed(&name),
            CUresult::NOT_FOUND,
            "the library has no managed variable `{name}`"
        );
        give_global(library.module_somewhere()?.get()?.global(&name)?, dptr, bytes)
    }

    /// Pointer to a function that host and device can both call; no module here has any.
    fn cuLibraryGetUnifiedFunction(fptr, library, symbol) {
        fptr.check()?;
        library.get()?;
        symbol.get()?;
        Err(invalid!(
            "the library has no function {symbol:?} that host and device call through one pointer: no module has \
             any here"
        ))
    }

    /// The function of a kernel in the current context.
    fn cuKernelGetFunction(pFunc, kernel) {
        pFunc.give(|| library::function(kernel, &*context::current()?))
    }

    /// The library of a kernel.
    fn cuKernelGetLibrary(pLib, kernel) {
        pLib.give(|| Ok(kernel.get()?.library))
    }

    /// Name of a kernel in the PTX. The text lives as long as the library.
    fn cuKernelGetName(name, hfunc) {
        name.give(|| Ok(hfunc.get()?.name.as_ptr()))
    }

    /// An attribute of a kernel on a device.
    fn cuKernelGetAttribute(pi, attrib, kernel, dev) {
        pi.give(|| kernel.get()?.on(dev)?.attribute(attrib))
    }

    /// Sets an attribute of a kernel on a device, in all its contexts.
    fn cuKernelSetAttribute(attrib, val, kernel, dev) {
        kernel.get()?.set_attribute(dev, attrib, val)
    }

    /// Sets a kernel's cache preference, which has no effect.
    fn cuKernelSetCacheConfig(kernel, config, dev) {
        kernel.get()?;
        crate::state::gpu(dev)?;
        ensure!(config <= 3, "config {config} is not a CUfunc_cache: 0 to 3");
        Ok(())
    }

    /// Offset and size of a parameter in the parameter buffer; the out-pointer of the size may be
    /// null.
    fn cuKernelGetParamInfo(kernel, paramIndex, paramOffset, paramSize) {
        paramOffset.check()?;
        let function = library::function(kernel, &*context::current()?)?.get()?;
        let (offset, size) = function.parameter(paramIndex)?;
        paramSize.set_if(size);
        paramOffset.set(offset)
    }

    /// Number of a kernel's parameters.
    fn cuKernelGetParamCount(kernel, paramCount) {
        paramCount.check()?;
        let function = library::function(kernel, &*context::current()?)?.get()?;
        paramCount.set(function.kernel.params().len())
    }
}

/// Creates a library from an image and its name.
///
/// # Safety
/// The arguments satisfy the safety contract of [`JitOptions::read`].
unsafe fn load(
    library: Out<'_, Handle<Library>>,
    jit: RawOptions<'_>,
    of_library: (Elements<'_, c_uint>, Raw<'_>),
    image: impl FnOnce() -> Answer<(Image, String)>,
) -> Answer {
    library.check()?;
    // SAFETY: the caller upholds this function's safety contract.
    let jit = unsafe { JitOptions::read(jit)? };
    library_options(of_library)?;
    let (image, name) = image()?;
    library.set(library::load(image, &name, &jit)?)
}

/// Checks library options: a table of host functions (0), which no module here has, and preserved
/// images (1), which are copied anyway.
fn library_options((options, values): (Elements<'_, c_uint>, Raw<'_>)) -> Answer {
    ensure!(
        options.is_empty() || !values.is_null(),
        "libraryOptionValues is null, and numLibraryOptions is {}",
        options.len()
    );
    match options.to_vec()?.iter().find(|&&option| option > 1) {
        None => Ok(()),
        Some(option) => {
            Err(invalid!("libraryOptions has {option}, which is not a CUlibraryOption: 0 or 1"))
        }
    }
}

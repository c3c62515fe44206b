//! Linking (driver API, "Module Management"): PTX texts become one text, which `cuModuleLoadData`
//! takes. Machine code, objects, libraries of objects and NVVM code cannot be linked here, but for NVIDIA's
//! runtime of the device, in whose place our own comes.

use crate::api::module::file;
use crate::args::{Answer, In, InOut, Out, Raw, Text};
use crate::call::{driver_api, say};
use crate::context;
use crate::fatbin;
use crate::handle::{Handle, object};
use crate::image::{Content, Image, Ptx, unlinked};
use crate::module::unreadable;
use crate::module_options::{Given, Jit};
use crate::origin::Origin;
use crate::profile::Profile;
use crate::refused::say_refused;
use std::ffi::c_uint;
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_cuda_abi::{CUresult, jit_input};
use texunit_link::{limited, link};
use texunit_syntax::{Diagnostic, SourceFile};

/// Texts that are being linked (`CUlinkState`).
#[derive(Debug)]
pub(crate) struct LinkState {
    /// What it leads to is there until the caller destroys the state.
    jit: Jit<'static>,
    parts: Mutex<Parts>,
}

#[derive(Debug, Default)]
struct Parts {
    inputs: Vec<Ptx>,
    /// Whether the runtime of the device was given.
    runtime: bool,
    /// The result, with a zero byte at its end. It lives as long as the state.
    result: Option<Box<[u8]>>,
}

object!(LinkState, "a linker invocation of cuLinkCreate");

impl LinkState {
    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one more input. Its own options go before those of the whole.
    fn add(&self, image: &Image, name: &str, jit: &Jit<'_>, device: &Profile) -> Answer {
        let ptx = match image.content {
            Content::DeviceRuntime => None,
            _ => Some(self.text(image, name, jit, device)?),
        };
        let mut parts = self.parts();
        if parts.result.is_some() {
            return Err(CUresult::INVALID_VALUE
                .because("state has been completed by cuLinkComplete, and takes no more input"));
        }
        match ptx {
            Some(ptx) => parts.inputs.push(ptx),
            None => parts.runtime = true,
        }
        Ok(())
    }

    /// The text of an input.
    fn text(&self, image: &Image, name: &str, jit: &Jit<'_>, device: &Profile) -> Answer<Ptx> {
        let ptx = image.ptx(name, device)?;
        let source = SourceFile::new(ptx.name.as_str(), ptx.text.as_str());
        let diagnostics = texunit_syntax::parse(&source).diagnostics;
        if diagnostics.iter().any(Diagnostic::is_error) {
            if !self.jit.report(&source, &diagnostics) {
                let text = texunit_report::human(&source, &diagnostics, false);
                say(format_args!("a text cannot be linked\n{}", text.trim_end()));
            }
            return Err(CUresult::INVALID_PTX.because(unreadable(&source, &diagnostics)));
        }
        let limit = jit.registers.or(self.jit.registers);
        Ok(limited(ptx, limit, fatbin::architecture(device.capability)))
    }
}

driver_api! {
    /// Begins to link. The log buffers of the options must live as long as the state.
    fn cuLinkCreate | cuLinkCreate_v2(
        numOptions: c_uint,
        options: In<'static, c_uint>,
        optionValues: InOut<'static, usize>,
        stateOut: Out<Handle<LinkState>>,
    ) {
        let given = Given { count: numOptions, options, values: optionValues };
        // SAFETY: the options are as the driver API's page says, and what they lead to lives as long as the state, of which
        // nothing is left when the caller has destroyed it.
        unsafe { create(given, stateOut) }
    }

    /// Takes a text or a fatbin with one, or the runtime of the device (`libcudadevrt.a`).
    fn cuLinkAddData | cuLinkAddData_v2(
        state: Handle<LinkState>,
        r#type: c_uint,
        data: Raw,
        size: usize,
        name: Text,
        numOptions: c_uint,
        options: In<c_uint>,
        optionValues: InOut<usize>,
    ) {
        let given = Given { count: numOptions, options, values: optionValues };
        // SAFETY: the caller says that there are so many, and the options are as the driver API's page says.
        unsafe { add_data(state, r#type, data, size, name, given) }
    }

    /// Takes a file with a text or a fatbin, or the runtime of the device (`libcudadevrt.a`).
    fn cuLinkAddFile | cuLinkAddFile_v2(
        state: Handle<LinkState>,
        r#type: c_uint,
        path: Text,
        numOptions: c_uint,
        options: In<c_uint>,
        optionValues: InOut<usize>,
    ) {
        let given = Given { count: numOptions, options, values: optionValues };
        // SAFETY: the options are valid as the driver API requires.
        unsafe { add_file(state, r#type, path, given) }
    }

    /// Links. The result is PTX text with a zero byte at its end, which belongs to the state.
    fn cuLinkComplete(state: Handle<LinkState>, cubinOut: Out<*const u8>, sizeOut: Out<usize>) {
        cubinOut.check()?;
        let state = state.get()?;
        context::current()?;
        let mut parts = state.parts();
        if parts.result.is_none() {
            let linked = link(parts.inputs.clone(), parts.runtime).map_err(|why| {
                let why = unlinked(&why);
                let reason = format!("linking failed: {}", why.trim_end());
                if !state.jit.fail(&why) {
                    say_refused(&reason);
                }
                CUresult::INVALID_PTX.because(reason)
            })?;
            let mut bytes = linked.text.into_bytes();
            bytes.push(0);
            parts.result = Some(bytes.into_boxed_slice());
        }
        let result = parts.result.as_deref().unwrap_or_default();
        sizeOut.set_if(result.len());
        cubinOut.set(result.as_ptr())
    }

    /// Ends linking, and with it the result.
    fn cuLinkDestroy(state: Handle<LinkState>) {
        state.take().map(|_| ())
    }
}

/// # Safety
/// That of [`Jit::read`], for as long as the state is there.
unsafe fn create(given: Given<'static>, state: Out<'_, Handle<LinkState>>) -> Answer {
    use crate::handle::Object;
    state.check()?;
    context::current()?;
    // SAFETY: the caller upholds this function's safety contract.
    let jit = unsafe { Jit::read(given)? };
    state.set(LinkState::registry().insert(LinkState { jit, parts: Mutex::default() }))
}

/// # Safety
/// There are `size` bytes of data; and that of [`Jit::read`].
unsafe fn add_data(
    state: Handle<LinkState>,
    kind: c_uint,
    data: Raw<'_>,
    size: usize,
    name: Text<'_>,
    given: Given<'_>,
) -> Answer {
    let state = state.get()?;
    let context = context::current()?;
    // SAFETY: the caller upholds this function's safety contract.
    let jit = unsafe { Jit::read(given)? };
    if data.is_null() || size == 0 {
        let name = if data.is_null() { "data is null" } else { "size is 0" };
        return Err(
            CUresult::INVALID_VALUE.because(format!("{name}: an input has at least one byte"))
        );
    }
    // SAFETY: the caller upholds this function's safety contract.
    let bytes = unsafe { data.bytes(size) }.to_vec()?;
    let name = if name.is_null() { "input.ptx".to_owned() } else { name.get()? };
    let image = input(kind, Image::of(bytes, Origin::At(data.address())))?;
    state.add(&image, &name, &jit, context.gpu.profile)
}

/// # Safety
/// That of [`Jit::read`].
unsafe fn add_file(
    state: Handle<LinkState>,
    kind: c_uint,
    path: Text<'_>,
    given: Given<'_>,
) -> Answer {
    let state = state.get()?;
    let context = context::current()?;
    // SAFETY: the caller upholds this function's safety contract.
    let jit = unsafe { Jit::read(given)? };
    let (image, name) = file(path)?;
    state.add(&input(kind, image)?, &name, &jit, context.gpu.profile)
}

/// An input, if it is of the kind that it is said to be.
fn input(kind: c_uint, image: Image) -> Answer<Image> {
    match (kind, &image.content) {
        // What `texunit run` gives a program that has nvrtc compile to machine code (docs/cuda-api.md, "nvrtc").
        (jit_input::PTX | jit_input::CUBIN, Content::Text(_))
        | (jit_input::FATBINARY | jit_input::OBJECT | jit_input::LIBRARY, Content::Fatbin(_))
        | (jit_input::LIBRARY, Content::DeviceRuntime) => Ok(image),
        (jit_input::PTX, other) => Err(CUresult::INVALID_PTX
            .because(format!("type is CU_JIT_INPUT_PTX, but the input is {}", other.name()))),
        (jit_input::FATBINARY, other) => Err(CUresult::INVALID_IMAGE
            .because(format!("type is CU_JIT_INPUT_FATBINARY, but the input is {}", other.name()))),
        (jit_input::CUBIN, other) => Err(CUresult::NO_BINARY_FOR_GPU.because(format!(
            "type is CU_JIT_INPUT_CUBIN and the input is {}: texunit links PTX, and no machine code",
            other.name()
        ))),
        (jit_input::OBJECT | jit_input::LIBRARY | jit_input::NVVM, _) => {
            let reason = "objects, libraries and NVVM code cannot be linked: texunit links PTX and fatbins, and \
                          knows libcudadevrt.a";
            say_refused(reason);
            Err(CUresult::NOT_SUPPORTED.because(reason))
        }
        _ => Err(CUresult::INVALID_VALUE
            .because(format!("type {kind} is not a CUjitInputType of cuda.h"))),
    }
}

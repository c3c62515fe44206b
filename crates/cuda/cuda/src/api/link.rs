//! Linking (driver API, "Module Management"): links PTX inputs to one text, which
//! `cuModuleLoadData` accepts. Machine code, objects, libraries and NVVM code cannot be linked,
//! except for NVIDIA's device runtime, which is replaced by texunit's.

use crate::api::module::file;
use crate::api::*;
use crate::context;
use crate::image::{Content, Image, Ptx, unlinked};
use crate::module::refused;
use crate::module_options::{JitOptions, RawOptions};
use crate::origin::Origin;
use texunit_link::{limited, link};
use texunit_syntax::{Diagnostic, SourceFile};

/// State of a linking process (`CUlinkState`).
#[derive(Debug)]
pub(crate) struct LinkState {
    /// The log buffers of the options are valid until the caller destroys the state.
    jit: JitOptions<'static>,
    parts: Mutex<Parts>,
}

#[derive(Debug, Default)]
struct Parts {
    inputs: Vec<Ptx>,
    /// Whether the device runtime is an input.
    runtime: bool,
    /// The result with a terminating zero, which lives as long as the state.
    result: Option<Box<[u8]>>,
}

object!(LinkState, "a linker invocation of cuLinkCreate");

impl LinkState {
    /// Adds an input. Its own options take precedence over those of the state.
    fn add(&self, image: &Image, name: &str, jit: &JitOptions<'_>, device: &Card) -> Answer {
        let ptx = match image.content {
            Content::DeviceRuntime => None,
            _ => Some(self.text(image, name, jit, device)?),
        };
        let mut parts = lock(&self.parts);
        ensure!(
            parts.result.is_none(),
            "state has been completed by cuLinkComplete, and takes no more input"
        );
        match ptx {
            Some(ptx) => parts.inputs.push(ptx),
            None => parts.runtime = true,
        }
        Ok(())
    }

    /// The PTX of an input.
    fn text(&self, image: &Image, name: &str, jit: &JitOptions<'_>, device: &Card) -> Answer<Ptx> {
        let ptx = image.ptx(name, device)?;
        let source = SourceFile::new(ptx.name.as_str(), ptx.text.as_str());
        let diagnostics = texunit_syntax::parse(&source).diagnostics;
        if diagnostics.iter().any(Diagnostic::is_error) {
            let (located, code) = ((&source).into(), CUresult::INVALID_PTX);
            return Err(refused(&self.jit, "a text for linking", located, &diagnostics, code));
        }
        Ok(limited(ptx, jit.registers.or(self.jit.registers), device.capability.number()))
    }
}

driver_api! {
    /// Creates a linking state. The log buffers of its options must live as long as the state.
    fn cuLinkCreate | cuLinkCreate_v2(numOptions, options, optionValues, stateOut) {
        stateOut.check()?;
        context::current()?;
        let given = (numOptions, options, optionValues);
        // SAFETY: the options are valid as the driver API requires, and their buffers live as long
        // as the state, which the caller destroys.
        let jit = unsafe { JitOptions::read(given)? };
        stateOut.set(LinkState::registry().insert(LinkState { jit, parts: Mutex::default() }))
    }

    /// Adds PTX, a fatbin with PTX, or the device runtime (`libcudadevrt.a`) from memory.
    fn cuLinkAddData | cuLinkAddData_v2(
        state, r#type, data, size, name, numOptions, options, optionValues,
    ) {
        let given = (numOptions, options, optionValues);
        let of_data = || {
            if data.is_null() || size == 0 {
                let name = if data.is_null() { "data is null" } else { "size is 0" };
                bail!("{name}: an input has at least one byte");
            }
            // SAFETY: the caller guarantees the size of the data.
            let bytes = unsafe { data.bytes(size) }.to_vec()?;
            let name = if name.is_null() { "input.ptx".to_owned() } else { name.get()? };
            Ok((Image::of(bytes, Origin::At(data.address())), name))
        };
        // SAFETY: the options are valid as the driver API requires.
        unsafe { add(state, r#type, given, of_data) }
    }

    /// Adds PTX, a fatbin with PTX, or the device runtime (`libcudadevrt.a`) from a file.
    fn cuLinkAddFile | cuLinkAddFile_v2(state, r#type, path, numOptions, options, optionValues) {
        let given = (numOptions, options, optionValues);
        // SAFETY: the options are valid as the driver API requires.
        unsafe { add(state, r#type, given, || file(path)) }
    }

    /// Links the inputs. The result is PTX with a terminating zero, owned by the state.
    fn cuLinkComplete(state, cubinOut, sizeOut) {
        cubinOut.check()?;
        let state = state.get()?;
        context::current()?;
        let mut parts = lock(&state.parts);
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

    /// Destroys a linking state and its result.
    fn cuLinkDestroy(state) {
        state.take().map(|_| ())
    }
}

/// Adds an input, given its declared kind and a function that reads it and returns its name.
///
/// # Safety
/// The arguments satisfy the safety contract of [`JitOptions::read`].
unsafe fn add(
    state: Handle<LinkState>,
    kind: c_uint,
    given: RawOptions<'_>,
    read: impl FnOnce() -> Answer<(Image, String)>,
) -> Answer {
    let state = state.get()?;
    let context = context::current()?;
    // SAFETY: the caller upholds this function's safety contract.
    let jit = unsafe { JitOptions::read(given)? };
    let (image, name) = read()?;
    state.add(&input(kind, image)?, &name, &jit, context.gpu.card)
}

/// Checks that an input is of the declared kind.
fn input(kind: c_uint, image: Image) -> Answer<Image> {
    match (kind, &image.content) {
        // PTX declared as machine code comes from nvrtc under `texunit run` (docs/cuda-api.md,
        // "nvrtc").
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
            Err(printed_refusal(CUresult::NOT_SUPPORTED, reason))
        }
        _ => Err(invalid!("type {kind} is not a CUjitInputType of cuda.h")),
    }
}

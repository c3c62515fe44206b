//! Texture and surface references: the `.texref` and `.surfref` variables of modules, and texture
//! references created by `cuTexRefCreate`.
//!
//! A module's reference is bound on the device whenever its state changes, so that a launch uses
//! the latest state.

use crate::array::{ArrayObject, MipmapObject};
use crate::context::Context;
use crate::format::format;
use crate::module::Module;
use crate::prelude::*;
use crate::texture::{self, Source};
use texunit_device::{Device, OpaqueKind, Sampler, TextureDescriptor};

/// The module variable of a reference.
#[derive(Clone, Debug)]
struct Variable {
    module: Handle<Module>,
    name: String,
}

/// The object behind a `CUtexref` handle: a texture reference.
#[derive(Debug)]
pub(crate) struct TextureReference {
    pub(crate) context: Handle<Context>,
    device: Device,
    /// The module variable; `None` for a reference created by `cuTexRefCreate`.
    variable: Option<Variable>,
    state: Mutex<TextureState>,
}

object!(TextureReference, "a texture reference");

#[derive(Clone, Debug)]
pub(crate) struct TextureState {
    /// Sampler state, except for the flags.
    pub(crate) sampler: Sampler,
    /// Flags of the reference (`CU_TRSF_*`).
    pub(crate) flags: u32,
    /// `CU_AD_FORMAT_*` and channels for linear memory.
    pub(crate) format: Option<(u32, u32)>,
    /// The bound resource.
    pub(crate) bound: Bound,
}

/// The resource that a texture reference reads.
#[derive(Clone, Debug)]
pub(crate) enum Bound {
    /// No resource is bound.
    Nothing,
    /// An array is bound, with the device's description of it.
    Array(Handle<ArrayObject>, Source),
    /// A mipmapped array is bound, with the device's description of it.
    Mipmapped(Handle<MipmapObject>, Source),
    /// Linear memory: address and size in bytes.
    Linear(u64, usize),
    /// Pitched memory: address, extent with format, pitch.
    Pitched(u64, CUDA_ARRAY_DESCRIPTOR, usize),
}

impl TextureState {
    /// The device's description of the bound resource; `None` if nothing is bound, or the format of
    /// linear memory has not been set yet.
    ///
    /// `CUDA_ERROR_INVALID_VALUE` if memory is not allocated.
    fn source(&self, device: &Device) -> Answer<Option<Source>> {
        let devices = std::slice::from_ref(device);
        Ok(match &self.bound {
            Bound::Nothing => None,
            Bound::Array(_, source) | Bound::Mipmapped(_, source) => Some(source.clone()),
            &Bound::Linear(address, bytes) => {
                let (number, channels) = self.format.unwrap_or((CU_AD_FORMAT_UNSIGNED_INT8, 1));
                let source = Source::linear(devices, address, bytes, format(number, channels)?)?;
                self.format.map(|_| source)
            }
            Bound::Pitched(address, what, pitch) => {
                let format = format(what.format, what.num_channels)?;
                let size = [what.width, what.height];
                Some(Source::pitched(devices, *address, size, *pitch, format)?)
            }
        })
    }
}

impl TextureReference {
    /// The mutable state.
    pub(crate) fn state(&self) -> MutexGuard<'_, TextureState> {
        lock(&self.state)
    }

    /// Changes the state, and binds the result.
    pub(crate) fn set(&self, change: impl FnOnce(&mut TextureState)) -> Answer {
        let mut state = self.state();
        let mut new = state.clone();
        change(&mut new);
        self.bind(&new, new.source(&self.device)?)?;
        *state = new;
        Ok(())
    }

    /// Binds the variable to the current state. An inconsistent state leaves it unbound, as the
    /// program may be about to complete it; a fetch would then be a fault, and the reason is
    /// printed here.
    fn bind(&self, state: &TextureState, source: Option<Source>) -> Answer {
        let Some(variable) = &self.variable else { return Ok(()) };
        let module = &variable.module.get()?.loaded;
        let Some(source) = source else {
            module.unbind(&variable.name);
            return Ok(());
        };
        let name = &variable.name;
        let reason = match texture::descriptor(&source, state.flags, state.sampler) {
            Ok(descriptor) => match module.bind_texture(name, &source.resource(), &descriptor) {
                Ok(warnings) => {
                    warnings.iter().for_each(|warning| say(format_args!("{warning}")));
                    return Ok(());
                }
                Err(error) => error.to_string(),
            },
            Err(_) => format!("its flags do not go with {} texels", source.format()),
        };
        module.unbind(name);
        say(format_args!("texture reference `{name}` is not bound: {reason}"));
        Ok(())
    }
}

/// The object behind a `CUsurfref` handle: a surface reference.
#[derive(Debug)]
pub(crate) struct SurfaceReference {
    context: Handle<Context>,
    variable: Variable,
    bound: Mutex<Option<Handle<ArrayObject>>>,
}

object!(SurfaceReference, "a surface reference");

impl SurfaceReference {
    /// Binds an array that was created for surface access.
    pub(crate) fn set(&self, handle: Handle<ArrayObject>) -> Answer {
        let array = handle.get()?;
        ensure!(
            array.descriptor.flags & CUDA_ARRAY3D_SURFACE_LDST != 0,
            "hArray was made without CUDA_ARRAY3D_SURFACE_LDST, which surface references need"
        );
        let module = self.variable.module.get()?;
        let warnings = module.loaded.bind_surface(&self.variable.name, &array.array);
        for warning in warnings.map_err(refusal)? {
            say(format_args!("{warning}"));
        }
        *lock(&self.bound) = Some(handle);
        Ok(())
    }

    /// The bound array; `CUDA_ERROR_INVALID_VALUE` if there is none.
    pub(crate) fn get(&self) -> Answer<Handle<ArrayObject>> {
        let bound = lock(&self.bound);
        bound.ok_or(CUresult::INVALID_VALUE.because("no array is bound to hSurfRef"))
    }
}

/// Held while references of modules are made or destroyed: a module has one for each variable.
static CHANGES: Mutex<()> = Mutex::new(());

/// The reference of a module, created at the first request.
fn of_module<T: Object>(
    module: Handle<Module>,
    kind: OpaqueKind,
    name: &str,
    variable_of: fn(&T) -> Option<&Variable>,
    make: impl FnOnce(&Module, Variable, TextureDescriptor) -> Answer<T>,
) -> Answer<Handle<T>> {
    let _changes = lock(&CHANGES);
    // A thread that unloads a module removes it from its registry before its references, so that
    // the module is looked up under the lock.
    let found = module.get()?;
    let is_it = |one: &T| variable_of(one).is_some_and(|v| v.module == module && v.name == name);
    if let Some((handle, _)) = T::registry().all_with_handles(is_it).first() {
        return Ok(Handle::of(*handle));
    }
    let variables = found.loaded.opaque_variables();
    let Some(known) = variables.iter().find(|v| v.name == name && v.kind == kind) else {
        let what = if kind == OpaqueKind::Surface { "surface" } else { "texture" };
        let module = found.loaded.source().name();
        bail!(CUresult::NOT_FOUND, "module `{module}` has no {what} reference `{name}`");
    };
    let initial = known.initial;
    let variable = Variable { module, name: name.to_owned() };
    Ok(T::registry().insert(make(&found, variable, initial)?))
}

/// The reference of a `.texref`, initially with the state of its initialiser. Repeated calls return
/// the same handle.
pub(crate) fn texture_of(module: Handle<Module>, name: &str) -> Answer<Handle<TextureReference>> {
    of_module(
        module,
        OpaqueKind::Texture,
        name,
        |reference: &TextureReference| reference.variable.as_ref(),
        |found, variable, initial| Ok(reference(&*found.context.get()?, Some(variable), &initial)),
    )
}

/// The reference of a `.surfref`. Repeated calls return the same handle.
pub(crate) fn surface_of(module: Handle<Module>, name: &str) -> Answer<Handle<SurfaceReference>> {
    of_module(
        module,
        OpaqueKind::Surface,
        name,
        |reference: &SurfaceReference| Some(&reference.variable),
        |found, variable, _| {
            Ok(SurfaceReference { context: found.context, variable, bound: Mutex::new(None) })
        },
    )
}

fn reference(
    context: &Context,
    variable: Option<Variable>,
    initial: &TextureDescriptor,
) -> TextureReference {
    let flags = if initial.normalized_coords { CU_TRSF_NORMALIZED_COORDINATES } else { 0 };
    let state =
        TextureState { sampler: initial.sampler, flags, format: None, bound: Bound::Nothing };
    TextureReference {
        context: context.handle,
        device: context.gpu.device.clone(),
        variable,
        state: Mutex::new(state),
    }
}

/// Creates a reference that belongs to no module.
pub(crate) fn create(context: &Context) -> Answer<Handle<TextureReference>> {
    context.register(reference(context, None, &TextureDescriptor::default()))
}

/// Destroys a reference made by [`create`]; `CUDA_ERROR_INVALID_VALUE` for a module's reference.
pub(crate) fn destroy(handle: Handle<TextureReference>) -> Answer {
    ensure!(
        handle.get()?.variable.is_none(),
        "pTexRef is the texture reference of a module, which ends with the module: only those of cuTexRefCreate \
         are destroyed"
    );
    handle.take().map(|_| ())
}

/// Destroys the references of an unloaded module.
pub(crate) fn release_module(module: Handle<Module>) {
    let _changes = lock(&CHANGES);
    let of = |variable: &Variable| variable.module == module;
    TextureReference::registry().remove_all(|one| one.variable.as_ref().is_some_and(of));
    SurfaceReference::registry().remove_all(|one| of(&one.variable));
}

/// Destroys the references of a context.
pub(crate) fn release_context(context: &Context) {
    let _changes = lock(&CHANGES);
    TextureReference::registry().remove_all(|one| one.context == context.handle);
    SurfaceReference::registry().remove_all(|one| one.context == context.handle);
}

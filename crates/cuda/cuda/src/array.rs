//! Arrays and mipmapped arrays: the driver's objects, created from descriptors on a device.

use crate::context::Context;
use crate::format;
use crate::memory::with_room;
use crate::prelude::*;
use crate::settings::printed_refusal;
use texunit_device::{Array, ArrayDescriptor, Block, Extent, Geometry, MipmappedArray};

/// A `CUarray`: an array, or a level of a mipmapped array.
#[derive(Debug)]
pub(crate) struct ArrayObject {
    /// The device array.
    pub(crate) array: Array,
    /// Context in which the array was created.
    pub(crate) context: Handle<Context>,
    /// Descriptor of the array; for a level, with the level's extent.
    pub(crate) descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    /// The mipmapped array that this array is a level of.
    pub(crate) level_of: Option<Handle<MipmapObject>>,
}

object!(ArrayObject, "an array");

/// The object behind a `CUmipmappedArray` handle.
#[derive(Debug)]
pub(crate) struct MipmapObject {
    /// The device array.
    pub(crate) array: MipmappedArray,
    /// Context in which the array was created.
    pub(crate) context: Handle<Context>,
    pub(crate) descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    /// Handles of levels that have been requested, which are destroyed with the array.
    levels: Mutex<HashMap<u32, Handle<ArrayObject>>>,
    /// Mapped tiles of mip tails, by layer.
    pub(crate) tails: Mutex<HashMap<u32, BTreeSet<u64>>>,
}

object!(MipmapObject, "a mipmapped array");

/// The flags of arrays, with their names. texunit's driver refuses [`NOT_PROVIDED`].
const FLAGS: [(u32, &str); 9] = [
    (CUDA_ARRAY3D_LAYERED, "CUDA_ARRAY3D_LAYERED"),
    (CUDA_ARRAY3D_SURFACE_LDST, "CUDA_ARRAY3D_SURFACE_LDST"),
    (CUDA_ARRAY3D_CUBEMAP, "CUDA_ARRAY3D_CUBEMAP"),
    (CUDA_ARRAY3D_TEXTURE_GATHER, "CUDA_ARRAY3D_TEXTURE_GATHER"),
    (CUDA_ARRAY3D_DEPTH_TEXTURE, "CUDA_ARRAY3D_DEPTH_TEXTURE"),
    (CUDA_ARRAY3D_COLOR_ATTACHMENT, "CUDA_ARRAY3D_COLOR_ATTACHMENT"),
    (CUDA_ARRAY3D_SPARSE, "CUDA_ARRAY3D_SPARSE"),
    (CUDA_ARRAY3D_DEFERRED_MAPPING, "CUDA_ARRAY3D_DEFERRED_MAPPING"),
    (CUDA_ARRAY3D_VIDEO_ENCODE_DECODE, "CUDA_ARRAY3D_VIDEO_ENCODE_DECODE"),
];
const NOT_PROVIDED: u32 = CUDA_ARRAY3D_DEFERRED_MAPPING | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;

/// Flags that a driver refuses in combination with any of others, and a flag that it always refuses
/// (as an NVIDIA H200 does, docs/cuda-api.md).
const APART: [(u32, u32); 3] = [
    (CUDA_ARRAY3D_TEXTURE_GATHER, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP),
    (CUDA_ARRAY3D_SPARSE, CUDA_ARRAY3D_SURFACE_LDST),
    (CUDA_ARRAY3D_DEPTH_TEXTURE, 0),
];

/// The names of flags.
fn names(flags: u32) -> String {
    let set = FLAGS.iter().filter(|(flag, _)| flags & flag != 0);
    set.map(|(_, name)| *name).collect::<Vec<_>>().join(" and ")
}

/// The device's descriptor for a driver descriptor.
fn of(descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> Answer<ArrayDescriptor> {
    let flags = descriptor.flags;
    if flags & NOT_PROVIDED != 0 {
        let reason =
            format!("arrays with the flag {} are not supported", names(flags & NOT_PROVIDED));
        return Err(printed_refusal(CUresult::NOT_SUPPORTED, reason));
    }
    let unknown = FLAGS.iter().fold(flags, |left, (flag, _)| left & !flag);
    ensure!(
        unknown == 0,
        "Flags {flags:#x} has bits that are not CUDA_ARRAY3D flags: {unknown:#x}"
    );
    for (flag, others) in APART {
        if flags & flag != 0 && (others == 0 || flags & others != 0) {
            let name = names(flag);
            return Err(CUresult::INVALID_VALUE.because(match others {
                0 => format!("Flags {flags:#x} has {name}, which no array has"),
                _ => format!("Flags {flags:#x} has {name} with {}", names(flags & others)),
            }));
        }
    }
    let format = format::format(descriptor.format, descriptor.num_channels)?;
    ensure!(
        !format.is_block() || flags & CUDA_ARRAY3D_SURFACE_LDST == 0,
        CUresult::NOT_SUPPORTED,
        "Flags has CUDA_ARRAY3D_SURFACE_LDST, but the format is block-compressed ({format}): surfaces have no \
         such formats"
    );
    let (geometry, layers) = Geometry::of_array(
        [descriptor.width, descriptor.height, descriptor.depth],
        flags & CUDA_ARRAY3D_LAYERED != 0,
        flags & CUDA_ARRAY3D_CUBEMAP != 0,
    )
    .map_err(|rule| CUresult::INVALID_VALUE.because(rule))?;
    let axis = |name: &str, size: usize| {
        u32::try_from(size).map_err(|_| invalid!("{name} {size} is more than any array has"))
    };
    let depth = if geometry == Geometry::D3 { axis("Depth", descriptor.depth)? } else { 1 };
    let extent = Extent {
        width: axis("Width", descriptor.width)?,
        height: axis("Height", descriptor.height)?.max(1),
        depth,
    };
    let mut made = ArrayDescriptor::new(format, geometry, extent, "array");
    made.layers = axis("Depth", layers)?;
    made.sparse = flags & CUDA_ARRAY3D_SPARSE != 0;
    made.gathers = flags & CUDA_ARRAY3D_TEXTURE_GATHER != 0;
    Ok(made)
}

/// Creates an array.
pub(crate) fn create(
    context: &Context,
    descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
) -> Answer<Handle<ArrayObject>> {
    let (made, gpu, descriptor) = (of(descriptor)?, &context.gpu, *descriptor);
    let array = with_room(gpu, || gpu.device.create_array(&made).map_err(refusal))?;
    made_with(&array, descriptor.flags)?;
    context.register(ArrayObject { array, context: context.handle, descriptor, level_of: None })
}

/// Checks that an array can be what its flags say, and records its allocation.
fn made_with(array: &Array, flags: u32) -> Answer {
    if flags & CUDA_ARRAY3D_SURFACE_LDST != 0 {
        array.check_surface().map_err(refusal)?;
    }
    if flags & CUDA_ARRAY3D_TEXTURE_GATHER != 0 {
        array.check_gather().map_err(refusal)?;
    }
    crate::allocation_trace::allocated(array.number());
    Ok(())
}

/// Creates a mipmapped array, in existing memory if there is some. The number of levels is limited
/// to at least one and at most those down to a single element.
pub(crate) fn create_mipmapped(
    context: &Context,
    descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
    levels: u32,
    memory: Option<&Arc<Block>>,
) -> Answer<Handle<MipmapObject>> {
    let made = of(descriptor)?;
    let levels = levels.clamp(1, MipmappedArray::max_mip_levels(made.extent));
    let device = &context.gpu.device;
    let array = with_room(&context.gpu, || {
        let array = match memory {
            None => device.create_mipmapped_array(&made, levels),
            Some(memory) => device.create_mipmapped_array_in(memory, &made, levels),
        };
        array.map_err(refusal)
    })?;
    made_with(&array, descriptor.flags)?;
    let (descriptor, levels, tails) = (*descriptor, Mutex::default(), Mutex::default());
    context.register(MipmapObject { array, context: context.handle, descriptor, levels, tails })
}

/// A level of a mipmapped array as an array. Repeated calls return the same handle.
pub(crate) fn level(handle: Handle<MipmapObject>, level: u32) -> Answer<Handle<ArrayObject>> {
    let whole = handle.get()?;
    let mut levels = lock(&whole.levels);
    if let Some(&known) = levels.get(&level) {
        return Ok(known);
    }
    ensure!(
        level < whole.array.levels(),
        "level {level} does not exist: the mipmapped array has {}, numbered from 0",
        whole.array.levels()
    );
    let array = whole.array.level(level).map_err(refusal)?;
    let halve = |size: usize| if size == 0 { 0 } else { (size >> level).max(1) };
    let mut descriptor = whole.descriptor;
    descriptor.width = halve(descriptor.width);
    descriptor.height = halve(descriptor.height);
    if whole.array.geometry() == Geometry::D3 {
        descriptor.depth = halve(descriptor.depth);
    }
    let made = ArrayObject { array, context: whole.context, descriptor, level_of: Some(handle) };
    let made = ArrayObject::registry().insert(made);
    // A thread that destroys the mipmapped array or its context removes it from the registry before
    // its levels. If that has happened, the new level is removed here.
    if let Err(refusal) = handle.get() {
        ArrayObject::registry().remove(made);
        return Err(refusal);
    }
    levels.insert(level, made);
    Ok(made)
}

/// Destroys an array. Accesses through textures and surfaces of it become faults.
///
/// `CUDA_ERROR_INVALID_VALUE` for a level, which is destroyed with its mipmapped array.
pub(crate) fn destroy(handle: Handle<ArrayObject>) -> Answer {
    ensure!(
        handle.get()?.level_of.is_none(),
        "hArray {handle:?} is a level of a mipmapped array, with which it ends (cuMipmappedArrayDestroy)"
    );
    handle.take().map(|object| {
        crate::allocation_trace::freed(object.array.number());
        object.array.destroy();
    })
}

/// Destroys a mipmapped array and its levels.
pub(crate) fn destroy_mipmapped(handle: Handle<MipmapObject>) -> Answer {
    let whole = handle.take()?;
    crate::allocation_trace::freed(whole.array.number());
    whole.array.destroy();
    for (_, level) in lock(&whole.levels).drain() {
        ArrayObject::registry().remove(level);
    }
    Ok(())
}

/// Destroys the arrays of a context.
pub(crate) fn release_context(context: &Context) {
    for whole in MipmapObject::registry().remove_all(|array| array.context == context.handle) {
        whole.array.destroy();
    }
    for object in ArrayObject::registry().remove_all(|array| array.context == context.handle) {
        object.array.destroy();
    }
}

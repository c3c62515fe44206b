//! Random copies among host memory, device memory and arrays are compared with a model of plain
//! bytes.

mod lines;

use crate::array::ArrayObject;
use crate::context::{self, Context};
use crate::prelude::*;
use crate::{memory, state};
use texunit_device::{Array, ArrayDescriptor, Extent, Format, Geometry, Linear};
use texunit_testkit::Random;

// Declarations as in a C program.
#[allow(clashing_extern_declarations)]
unsafe extern "C" {
    fn cuMemcpy2D_v2(copy: *const CUDA_MEMCPY2D) -> CUresult;
    fn cuMemcpy3D_v2(copy: *const CUDA_MEMCPY3D) -> CUresult;
}

/// A handle for an array; its descriptor does not affect copies.
fn handle_of(context: &Context, array: &Array) -> usize {
    let (array, descriptor) = (array.clone(), CUDA_ARRAY3D_DESCRIPTOR::default());
    let object = ArrayObject { array, context: context.handle, descriptor, level_of: None };
    ArrayObject::registry().insert(object).number()
}

fn set_up() -> Arc<Context> {
    state::init(drop).unwrap();
    let context = Context::create(state::gpu(0).unwrap(), 0);
    context::with_stack(|stack| stack.push(context.handle));
    context
}

/// Source and destination of copies, with a model of its contents.
struct CopyObject {
    kind: Holder,
    model: Vec<u8>,
}

enum Holder {
    Host(Vec<u8>),
    Device(Linear),
    Array(usize, Array),
}

impl CopyObject {
    /// An object with random contents.
    fn new(mut kind: Holder, size: usize, random: &mut Random) -> Self {
        let model = random.bytes(size);
        match &mut kind {
            Holder::Host(bytes) => bytes.clone_from(&model),
            Holder::Device(linear) => linear.write(0, &model).unwrap(),
            Holder::Array(_, array) => array.write(&model).unwrap(),
        }
        Self { kind, model }
    }

    fn unit(&self) -> usize {
        match &self.kind {
            Holder::Array(_, array) => array.copy_unit() as usize,
            _ => 1,
        }
    }

    /// A copy side for a region, mostly smaller than the object, at a random offset, and the
    /// location of its rows in the model.
    fn side(&self, size: [usize; 3], random: &mut Random) -> Option<Side> {
        let [w, h, d] = size;
        let side = |[x_in_bytes, y, z]: [usize; 3]| CopySide3D {
            x_in_bytes,
            y,
            z,
            ..CopySide3D::default()
        };
        if let Holder::Array(handle, array) = &self.kind {
            let all = array.copy_extent().map(|n| n as usize);
            let unit = self.unit();
            let at = [
                random.within(0..=all[0].checked_sub(w)? / unit) * unit,
                random.within(0..=all[1].checked_sub(h)?),
                random.within(0..=all[2].checked_sub(d)?),
            ];
            let (memory_type, array) = (CU_MEMORYTYPE_ARRAY, *handle);
            let side = CopySide3D { memory_type, array, pitch: random.within(0..=5), ..side(at) };
            return Some((side, Layout { base: 0, at, pitch: all[0], rows: all[1] }));
        }
        let at = [random.within(0..=40), random.within(0..=3), random.within(0..=2)];
        // A row may start beyond the pitch.
        let (pitch, rows) = (w + random.within(0..=20), at[1] + h + random.within(0..=3));
        let layout = Layout { base: random.within(0..=64), at, pitch, rows };
        if layout.offset([w, h - 1, d - 1]) > self.model.len() {
            return None;
        }
        let unified = random.within(0..=3) == 0;
        let (address, kind) = match &self.kind {
            Holder::Host(bytes) => (bytes.as_ptr().expose_provenance() as u64, CU_MEMORYTYPE_HOST),
            Holder::Device(linear) => (linear.address(), CU_MEMORYTYPE_DEVICE),
            Holder::Array(..) => return None,
        };
        let address = address + layout.base as u64;
        let on_device = unified || kind == CU_MEMORYTYPE_DEVICE;
        let side = CopySide3D {
            memory_type: if unified { CU_MEMORYTYPE_UNIFIED } else { kind },
            host: if on_device { 3 } else { address },
            device: if on_device { address } else { 5 },
            pitch,
            height: rows,
            ..side(at)
        };
        Some((side, layout))
    }

    /// The current contents.
    fn bytes(&self) -> Vec<u8> {
        match &self.kind {
            Holder::Host(bytes) => bytes.clone(),
            Holder::Array(_, array) => array.read(),
            Holder::Device(linear) => {
                let mut bytes = vec![0; self.model.len()];
                linear.read_at(0, &mut bytes).unwrap();
                bytes
            }
        }
    }
}

/// A side of a copy, and the location of its rows in the model.
type Side = (CopySide3D, Layout);

/// Location of a region in a model.
#[derive(Clone, Copy, Debug)]
struct Layout {
    base: usize,
    at: [usize; 3],
    pitch: usize,
    rows: usize,
}

impl Layout {
    fn offset(&self, [x, y, z]: [usize; 3]) -> usize {
        let [x, y, z] = [x + self.at[0], y + self.at[1], z + self.at[2]];
        self.base + (z * self.rows + y) * self.pitch + x
    }
}

fn things(context: &Context, random: &mut Random) -> Vec<CopyObject> {
    let device = &context.gpu.device;
    let describe = |format, geometry, [width, height, depth]: [u32; 3], layers| {
        let (format, extent) =
            (Format::from_name(format).unwrap(), Extent { width, height, depth });
        ArrayDescriptor::new(format, geometry, extent, "array").with_layers(layers)
    };
    let mip = describe("u8x4", Geometry::A2d, [70, 40, 1], 3);
    let mip = device.create_mipmapped_array(&mip, 3).unwrap();
    let arrays = [
        describe("u8x1", Geometry::D2, [131, 17, 1], 1),
        describe("u16x2", Geometry::D3, [33, 9, 7], 1),
        describe("f32x4", Geometry::A2d, [20, 8, 1], 5),
        describe("u32x1", Geometry::D1, [200, 1, 1], 1),
        describe("u8x2", Geometry::A1d, [90, 1, 1], 6),
        describe("u8x4", Geometry::Cube, [16, 16, 1], 1),
        describe("bc1", Geometry::D2, [61, 30, 1], 1),
        describe("bc7", Geometry::A2d, [32, 16, 1], 3),
    ];
    let arrays = arrays.iter().map(|descriptor| device.create_array(descriptor).unwrap());
    let memory = |size| {
        let address = memory::allocate(context, size).unwrap();
        (Holder::Device(device.linear(address, size as u64).unwrap()), size)
    };
    let host = |size| (Holder::Host(Vec::new()), size);
    let mut kinds = vec![host(20_000), host(9_000), memory(30_000), memory(7_001)];
    kinds.extend(arrays.chain([mip.level(1).unwrap()]).map(|array| {
        let size = array.size() as usize;
        (Holder::Array(handle_of(context, &array), array), size)
    }));
    kinds.into_iter().map(|(kind, size)| CopyObject::new(kind, size, random)).collect()
}

/// Two random objects, a region, and both sides of its copy.
fn pick(things: &[CopyObject], random: &mut Random) -> Option<([usize; 2], [usize; 3], [Side; 2])> {
    let [from, to] = [0; 2].map(|_| random.below(things.len()));
    let [w, h, d] = [21, 7, 4].map(|n| random.within(1..=n));
    let size = [w * things[from].unit().max(things[to].unit()), h, d];
    let (source, target) = (things[from].side(size, random), things[to].side(size, random));
    Some(([from, to], size, [source?, target?]))
}

fn side_2d(side: &CopySide3D) -> CopySide2D {
    let CopySide3D { x_in_bytes, y, memory_type, host, device, array, pitch, .. } = *side;
    CopySide2D { x_in_bytes, y, memory_type, host, device, array, pitch }
}

/// Makes a side of a copy invalid, for an object with this unit; `false` if the chosen mistake is
/// none of this side.
fn spoil(side: &mut CopySide3D, width: usize, unit: usize, random: &mut Random) -> bool {
    let is_device = side.memory_type == CU_MEMORYTYPE_DEVICE;
    let is_array = side.memory_type == CU_MEMORYTYPE_ARRAY;
    match random.within(0..=6) {
        0 => side.lod = 1,
        1 => side.memory_type = [0, 5, 77][random.within(0..=2)],
        // The library does not know where host memory ends.
        2 if is_device || is_array => side.y = 30_000,
        // A pitch of 0 is allowed for one row.
        3 if !is_array && width > 1 => side.pitch = width - 1,
        4 if is_array && unit > 1 => side.x_in_bytes += 1,
        5 if is_device => side.z = usize::MAX / 2,
        6 if is_device => side.x_in_bytes = 30_000,
        _ => return false,
    }
    true
}

/// Copies write what the model says, and refused copies write nothing.
#[test]
fn random_boxes_are_copied_as_a_model_says() {
    let context = set_up();
    let mut random = Random::for_test(0x1234_5678_9abc);
    let mut things = things(&context, &mut random);
    let (mut copied, mut flat, mut refused) = (0, 0, 0);
    for _ in 0..25_000 {
        let Some(([from, to], size, sides)) = pick(&things, &mut random) else {
            continue;
        };
        // The order of bytes in a copy of memory onto itself is undefined.
        if from == to {
            continue;
        }
        let [(mut src, source), (mut dst, target)] = sides;
        let [width_in_bytes, height, depth] = size;
        let (side, object) = match random.below(2) {
            0 => (&mut src, from),
            _ => (&mut dst, to),
        };
        let unit = things[object].unit();
        let is_wrong = random.below(4) == 0 && spoil(side, width_in_bytes, unit, &mut random);
        let is_flat = depth == 1 && src.z == 0 && dst.z == 0 && !is_wrong;
        // SAFETY: both sides are in memory that this test has allocated, or the call is refused.
        let result = unsafe {
            if is_flat && random.below(2) == 0 {
                flat += 1;
                let (src, dst) = (side_2d(&src), side_2d(&dst));
                cuMemcpy2D_v2(&CUDA_MEMCPY2D { src, dst, width_in_bytes, height })
            } else {
                cuMemcpy3D_v2(&CUDA_MEMCPY3D { src, dst, width_in_bytes, height, depth })
            }
        };
        if is_wrong {
            assert_eq!(result, CUresult::INVALID_VALUE, "{size:?} {src:?} {dst:?}");
            refused += 1;
            continue;
        }
        assert_eq!(result, CUresult::SUCCESS, "{size:?} {src:?} {dst:?}");
        copied += 1;
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width_in_bytes {
                    let byte = things[from].model[source.offset([x, y, z])];
                    things[to].model[target.offset([x, y, z])] = byte;
                }
            }
        }
        if copied % 16 == 0 {
            assert!(things[to].bytes() == things[to].model, "{size:?} {src:?} {dst:?}");
        }
    }
    assert!(copied > 5_000 && flat > 100 && refused > 1000, "{copied} {flat} {refused}");
    for thing in &things {
        assert!(thing.bytes() == thing.model);
    }
}

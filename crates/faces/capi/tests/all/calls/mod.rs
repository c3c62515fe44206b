//! Random calls of the C interface, with valid, destroyed, wrong and invented handles, null
//! pointers, wrong sizes, and arbitrary descriptors. Every call must return a known status, every
//! error must have a message, and only documented results may be written.
//!
//! Memory that a call may access either exists or has an impossible size; a pointer to memory that
//! does not exist cannot be tested within a process. The fuzz target `capi` runs this module too.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut, without_provenance_mut};
use texunit_capi::*;
use texunit_testkit::Choices;

/// Bytes of the memory that contains operands.
const MEMORY: usize = 4096;
/// Maximum number of fetches of a call.
const MAX_COUNT: u32 = 40;
/// The size of a buffer that does not exist; all results are smaller, so every call must refuse it.
const NOT_THERE: usize = 1 << 30;
/// The value of bytes around results.
const GUARD: u8 = 0xa5;

/// Memory for textures.
#[repr(C, align(64))]
struct Memory([u8; MEMORY]);

/// All objects that calls have created.
struct World<'a, 'b> {
    choices: &'a mut Choices<'b>,
    /// Handles of each kind (array, sampler, texture, surface), some of which are destroyed.
    handles: [Vec<usize>; 4],
    operands: Box<Memory>,
    /// Memory of linear and pitched textures, which only the interface writes.
    texels: *mut Memory,
    /// The number of successful calls.
    worked: u32,
}

/// Makes calls until the choices are exhausted. Returns the number of successful calls.
pub(crate) fn run(choices: &mut Choices<'_>) -> u32 {
    let mut bytes = [0; MEMORY];
    for (n, byte) in bytes.iter_mut().enumerate() {
        // Small floats and integers, some of them negative.
        *byte = [0, 0, 128, 63, 1, 0, 0, 0, 0, 0, 0, 191][n % 12];
    }
    let mut world = World {
        choices,
        handles: std::array::from_fn(|_| vec![]),
        operands: Box::new(Memory(bytes)),
        texels: Box::into_raw(Box::new(Memory(bytes))),
        worked: 0,
    };
    for _ in 0..64 {
        if world.choices.is_done() {
            break;
        }
        world.call();
    }
    let worked = world.worked;
    // All objects are destroyed, so that nothing uses the memory any more.
    for (kind, handles) in std::mem::take(&mut world.handles).into_iter().enumerate() {
        for handle in handles {
            destroy(kind, without_provenance_mut(handle));
        }
    }
    // SAFETY: created by `Box::into_raw` above, and no texture uses it any more.
    drop(unsafe { Box::from_raw(world.texels) });
    worked
}

fn destroy(kind: usize, handle: *mut c_void) -> texunit_status {
    match kind {
        0 => texunit_array_destroy(handle.cast()),
        1 => texunit_sampler_destroy(handle.cast()),
        2 => texunit_texture_destroy(handle.cast()),
        _ => texunit_surface_destroy(handle.cast()),
    }
}

impl World<'_, '_> {
    fn number(&mut self) -> u32 {
        let word = self.choices.word();
        self.choices.of(&[0, 1, 2, 3, 4, 8, 16, 0x20, u32::MAX, word])
    }

    fn size(&mut self) -> usize {
        let word = self.choices.word() as usize;
        self.choices.of(&[0, 1, 2, 3, 5, 8, 16, usize::MAX, usize::MAX / 2, word | NOT_THERE])
    }

    /// A handle that usually has the requested kind.
    fn handle<T>(&mut self, kind: usize) -> *mut T {
        let kind = if self.choices.once_in(16) { self.choices.below(4) as usize } else { kind };
        let made_up = self.choices.once_in(24);
        let list = &self.handles[kind];
        let number = match (made_up, list.len()) {
            (true, _) => self.choices.word() as usize,
            (false, 0) => 0,
            (false, n) => list[self.choices.below(n as u32) as usize],
        };
        without_provenance_mut(number)
    }

    /// A pointer for a result; sometimes null.
    fn out<T>(&mut self, place: &mut T) -> *mut T {
        if self.choices.once_in(32) { null_mut() } else { place }
    }

    /// Checks that a status is known and an error has a message. Whether it is success.
    fn judge(&mut self, status: texunit_status) -> bool {
        // SAFETY: the library returns static strings.
        let (name, text) = unsafe {
            (CStr::from_ptr(texunit_status_name(status)), CStr::from_ptr(texunit_last_error()))
        };
        assert_ne!(name, c"unknown status", "{status}");
        assert_ne!(status, TEXUNIT_ERROR_INTERNAL, "{text:?}");
        assert!(status == TEXUNIT_SUCCESS || !text.is_empty(), "{status}");
        self.worked += u32::from(status == TEXUNIT_SUCCESS);
        status == TEXUNIT_SUCCESS
    }

    fn made<T>(&mut self, kind: usize, status: texunit_status, handle: *mut T) {
        let worked = self.judge(status);
        assert_eq!(worked, !handle.is_null(), "a handle is there if the call has worked");
        if worked && self.handles[kind].len() < 16 {
            self.handles[kind].push(handle.addr());
        } else if worked {
            assert_eq!(destroy(kind, handle.cast()), TEXUNIT_SUCCESS);
        }
    }

    fn call(&mut self) {
        match self.choices.below(14) {
            0 | 1 => self.array(),
            2 => self.sampler(),
            3 | 4 => self.texture(),
            5 => self.surface(),
            6 | 7 => self.copy(),
            8 | 9 => self.fetch(),
            10 => self.access(),
            11 => self.query(),
            12 => self.explain(),
            _ => self.end(),
        }
    }

    fn array(&mut self) {
        let c = &mut *self.choices;
        let formats = [0x20, 1, 2, 3, 8, 9, 0xa, 0x10, 0x50, 0x91, 0x9b, 0x9d, 0xc2, 0x10001, 7];
        let axis = [4, 8, 1, 0, 3, 6, 12, usize::MAX];
        let mut desc = texunit_array_desc {
            width: c.of(&axis),
            height: c.of(&axis),
            depth: c.of(&[0, 0, 1, 2, 6, 12, usize::MAX]),
            format: c.of(&formats),
            num_channels: c.of(&[1, 4, 2, 3, 0]),
            flags: c.of(&[0, 0, 1, 4, 5, 2, 0x400]),
        };
        let (levels, samples) = (c.of(&[0, 0, 1, 2, 4, 99]), c.of(&[0, 0, 1, 2, 16, 3]));
        let mut made = null_mut();
        let (to, desc) = (self.out(&mut made), self.out(&mut desc).cast_const());
        let status = match self.choices.below(8) {
            0 => {
                let (of, level) = (self.handle(0), self.number());
                // SAFETY: `to` is null or a live variable.
                unsafe { texunit_array_level(to, of, level) }
            }
            1 => {
                let path =
                    if self.choices.once_in(2) { null() } else { c"/there/is/no.dds".as_ptr() };
                // SAFETY: both pointers are valid or null.
                unsafe { texunit_array_open(to, path, null_mut()) }
            }
            // SAFETY: both pointers are valid or null.
            _ => unsafe { texunit_array_create(to, desc, levels, samples) },
        };
        self.made(0, status, made);
    }

    fn state(&mut self) -> texunit_texture_desc {
        let float = |c: &mut Choices<'_>| {
            c.of(&[0.0, 1.0, 2.5, -1.0, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE, 1e30])
        };
        let c = &mut *self.choices;
        let mut desc = texunit_texture_desc {
            address_mode: std::array::from_fn(|_| c.of(&[0, 1, 2, 3, 4, 5])),
            filter_mode: c.of(&[1, 0, 1, 2]),
            flags: c.of(&[0, 2, 1, 0x10, 0x12, 0x40, 0x10000, 4]),
            max_anisotropy: c.of(&[0, 1, 4, 16, u32::MAX]),
            mipmap_filter_mode: c.of(&[0, 1, 1, 7]),
            mipmap_level_bias: float(c),
            min_mipmap_level_clamp: float(c),
            max_mipmap_level_clamp: float(c),
            border_color: std::array::from_fn(|_| float(c)),
            compare_function: c.of(&[0, 0, 0, 2, 8, 9]),
            reserved: [0; 11],
        };
        desc.reserved[10] = u32::from(c.once_in(32));
        desc
    }

    fn sampler(&mut self) {
        let mut desc = self.state();
        desc.flags &= 0x10050 | 4;
        let mut made = null_mut();
        let (to, desc) = (self.out(&mut made), self.out(&mut desc).cast_const());
        // SAFETY: both pointers are valid or null.
        let status = unsafe { texunit_sampler_create(to, desc) };
        self.made(1, status, made);
    }

    /// A random resource for a texture or surface.
    fn resource(&mut self) -> texunit_resource_desc {
        // SAFETY: a structure of numbers and pointers, which may be all zeros.
        let mut desc: texunit_resource_desc = unsafe { std::mem::zeroed() };
        desc.res_type = self.choices.of(&[0, 0, 1, 2, 3, 4]);
        desc.flags = u32::from(self.choices.once_in(32));
        let (format, num_channels) =
            self.choices.of(&[(0x20, 1), (1, 4), (2, 1), (0x91, 4), (3, 2)]);
        // Sizes either fit the memory or exceed any memory.
        let fits = !self.choices.once_in(8);
        let shift = self.choices.of(&[0, 16, 4, 32]);
        let dev_ptr = self.texels.cast::<u8>().wrapping_add(shift).cast::<c_void>();
        let dev_ptr = if self.choices.once_in(24) { null_mut() } else { dev_ptr };
        match desc.res_type {
            2 => {
                let bytes = self.choices.below(MEMORY as u32 - 32) as usize;
                desc.res.linear = texunit_resource_linear {
                    dev_ptr,
                    format,
                    num_channels,
                    size_in_bytes: if fits { bytes } else { usize::MAX - bytes },
                };
            }
            3 => {
                let pitch_in_bytes = self.choices.of(&[64, 32, 96, 33]);
                let height = self.choices.below(32) as usize;
                desc.res.pitch2D = texunit_resource_pitch2d {
                    dev_ptr,
                    format,
                    num_channels,
                    width: self.choices.below(9) as usize,
                    height,
                    pitch_in_bytes: if fits { pitch_in_bytes } else { usize::MAX - 31 },
                };
            }
            _ => desc.res.array = texunit_resource_array { h_array: self.handle(0) },
        }
        desc
    }

    fn texture(&mut self) {
        let mut made = null_mut();
        if self.choices.once_in(4) {
            let (texture, sampler) = (self.handle(2), self.handle(1));
            let to = self.out(&mut made);
            // SAFETY: `to` is null or a live variable.
            let status = unsafe { texunit_texture_with_sampler(to, texture, sampler) };
            return self.made(2, status, made);
        }
        let (mut resource, mut state) = (self.resource(), self.state());
        let view = self.choices.once_in(4).then(|| texunit_view_desc {
            format: self.choices.of(&[0, 0, 1, 3, 25, 99]),
            width: self.choices.of(&[0, 0, 4, 16]),
            last_mipmap_level: self.choices.of(&[0, 1, u32::MAX]),
            first_mipmap_level: self.choices.of(&[0, 0, 1]),
            last_layer: self.choices.of(&[0, 1, 5, u32::MAX]),
            first_layer: self.choices.of(&[0, 0, 1]),
            ..texunit_view_desc::default()
        });
        let view = view.as_ref().map_or(null(), std::ptr::from_ref);
        let (to, state) = (self.out(&mut made), self.out(&mut state).cast_const());
        let resource = self.out(&mut resource).cast_const();
        // SAFETY: all pointers are valid or null; the memory outlives all textures.
        let status = unsafe { texunit_texture_create(to, resource, state, view) };
        self.made(2, status, made);
    }

    fn surface(&mut self) {
        let (mut made, mut resource) = (null_mut(), self.resource());
        let (to, resource) = (self.out(&mut made), self.out(&mut resource).cast_const());
        // SAFETY: both pointers are valid or null; the memory outlives all surfaces.
        let status = unsafe { texunit_surface_create(to, resource) };
        self.made(3, status, made);
    }

    /// Calls with a buffer of random size between guards, and checks that it is written only if the
    /// status allows.
    fn buffer(&mut self, needed: usize, call: impl FnOnce(*mut c_void, usize) -> texunit_status) {
        let size = match self.choices.below(16) {
            0 => needed.saturating_sub(1),
            1 => needed.saturating_add(1),
            2 => self.size(),
            _ => needed,
        };
        let there = if size < NOT_THERE { size } else { 0 };
        let mut room = vec![GUARD; there + 32];
        let middle = room[16..].as_mut_ptr().cast::<c_void>();
        let pointer = if self.choices.once_in(24) { null_mut() } else { middle };
        let status = call(pointer, size);
        self.judge(status);
        assert!(room[..16].iter().chain(&room[there + 16..]).all(|&byte| byte == GUARD));
    }

    fn copy(&mut self) {
        let array: texunit_array = self.handle(0);
        if self.choices.once_in(4) {
            let status = texunit_array_generate_mipmaps(array);
            self.judge(status);
            return;
        }
        let level = self.choices.of(&[TEXUNIT_ALL_LEVELS, 0, 1, 9]);
        let mut needed = 0;
        // SAFETY: `needed` is a live variable.
        let status = unsafe { texunit_array_size(array, level, &raw mut needed) };
        self.judge(status);
        let pitches = self.choices.of(&[(0, 0), (0, 0), (64, 0), (usize::MAX, 1), (1, usize::MAX)]);
        let writes = self.choices.once_in(2);
        self.buffer(needed, |pointer, size| {
            let (row, slice) = pitches;
            // With pitches, a call may need more than `needed`, and might accept NOT_THERE; it gets
            // 0 instead.
            let size = if pitches == (0, 0) || size < NOT_THERE { size } else { 0 };
            // SAFETY: the buffer exists, or its size is refused.
            unsafe {
                match writes {
                    true => texunit_array_write(array, level, pointer, size, row, slice),
                    false => texunit_array_read(array, level, pointer, size, row, slice),
                }
            }
        });
    }

    /// An operand in the memory of operands, or with an impossible stride.
    fn operand(&mut self, count: usize) -> texunit_operand {
        let stride = self.choices.of(&[4, 0, 8, 12, 1, usize::MAX, usize::MAX / 2]);
        let start = self.choices.below(64) as usize;
        let end =
            stride.checked_mul(count.saturating_sub(1)).and_then(|n| n.checked_add(4 + start));
        let is_there = end.is_none_or(|end| end <= MEMORY || end > isize::MAX as usize);
        let data = (&raw const self.operands.0[start]).cast();
        match is_there {
            true => texunit_operand { data, stride },
            false => texunit_operand { data, stride: 0 },
        }
    }

    fn vector(&mut self, count: usize, often: bool) -> [texunit_operand; 3] {
        let none = texunit_operand { data: null(), stride: 0 };
        let axes = if often {
            self.choices.of(&[2, 3, 1, 0])
        } else {
            self.choices.of(&[0, 0, 0, 2, 3, 1])
        };
        let mut all = [none; 3];
        for operand in &mut all[..axes] {
            *operand = self.operand(count);
        }
        all
    }

    fn maybe(&mut self, count: usize) -> texunit_operand {
        if self.choices.once_in(4) {
            self.operand(count)
        } else {
            texunit_operand { data: null(), stride: 0 }
        }
    }

    fn fetches(&mut self) -> texunit_fetch_desc {
        let count = match self.choices.once_in(24) {
            true => self.choices.of(&[usize::MAX, usize::MAX / 4]),
            false => self.choices.below(MAX_COUNT) as usize,
        };
        let [dpdx, dpdy] = match self.choices.once_in(4) {
            true => [self.vector(count, true), self.vector(count, true)],
            false => [[texunit_operand { data: null(), stride: 0 }; 3]; 2],
        };
        let mut desc = texunit_fetch_desc {
            count,
            coords: self.vector(count, true),
            layer: self.maybe(count),
            sample: self.maybe(count),
            level: self.maybe(count),
            dPdx: dpdx,
            dPdy: dpdy,
            offset: self.vector(count, false),
            compare: self.maybe(count),
            flags: self.choices.of(&[0, 0, 2, 1, 4, 6, 8]),
            threads: self.choices.of(&[0, 1, 2, 9999]),
            reserved: [0; 6],
        };
        desc.reserved[5] = u32::from(self.choices.once_in(48));
        desc
    }

    fn fetch(&mut self) {
        let (texture, mut desc) = (self.handle(2), self.fetches());
        let operation = self.choices.of(&[0, 0, 1, 2, 5, 6]);
        let desc = self.out(&mut desc).cast_const();
        let (mut size, mut format, mut channels) = (0, 0, 0);
        let (to, other, last) =
            (self.out(&mut size), self.out(&mut format), self.out(&mut channels));
        // SAFETY: all pointers are valid or null, or have sizes that are refused.
        let status = unsafe { texunit_result_size(texture, operation, desc, to, other, last) };
        if self.judge(status) {
            assert!(size <= 16 * MAX_COUNT as usize && channels <= 4, "{size} {channels}");
        }
        self.buffer(size, |pointer, size| {
            // SAFETY: as above; the buffer exists, or its size is refused.
            unsafe {
                match operation {
                    0 => texunit_sample(texture, desc, pointer, size),
                    1 => texunit_fetch(texture, desc, pointer, size),
                    n => texunit_gather(texture, n - 2, desc, pointer, size),
                }
            }
        });
    }

    fn accesses(&mut self) -> texunit_access_desc {
        let count = self.choices.below(MAX_COUNT) as usize;
        texunit_access_desc {
            count: if self.choices.once_in(24) { usize::MAX } else { count },
            coords: self.vector(count, true),
            layer: self.maybe(count),
            boundary: self.choices.of(&[2, 1, 0, 3]),
            reserved: [0; 7],
        }
    }

    fn access(&mut self) {
        let (surface, mut desc) = (self.handle(3), self.accesses());
        let texel = self.choices.of(&[4, 8, 1, 16, 2]);
        let (what, op) = (self.choices.below(3), self.choices.below(6));
        let needed = desc.count.saturating_mul(texel);
        let desc = self.out(&mut desc).cast_const();
        self.buffer(needed, |pointer, size| {
            // SAFETY: as for fetches.
            unsafe {
                match what {
                    0 => texunit_surface_read(surface, desc, pointer, size),
                    1 => texunit_surface_write(surface, desc, pointer, size),
                    _ => texunit_surface_reduce(surface, op, desc, pointer, size),
                }
            }
        });
    }

    fn query(&mut self) {
        let (attribute, level) = (self.choices.below(17), self.number());
        let mut value = 0;
        let to = self.out(&mut value);
        let what = self.choices.below(4);
        // SAFETY: result pointers are valid or null; operands are as for fetches.
        let status = unsafe {
            match what {
                0 => texunit_texture_query(self.handle(2), attribute, level, to),
                1 => texunit_surface_query(self.handle(3), attribute, to),
                2 => {
                    let (mut desc, mut samples) = (texunit_array_desc::default(), 0);
                    let (desc, samples) = (self.out(&mut desc), self.out(&mut samples));
                    texunit_array_describe(self.handle(0), desc, to, samples)
                }
                _ => {
                    let mut state = texunit_effective_state::default();
                    let fetches = self.choices.once_in(2).then(|| self.fetches());
                    let desc = fetches.as_ref().map_or(null(), std::ptr::from_ref);
                    let state = self.out(&mut state);
                    texunit_texture_effective(self.handle(2), attribute % 7, desc, state)
                }
            }
        };
        self.judge(status);
    }

    fn explain(&mut self) {
        let (what, format) = (self.choices.below(3), self.choices.below(4));
        let (texture, surface) = (self.handle(2), self.handle(3));
        let (fetches, accesses) = (self.fetches(), self.accesses());
        let index = self.choices.below(MAX_COUNT) as usize;
        let mut length = usize::MAX;
        let needed = self.choices.of(&[1 << 16, 0, 1, 100]);
        self.buffer(needed, |pointer, size| {
            let text = pointer.cast::<c_char>();
            let size = if size < NOT_THERE { size } else { 0 };
            let length = &raw mut length;
            // SAFETY: as for fetches; the text buffer has the given size.
            unsafe {
                match what {
                    0 => texunit_explain(
                        texture,
                        0,
                        &raw const fetches,
                        index,
                        format,
                        text,
                        size,
                        length,
                    ),
                    1 => texunit_explain_state(texture, 0, &raw const fetches, text, size, length),
                    _ => texunit_surface_explain(
                        surface,
                        &raw const accesses,
                        index,
                        format,
                        text,
                        size,
                        length,
                    ),
                }
            }
        });
    }

    fn end(&mut self) {
        let kind = self.choices.below(4) as usize;
        let handle: *mut c_void = self.handle(kind);
        let status = destroy(kind, handle);
        self.judge(status);
    }
}

//! Textures and surfaces of every kind in job files: the sources of their texels, selected parts,
//! and written results.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use texunit::args::LaunchArgs;
use texunit::run::Report;
use texunit_device::Format;
use texunit_files::{Kind, Texels, encode};
use texunit_testkit::TempDir;

/// A folder with files for a test.
struct Folder(TempDir);

impl Folder {
    fn new(name: &str) -> Self {
        Self(TempDir::new(&format!("resources-{name}")))
    }

    fn raw(&self, name: &str, bytes: &[u8]) {
        self.0.file(name, bytes);
    }

    /// Writes bytes of one channel as a picture or an array.
    fn picture(&self, name: &str, [width, height, depth]: [u32; 3], bytes: Vec<u8>) {
        let dims = if depth > 1 { 3 } else { 2 };
        let format = Format::from_name("u8").unwrap();
        let texels = Texels { format, dims, width, height, depth, bytes };
        let bytes = encode(Kind::of(Path::new(name)), &texels).unwrap();
        self.raw(name, &bytes);
    }

    fn launch(&self, ptx: &str, job: &str) -> Report {
        self.launch_with(&[], ptx, job)
    }

    fn launch_with(&self, more: &[&str], ptx: &str, job: &str) -> Report {
        let report = self.report(more, ptx, job);
        assert!(report.succeeded(), "{job}\n{}", texunit::human::render(&report, false, false).1);
        report
    }

    fn report(&self, more: &[&str], ptx: &str, job: &str) -> Report {
        self.raw("k.ptx", ptx.as_bytes());
        let head = "ptx = 'k.ptx'\nkernel = 'k'\ngrid = 1\nblock = 1\n";
        self.raw("job.toml", format!("{head}{job}").as_bytes());
        let options = [&["--threads", "1", "--memory-limit", "8M"], more].concat();
        let args = LaunchArgs::parse(&self.0.join("job.toml"), &self.0, &options).unwrap();
        texunit::run::launch(&args)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }

    /// One fetch from a texture with these keys: x of the result and the predicate. `%s0` to `%s3`
    /// are 0 to 3; `%h` is 0.5.
    fn fetch(&self, keys: &str, instruction: &str) -> (u32, u32) {
        let ptx = format!(
            ".version 8.6\n.target sm_75\n.address_size 64
            .visible .entry k(.param .u64 tex, .param .u64 out)
            {{
                .reg .b64 %t, %out;
                .reg .b32 %r<5>, %s<4>;
                .reg .f32 %h, %m;
                .reg .pred %p;
                ld.param.u64 %t, [tex];
                ld.param.u64 %out, [out];
                mov.u32 %s0, 0; mov.u32 %s1, 1; mov.u32 %s2, 2; mov.u32 %s3, 3;
                mov.f32 %h, 0f3F000000; mov.f32 %m, 0fBF800000;
                setp.eq.u32 %p, %s0, %s0;
                {instruction}
                selp.u32 %r4, 1, 0, %p;
                st.global.v2.u32 [%out], {{%r0, %r4}};
                ret;
            }}"
        );
        let job = format!(
            "params.tex.texture = {{ {keys} }}
            params.out = {{ buffer = {{ zeros = 8 }}, output = {{ file = 'out.raw' }} }}"
        );
        self.launch(&ptx, &job);
        let out = self.read("out.raw");
        let word = |i: usize| u32::from_le_bytes(out[i..i + 4].try_into().unwrap());
        (word(0), word(4))
    }

    fn value(&self, keys: &str, instruction: &str) -> u32 {
        self.fetch(keys, &format!("{} ;", instruction.replace("R,", "{%r0, %r1, %r2, %r3},"))).0
    }
}

/// Bytes 0, 1, 2 ...: each one-byte texel is its index in packed order.
fn numbered(count: u32) -> Vec<u8> {
    (0..count as u8).collect()
}

#[test]
fn layers_from_all_kinds_of_files() {
    let f = Folder::new("layers");
    f.picture("tall.png", [3, 6, 1], numbered(18));
    for n in 0..3 {
        f.picture(&format!("{n}.png"), [3, 2, 1], numbered(18)[6 * n..][..6].to_vec());
    }
    f.picture("all.npy", [3, 2, 3], numbered(18));
    f.raw("all.raw", &numbered(18));
    // Layer 2, row 1, column 2.
    let fetch = "tex.a2d.v4.u32.s32 R, [%t, {%s2, %s2, %s1, %s0}]";
    for source in [
        "file = 'tall.png', layers = 3",
        "file = 'tall.png', width = 3, height = 2",
        "files = ['0.png', '1.png', '2.png']",
        "files = ['0.png', '1.png', '2.png'], layers = 3, width = 3, height = 2",
        "file = 'all.npy'",
        "file = 'all.raw', width = 3, height = 2, layers = 3",
        "file = 'all.raw', width = 3, height = 2",
        "texels = { bytes = '0001020304 05060708090a 0b0c0d0e0f1011' }, width = 3, height = 2",
    ] {
        let keys = format!("{source}, geometry = 'a2d', format = 'u8'");
        assert_eq!(f.value(&keys, fetch), 17, "{source}");
    }
    let one = "file = 'all.npy', geometry = 'a2d', format = 'u8', layer = 1";
    assert_eq!(f.value(one, "tex.2d.v4.u32.s32 R, [%t, {%s2, %s1}]"), 11);
    let lines = "file = 'tall.png', geometry = 'a1d', format = 'u8'";
    assert_eq!(f.value(lines, "tex.a1d.v4.u32.s32 R, [%t, {%s3, %s1}]"), 10);
    let samples = "file = 'tall.png', samples = 2, geometry = '2dms', format = 'u8'";
    assert_eq!(f.value(samples, "tex.2dms.v4.u32.s32 R, [%t, {%s1, %s2, %s1, %s0}]"), 14);
    let solid = "file = 'tall.png', width = 3, height = 3, depth = 2, format = 'u8'";
    assert_eq!(f.value(solid, "tex.3d.v4.u32.s32 R, [%t, {%s2, %s1, %s1, %s0}]"), 14);
}

#[test]
fn cubes_from_strips() {
    let f = Folder::new("cubes");
    f.picture("strip.png", [1, 12, 1], numbered(12));
    let cube = "texels = { u8 = [0, 1, 2, 3, 4, 5] }, width = 1, geometry = 'cube', format = 'u8'";
    assert_eq!(f.value(cube, "tex.cube.v4.u32.f32 R, [%t, {%h, %m, %h, %h}]"), 3);
    let cubes = "file = 'strip.png', geometry = 'acube', format = 'u8'";
    assert_eq!(f.value(cubes, "tex.acube.v4.u32.f32 R, [%t, {%s1, %h, %h, %m}]"), 11);
}

#[test]
fn levels_from_files_and_by_a_box() {
    let f = Folder::new("levels");
    f.picture("0.png", [4, 2, 1], numbered(8));
    f.picture("1.png", [2, 1, 1], vec![20, 21]);
    f.picture("2.png", [1, 1, 1], vec![30]);
    f.raw("rest.raw", &[20, 21, 30]);
    let raw: Vec<u8> = numbered(8).into_iter().chain([20, 21, 30]).collect();
    f.raw("all.raw", &raw);
    let level = |n: u32| {
        format!("tex.level.2d.v4.u32.f32 R, [%t, {{%h, %h}}], 0f{:08X}", (n as f32).to_bits())
    };
    for source in [
        "files = ['0.png', '1.png', '2.png'], levels = 3",
        "files = ['0.png', 'rest.raw'], levels = 3",
        "file = 'all.raw', width = 4, height = 2, levels = 3",
    ] {
        let keys = format!("{source}, format = 'u8', normalized_coords = true");
        let values = [0, 1, 2].map(|n| f.value(&keys, &level(n)));
        assert_eq!(values, [6, 21, 30], "{source}");
        let view = format!("{keys}, view = {{ levels = [1, 2] }}");
        assert_eq!(f.value(&view, &level(1)), 30, "{source}");
        let plain = format!("{keys}, level = 1");
        assert_eq!(f.value(&plain, "tex.2d.v4.u32.s32 R, [%t, {%s1, %s0}]"), 21, "{source}");
        let first = format!("{keys}, view = {{ levels = 1 }}");
        assert_eq!(f.value(&first, &level(1)), 21, "{source}");
    }
    // (2 + 3 + 6 + 7) / 4 = 4.5; (2.5 of the left half, rounded, and 4.5) 3 and 5 make 4.
    let made = "file = '0.png', mipmaps = 'box', format = 'u8', normalized_coords = true";
    assert_eq!([0, 1, 2, 3].map(|n| f.value(made, &level(n))), [6, 5, 4, 4]);
    let two = format!("{made}, levels = 2");
    assert_eq!(f.value(&two, &level(2)), 5);
}

/// A DDS file with a DX10 header and R8_UINT texels in the order of DDS: image by image, each with
/// all its levels.
fn dds(
    [width, height]: [u32; 2],
    levels: u32,
    layers: u32,
    is_cube: bool,
    texels: &[u8],
) -> Vec<u8> {
    let mut words = vec![0; 31];
    words[..3].copy_from_slice(&[124, 0x2_1007, height]);
    words[3] = width;
    words[6] = levels;
    words[18..21].copy_from_slice(&[32, 4, u32::from_le_bytes(*b"DX10")]);
    words[26] = 0x40_1008;
    let dx10 = [62, 3, if is_cube { 4 } else { 0 }, layers, 0];
    let words = words.into_iter().chain(dx10).flat_map(u32::to_le_bytes);
    b"DDS ".iter().copied().chain(words).chain(texels.iter().copied()).collect()
}

#[test]
fn files_that_say_what_they_hold() {
    let f = Folder::new("dds");
    // Two layers of two levels.
    f.raw("layers.dds", &dds([2, 1], 2, 2, false, &[0, 1, 10, 20, 21, 30]));
    let fetch = "tex.level.a2d.v4.u32.f32 R, [%t, {%s1, %h, %h, %h}], LEVEL";
    let [base, small] = ["0.0", "1.0"].map(|level| fetch.replace("LEVEL", level));
    for keys in ["", ", format = 'u8'", ", geometry = 'a2d', layers = 2, levels = 2, width = 2"] {
        let keys = format!("file = 'layers.dds'{keys}");
        assert_eq!((f.value(&keys, &base), f.value(&keys, &small)), (21, 30), "{keys}");
    }
    f.raw("cube.dds", &dds([1, 1], 1, 1, true, &[0, 1, 2, 3, 4, 5]));
    let down = "tex.cube.v4.u32.f32 R, [%t, {%h, %m, %h, %h}]";
    assert_eq!(f.value("file = 'cube.dds'", down), 3);
    f.raw("flat.dds", &dds([2, 2], 1, 1, false, &[1, 2, 3, 6]));
    let made = "file = 'flat.dds', mipmaps = 'box'";
    assert_eq!(f.value(made, "tex.level.2d.v4.u32.f32 R, [%t, {%h, %h}], 1.0"), 3);
    for (keys, message) in [
        ("file = 'layers.dds', format = 'u16'", "`layers.dds` holds u8, not u16"),
        ("file = 'cube.dds', geometry = '2d'", "`cube.dds` holds a cube texture"),
        ("file = 'layers.dds', layers = 3", "`layers.dds` has 2 layers"),
        ("file = 'layers.dds', mipmaps = 'box'", "`layers.dds` has 2 mip levels"),
        ("file = 'flat.dds', width = 3, height = 2", "`flat.dds` is 2 x 2 x 1 texels"),
    ] {
        let job = format!("params.a.texture = {{ {keys} }}");
        let ptx = ".version 8.0\n.target sm_75\n.address_size 64
            .visible .entry k(.param .u64 a) { ret; }";
        let report = f.report(&[], ptx, &job);
        let text = texunit::human::render(&report, false, false).1;
        assert!(text.contains(message), "{text}");
    }
}

#[test]
fn other_formats_and_views() {
    let f = Folder::new("formats");
    let one = 1.0_f32.to_bits();
    let point = "tex.2d.v4.f32.s32 R, [%t, {%s0, %s0}]";
    // Formats with a single interpretation need no `read`.
    let unorm = "texels = { u8 = [255] }, width = 1, dims = 2, format = 'unorm8'";
    assert_eq!(f.value(unorm, point), one);
    // A block of BC1 whose first colour is white, for all 16 texels.
    f.raw("block.raw", &[0xff, 0xff, 0, 0, 0, 0, 0, 0]);
    let block = "file = 'block.raw', width = 4, height = 4, format = 'bc1'";
    assert_eq!(f.value(block, "tex.2d.v4.f32.s32 R, [%t, {%s3, %s3}]"), one);
    let words = "texels = { u32 = [0xffff, 0] }, width = 1, dims = 2, format = 'u32x2', \
                 read_mode = 'normalized', view = { format = 'bc1' }";
    assert_eq!(f.value(words, point), one);
    let bits = "texels = { u32 = [0x3f800000] }, width = 1, dims = 2, format = 'u32', \
                view = { format = 'f32' }";
    assert_eq!(f.value(bits, point), one);
    let srgb = "texels = { u8 = [0, 0, 0, 255] }, width = 1, dims = 2, format = 'u8x4', \
                read_mode = 'normalized', srgb = true";
    assert_eq!(f.value(srgb, point), 0);
}

#[test]
fn missing_tiles() {
    let f = Folder::new("tiles");
    let all = "zeros = true, width = 512, height = 256, format = 'u8x4'";
    let fetch = "tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}|%p, [%t, {%s0, %s0}];";
    for (tiles, there) in [
        ("resident = []", 0),
        ("nonresident = []", 1),
        ("resident = [{ offset = [128, 0], extent = [384, 256] }]", 0),
        ("resident = [{ extent = [128, 128] }]", 1),
        ("nonresident = [{ extent = [128, 128] }]", 0),
        ("nonresident = [{ offset = [0, 128] }]", 1),
    ] {
        assert_eq!(f.fetch(&format!("{all}, {tiles}"), fetch).1, there, "{tiles}");
    }
}

#[test]
fn depth_is_compared() {
    let f = Folder::new("depth");
    let map = "texels = { f32 = [0.25, 0.75] }, width = 2, dims = 2, format = 'depth32f', \
               compare = 'greater'";
    let fetch = "tex.2d.v4.f32.f32 R, [%t, {%h, %h}], %h";
    assert_eq!(f.value(map, fetch), 1.0_f32.to_bits());
    assert_eq!(f.value(&format!("{map}, view = {{}}"), fetch), 1.0_f32.to_bits());
}

/// Stores 7 at byte `%x` of row 0 (and layer 1) of a surface.
fn store(geometry: &str) -> String {
    let at = match geometry {
        "1d" => "%x",
        "2d" => "%x, %z",
        _ => "%one, %x, %z, %z",
    };
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64
        .visible .entry k(.param .u64 surf)
        {{
            .reg .b64 %t;
            .reg .b32 %x, %z, %one;
            .reg .b16 %v;
            ld.param.u64 %t, [surf];
            mov.u32 %x, 1; mov.u32 %z, 0; mov.u32 %one, 1;
            mov.u16 %v, 7;
            sust.b.{geometry}.b8.trap [%t, {{{at}}}], {{%v}};
            ret;
        }}"
    )
}

#[test]
fn surfaces_of_parts_and_their_outputs() {
    let f = Folder::new("surfaces");
    let levels = "texels = { u8 = [0, 1, 2, 3, 4, 5, 6, 7, 20, 21, 30] }, width = 4, height = 2, levels = 3, format = 'u8'";
    f.launch(&store("2d"), &format!(
        "params.surf = {{ surface = {{ {levels}, level = 1 }}, output = [
            {{ file = 'own.raw' }}, {{ file = '0.raw', level = 0 }}, {{ file = '2.npy', level = 2 }}] }}"
    ));
    assert_eq!(f.read("own.raw"), [20, 7]);
    assert_eq!(f.read("0.raw"), numbered(8));
    assert_eq!(texunit_files::read_array(&f.0.join("2.npy")).unwrap().bytes, [30]);

    let layers = "zeros = true, width = 2, height = 2, layers = 2, geometry = 'a2d', format = 'u8'";
    f.launch(
        &store("2d"),
        &format!(
            "params.surf = {{ surface = {{ {layers}, layer = 1 }}, output = [
            {{ file = 'own.raw' }}, {{ file = '0.raw', layer = 0 }}] }}"
        ),
    );
    assert_eq!((f.read("own.raw"), f.read("0.raw")), (vec![0, 7, 0, 0], vec![0; 4]));
    f.launch(
        &store("a2d"),
        &format!(
            "params.surf = {{ surface = {{ {layers} }}, output = [
            {{ file = 'all.npy' }}, {{ file = 'all.png' }}, {{ file = '1.raw', layer = 1 }}] }}"
        ),
    );
    let all = texunit_files::read_array(&f.0.join("all.npy")).unwrap();
    assert_eq!((all.shape, all.bytes), (vec![2, 2, 2], vec![0, 0, 0, 0, 0, 7, 0, 0]));
    assert_eq!(f.read("1.raw"), [0, 7, 0, 0]);
    let wanted = texunit_files::TexelRequest {
        format: Format::from_name("u8").unwrap(),
        dims: None,
        extent: Some([2, 4, 1]),
    };
    texunit_files::read_texels(&f.0.join("all.png"), &wanted).unwrap();

    let cube = "zeros = true, width = 2, geometry = 'cube', format = 'u8'";
    f.launch(&store("a2d"), &format!(
        "params.surf = {{ surface = {{ {cube} }}, output = {{ file = 'face.raw', layer = 1 }} }}"
    ));
    assert_eq!(f.read("face.raw"), [0, 7, 0, 0]);
}

#[test]
fn surfaces_of_memory() {
    let f = Folder::new("memory");
    let own = "zeros = true, width = 3, format = 'u8', layout = 'linear'";
    f.launch(
        &store("1d"),
        &format!("params.surf = {{ surface = {{ {own} }}, output = {{ file = 'out.raw' }} }}"),
    );
    assert_eq!(f.read("out.raw"), [0, 7, 0]);
    let rows = "texels = { u8 = [1, 2, 3, 4] }, width = 2, height = 2, format = 'u8', pitch = 64";
    f.launch(
        &store("2d"),
        &format!("params.surf = {{ surface = {{ {rows} }}, output = {{ file = 'out.raw' }} }}"),
    );
    assert_eq!(f.read("out.raw"), [1, 7, 3, 4]);
    // The surface is in the memory of another parameter, from byte 16 on.
    let ptx = store("1d").replace(".param .u64 surf", ".param .u64 surf, .param .u64 memory");
    f.launch(
        &ptx,
        "params.memory = { buffer = { zeros = 20 }, output = { file = 'out.raw' } }
        params.surf.surface = { buffer = 'memory', width = 4, format = 'u8', offset = 16 }",
    );
    assert_eq!(f.read("out.raw")[15..], [0, 0, 7, 0, 0]);
}

/// A level is written through a surface and read through the texture that contains it.
#[test]
fn textures_and_surfaces_share_texels() {
    let f = Folder::new("share");
    let ptx = ".version 8.0\n.target sm_75\n.address_size 64
        .global .texref again;
        .visible .entry k(.param .u64 tex, .param .u64 surf, .param .u64 out)
        {
            .reg .b64 %t, %s, %out;
            .reg .b32 %z, %r<4>;
            .reg .b16 %v;
            .reg .f32 %h, %one;
            ld.param.u64 %t, [tex];
            ld.param.u64 %s, [surf];
            ld.param.u64 %out, [out];
            mov.u32 %z, 0; mov.u16 %v, 9;
            mov.f32 %h, 0f3F000000; mov.f32 %one, 0f3F800000;
            sust.b.2d.b8.trap [%s, {%z, %z}], {%v};
            tex.level.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%t, {%h, %h}], %one;
            st.global.u32 [%out], %r0;
            tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [again, {%z, %z}];
            st.global.u32 [%out+4], %r0;
            ret;
        }";
    f.launch(ptx, "params.tex.texture = { texels = { u8 = [1, 2, 3, 4] }, width = 2, height = 2, mipmaps = 'box', format = 'u8' }
        params.surf = { surface = { texture = 'tex', level = 1 }, output = { file = 'level.raw' } }
        params.out = { buffer = { zeros = 8 }, output = { file = 'out.raw' } }
        textures.again = { texture = 'tex', view = { levels = 1 } }");
    assert_eq!(f.read("level.raw"), [9]);
    assert_eq!(f.read("out.raw"), [9, 0, 0, 0, 9, 0, 0, 0]);
}

/// A handle in a register may be any texture of the geometry, with any sampler.
#[test]
fn effective_samplers() {
    let f = Folder::new("effective");
    let ptx = ".version 8.0\n.target sm_75, texmode_independent\n.address_size 64
        .visible .entry k(.param .u64 a, .param .u64 b, .param .u64 s, .param .u64 t,
                          .param .texref named, .param .samplerref smooth)
        {
            .reg .b64 %t, %s;
            .reg .f32 %f<5>;
            ld.param.u64 %t, [a];
            ld.param.u64 %s, [s];
            mov.f32 %f4, 0f3F000000;
            tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, %s, {%f4, %f4}];
            tex.3d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [named, smooth, {%f4, %f4, %f4, %f4}];
            ret;
        }";
    let job = "params.a.texture = { texels = { f32 = [1] }, width = 1, dims = 2, format = 'f32', normalized_coords = true }
        params.b.texture = { texels = { u8 = [1] }, width = 1, dims = 2, format = 'u8' }
        params.named.texture = { texels = { f32 = [1] }, width = 1, dims = 3, format = 'f32' }
        params.s.sampler = { filter_mode = 'linear', address_mode = 'wrap' }
        params.t.sampler = { filter_mode = 'point', seamless_cubemap = true }
        params.smooth.sampler = { filter_mode = 'linear', force_unnormalized_coords = true }";
    let report = f.launch_with(&["--effective"], ptx, job);
    let lines = report.effective.as_ref().unwrap();
    let pairs: Vec<_> =
        lines.iter().map(|l| (l.texture.as_str(), l.sampler.as_deref().unwrap())).collect();
    let of = |t| ["s", "t", "smooth"].map(|s| (t, s));
    assert_eq!(pairs, [&of("a")[..], &of("b"), &[("named", "smooth")]].concat());
    let text = texunit::effective::text(lines, report.ptx_source.as_ref());
    let text: Vec<_> =
        text.lines().map(|l| l.rsplit_once("k.ptx:").map_or(l, |(_, l)| l)).collect();
    let wanted = "12: tex.2d.v4.f32.f32 of `a` by `s`: normalized coordinates, filter linear, address wrap, wrap";
    assert_eq!(text[0], wanted);
    let refused = "12: tex.2d.v4.f32.f32 of `b` by `t`: refused: ";
    assert!(text.iter().any(|line| line.starts_with(refused)), "{text:?}");
    assert!(
        text.last()
            .unwrap()
            .ends_with("unnormalized coordinates, filter linear, address clamp, clamp, clamp")
    );
}

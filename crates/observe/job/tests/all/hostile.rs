//! Parses damaged jobs: the result is always a job or errors, without panics or endless loops.

use texunit_job::Problems;

/// Parses a text; every error must have a position in it.
fn parse(text: &str) -> (bool, usize) {
    let problems = Problems::default();
    let job = texunit_job::parse(text, &problems);
    let problems = problems.take();
    for p in &problems {
        assert!(p.span.start <= p.span.end && p.span.end <= text.len(), "{p:?}");
        assert!(!p.message.is_empty());
    }
    assert!(job.is_some() || !problems.is_empty(), "nothing, and no reason");
    (job.is_some(), problems.len())
}

#[test]
fn every_key_changed() {
    let full = r#"
ptx = "a.ptx"
kernel = "k"
grid = [1, 2, 3]
block = 32
dynamic_shared = 16
arch = "sm_75"
memory_limit = 1000000
max_steps = 100
bounds = "hardware"
fmad = true
stack_limit = 1024
printf_limit = 1024
grid_id = 3
check = true
[places]
g = "0x700000000000"
[objects.array]
array = { zeros = true, format = "u8", geometry = "2d", width = 4, height = 4, ended = "destroyed", name = "array" }
expected = { bytes = "01 02", parts = [[3, 1], [8, 1]] }
[objects.memory]
buffer = { file = "m.bin", parts = [[0, 16], [4096, 16]], size = 65536, address = "0x7fff00000040", number = 7, read_only = true, ended = "unmapped", name = "host memory" }
[objects.texture]
texture = { array = "array", view = { format = "s8" }, level = 0, handle = "0x2000000000100001" }
[objects.row]
texture = { memory = 4096, format = "f32", width = 4, height = 2, layout = "pitch", pitch = 32, handle = 5 }
[objects.surface]
surface = { array = "array", handle = "0x8000000000000001" }
[objects.sampler]
sampler = { filter_mode = "linear", handle = "0x4000000000100000" }
[params.a]
texture = { file = "a.png", format = "u8x4", read_mode = "normalized", filter_mode = "linear", address_mode = ["wrap", "mirror"], border_color = [0.0, 1, "0x7fc00000", nan], normalized_coords = true, dims = 2, layout = "pitch", pitch = 512, width = 4, height = 4 }
[params.1]
buffer = { u32 = [1, 2, 3], size = 64 }
output = { file = "x/y.npy", format = "f32x2", width = 2, height = 2, depth = 2 }
[params.2]
scalar = { bytes = "00 ff" }
[params.3]
surface = { zeros = true, format = "f16", width = 4 }
[params.4]
sampler = { filter_mode = "point", mipmap_filter_mode = "linear", address_mode = "clamp_ogl", min_mipmap_level_clamp = 0.5, max_mipmap_level_clamp = inf, mipmap_level_bias = -1, max_anisotropy = 16, srgb = true, seamless_cubemap = false, compare = "less", force_unnormalized_coords = true }
[params.6]
texture = { files = ["0.png", "1.raw"], format = "bc1", geometry = "acube", width = 8, layers = 2, levels = 2, mipmaps = "box", nonresident = [{ level = 1, layer = 2, offset = [0, 4], extent = [4, 4] }], view = { format = "bc4", geometry = "a2d", levels = [0, 1], layers = 3 } }
[params.7]
surface = { texels = { u8 = [1, 2] }, format = "u8", geometry = "2dms", width = 1, samples = 2, layer = 0, level = 0, layout = "array" }
output = [{ file = "s.npy", level = 0, layer = 0 }, { file = "t.raw" }]
[params.8]
texture = { buffer = "1", format = "u8", width = 4, offset = 16 }
[params.5]
use = "1"
[textures.t]
surface = "3"
[samplers.s]
border_color = [1, 2, 3, 4]
[surfaces.u]
file = "u.raw"
format = "u8"
width = 4
[globals.g]
zeros = true
output = { file = "g.raw" }
"#;
    assert_eq!(parse(full), (true, 0));
    let mut numbers = texunit_testkit::Random::for_test(1);
    let mut random = |n: usize| numbers.below(n);
    let pieces = [
        "=", "{", "}", "[", "]", "\"", "'", "0x", "-1", "1e999", "nan", "é", "\n", ",", "true",
        "u32", ".",
    ];
    for _ in 0..4000 {
        let mut text: Vec<char> = full.chars().collect();
        for _ in 0..1 + random(3) {
            let at = random(text.len());
            match random(3) {
                0 => drop(text.remove(at)),
                1 => {
                    let piece = pieces[random(pieces.len())];
                    text.splice(at..at, piece.chars());
                }
                _ => text[at] = pieces[random(pieces.len())].chars().next().unwrap(),
            }
        }
        parse(&text.into_iter().collect::<String>());
    }
}

#[test]
fn deep_and_long() {
    let deep = 200_000;
    for text in [
        format!("a = {}", "[".repeat(deep)),
        format!("a = {}", "{a = ".repeat(deep)),
        "[".repeat(deep),
        format!("{} = 1", "a.".repeat(deep)),
        format!("[{}a]", "a.".repeat(deep)),
        format!("ptx = \"{}\"", "x".repeat(deep)),
    ] {
        assert!(!parse(&text).0);
    }
    let many: String = (0..20_000).map(|i| format!("k{i} = {i}\n")).collect();
    assert!(parse(&many).1 >= 20_000);
    let start = "ptx = 'a'\nkernel = 'k'\ngrid = 1\nblock = 1\n";
    let wide = format!("{start}[params.a]\nscalar = {{ u8 = [{}] }}", "1,".repeat(deep));
    assert_eq!(parse(&wide), (true, 0));
}

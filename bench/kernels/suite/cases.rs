//! The table of benchmark cases: the buffers, arguments and launches of each.

use super::inputs::{
    ball, bytes, doubles, floats, letters, picture, picture_words, small_integers, sparse, words,
    zeros, zeros_f32, zeros_f64,
};
use super::{Buffer, Case, Check, Data, Launch, Size, Texture, Twin, Value};
use Check::{Close, Equal, Mostly, Scratch};
use Value::{Buffer as B, F32 as F, U32 as U};

/// A row of the table: case name, PTX, plain loops in C, and the function that makes buffers and
/// launches.
type CaseRow = (&'static str, &'static str, &'static str, fn(Size) -> Parts);

/// The parts of a case that its function makes, without name and texts.
struct Parts {
    twin: Twin,
    buffers: Vec<Buffer>,
    texture: Option<Texture>,
    launches: Vec<Launch>,
    plain: Vec<Value>,
}

macro_rules! row {
    ($name:literal, $parts:expr) => {
        (
            $name,
            include_str!(concat!("../", $name, ".ptx")),
            include_str!(concat!("../", $name, ".c")),
            $parts,
        )
    };
}

/// All cases; those with textures come last.
const CASES: &[CaseRow] = &[
    row!("matmul16", |size| matmul("matmul16", 16, size.of(64, 512))),
    row!("matmul32", |size| matmul("matmul32", 32, size.of(64, 384))),
    row!("matmul_f64", matmul_f64),
    row!("transpose", transpose),
    row!("reduce", reduce),
    row!("scan", scan),
    row!("histogram_shared", histogram_shared),
    row!("histogram_global", histogram_global),
    row!("stencil", stencil),
    row!("nbody", nbody),
    row!("black_scholes", black_scholes),
    row!("spmv", spmv),
    row!("bitonic", bitonic),
    row!("radix", radix),
    row!("mandelbrot", mandelbrot),
    row!("search", search),
    row!("saxpy", saxpy),
    row!("copy", copy),
    row!("hash", hash),
    row!("median", median),
    row!("ray_march", ray_march),
];

/// The names of all cases.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    CASES.iter().map(|row| row.0)
}

/// Makes the case with this name, if there is one.
pub(crate) fn case(name: &str, size: Size) -> Option<Case> {
    let &(name, ptx, plain_loop, parts) = CASES.iter().find(|row| row.0 == name)?;
    let Parts { twin, buffers, texture, launches, plain } = parts(size);
    Some(Case { name, ptx, plain_loop, twin, buffers, texture, launches, plain })
}

impl Size {
    fn of(self, small: u32, full: u32) -> u32 {
        match self {
            Size::Small => small,
            Size::Full => full,
        }
    }
}

fn input(name: &'static str, data: Data) -> Buffer {
    Buffer { name, data, written: None }
}

fn output(name: &'static str, data: Data, check: Check) -> Buffer {
    Buffer { name, data, written: Some(check) }
}

/// A one-dimensional launch.
fn line(kernel: &'static str, ctas: u32, block: u32, args: &[Value]) -> Launch {
    Launch { kernel, grid: [ctas, 1, 1], block: [block, 1, 1], args: args.to_vec() }
}

/// A two-dimensional launch with CTAs of size `block`.
fn plane(kernel: &'static str, size: [u32; 2], block: [u32; 2], args: &[Value]) -> Launch {
    let [x, y] = block;
    let grid = [size[0].div_ceil(x), size[1].div_ceil(y), 1];
    Launch { kernel, grid, block: [x, y, 1], args: args.to_vec() }
}

/// A case with one launch; the C loop gets the launch's arguments.
fn one(buffers: Vec<Buffer>, launch: Launch) -> Parts {
    let plain = launch.args.clone();
    Parts { twin: Twin::Same, buffers, texture: None, launches: vec![launch], plain }
}

fn matmul(name: &'static str, tile: u32, n: u32) -> Parts {
    let all = (n * n) as usize;
    let buffers = vec![
        input("a", floats(1, all, -1.0, 1.0)),
        input("b", floats(2, all, -1.0, 1.0)),
        output("c", zeros_f32(all), Close(1e-4, 1e-4)),
    ];
    one(buffers, plane(name, [n, n], [tile, tile], &[B(0), B(1), B(2), U(n)]))
}

fn matmul_f64(size: Size) -> Parts {
    let n = size.of(48, 384);
    let all = (n * n) as usize;
    let buffers = vec![
        input("a", doubles(1, all)),
        input("b", doubles(2, all)),
        output("c", zeros_f64(all), Close(1e-12, 1e-12)),
    ];
    one(buffers, plane("matmul_f64", [n, n], [16, 16], &[B(0), B(1), B(2), U(n)]))
}

fn transpose(size: Size) -> Parts {
    let n = size.of(64, 2048);
    let all = (n * n) as usize;
    let buffers =
        vec![input("in", floats(3, all, -1.0, 1.0)), output("out", zeros_f32(all), Equal)];
    // Each thread moves four elements, so that a CTA has 32 x 8 threads for a tile of 32 x 32.
    let mut launch = plane("transpose", [n, n], [32, 32], &[B(0), B(1), U(n)]);
    launch.block = [32, 8, 1];
    one(buffers, launch)
}

fn reduce(size: Size) -> Parts {
    let (n, ctas) = (size.of(10_000, 1 << 23), size.of(7, 256));
    let buffers = vec![
        input("in", small_integers(4, n as usize)),
        output("sums", zeros_f32(ctas as usize), Scratch),
        output("total", zeros_f32(1), Equal),
    ];
    let launches = vec![
        line("reduce", ctas, 256, &[B(0), B(1), U(n)]),
        line("reduce", 1, 256, &[B(1), B(2), U(ctas)]),
    ];
    Parts { twin: Twin::SubGroups, buffers, texture: None, launches, plain: vec![B(0), B(2), U(n)] }
}

fn scan(size: Size) -> Parts {
    let ctas = size.of(300, 1 << 13);
    let n = ctas * 256;
    let buffers = vec![
        input("in", words(5, n as usize)),
        output("out", zeros(n as usize), Equal),
        output("sums", zeros(ctas as usize), Scratch),
    ];
    let launches = vec![
        line("scan_ctas", ctas, 256, &[B(0), B(1), B(2)]),
        line("scan_sums", 1, 256, &[B(2), U(ctas)]),
        line("add_sums", ctas, 256, &[B(1), B(2)]),
    ];
    Parts { twin: Twin::SubGroups, buffers, texture: None, launches, plain: vec![B(0), B(1), U(n)] }
}

fn histogram_shared(size: Size) -> Parts {
    let n = size.of(5000, 1 << 20);
    let buffers =
        vec![input("in", picture_words(6, n as usize)), output("counts", zeros(256), Equal)];
    one(buffers, line("histogram_shared", size.of(5, 64), 256, &[B(0), B(1), U(n)]))
}

fn histogram_global(size: Size) -> Parts {
    let n = size.of(20_000, 1 << 21);
    let buffers = vec![input("in", words(7, n as usize)), output("counts", zeros(4096), Equal)];
    one(buffers, line("histogram_global", size.of(5, 256), 256, &[B(0), B(1), U(n)]))
}

fn stencil(size: Size) -> Parts {
    const TIMES: u32 = 2;
    let n = size.of(75, 2048);
    let all = (n * n) as usize;
    let buffers = vec![
        output("here", floats(8, all, -1.0, 1.0), Close(1e-6, 1e-6)),
        output("there", zeros_f32(all), Scratch),
    ];
    let [to, fro] = [[0, 1], [1, 0]].map(|[from, to]| {
        plane("stencil", [n, n], [32, 8], &[B(from), B(to), U(n), F(0.5), F(0.125)])
    });
    let mut parts = one(buffers, to.clone());
    parts.launches = (0..TIMES).flat_map(|_| [to.clone(), fro.clone()]).collect();
    parts.plain.push(U(TIMES));
    parts
}

fn nbody(size: Size) -> Parts {
    let n = size.of(512, 4096);
    let buffers = vec![
        input("bodies", floats(9, 4 * n as usize, 0.0, 1.0)),
        output("out", zeros_f32(4 * n as usize), Close(2e-2, 1e-3)),
    ];
    one(buffers, line("nbody", n / 256, 256, &[B(0), B(1), U(n), F(0.01)]))
}

fn black_scholes(size: Size) -> Parts {
    let n = size.of(5000, 1 << 20);
    let all = n as usize;
    let buffers = vec![
        input("price", floats(10, all, 5.0, 30.0)),
        input("strike", floats(11, all, 1.0, 100.0)),
        input("years", floats(12, all, 0.25, 10.0)),
        output("call", zeros_f32(all), Close(1e-3, 1e-4)),
        output("put", zeros_f32(all), Close(1e-3, 1e-4)),
    ];
    let args = [B(0), B(1), B(2), B(3), B(4), U(n), F(0.02), F(0.3)];
    one(buffers, line("black_scholes", n.div_ceil(256), 256, &args))
}

fn spmv(size: Size) -> Parts {
    let rows = size.of(1000, 1 << 18);
    let [starts, columns, values] = sparse(13, rows);
    let buffers = vec![
        input("starts", starts),
        input("columns", columns),
        input("values", values),
        input("vector", floats(15, rows as usize, -1.0, 1.0)),
        output("out", zeros_f32(rows as usize), Close(1e-5, 1e-5)),
    ];
    one(buffers, line("spmv", rows.div_ceil(256), 256, &[B(0), B(1), B(2), B(3), B(4), U(rows)]))
}

fn bitonic(size: Size) -> Parts {
    let ctas = size.of(3, 256);
    let keys = output("keys", words(16, ctas as usize * 1024), Equal);
    let mut parts = one(vec![keys], line("bitonic", ctas, 512, &[B(0)]));
    parts.plain.push(U(ctas));
    parts
}

/// A radix sort, which has launches for each eight bits of the keys: they count digits, compute
/// prefix sums, and scatter the keys.
fn radix(size: Size) -> Parts {
    const DIGITS: u32 = 256;
    let n = size.of(10_000, 1 << 19);
    let ctas = n.div_ceil(256 * 16);
    let buffers = vec![
        output("keys", words(24, n as usize), Equal),
        output("other", zeros(n as usize), Scratch),
        output("bins", zeros(4 * DIGITS as usize), Scratch),
        output("lookback", zeros((4 * ctas * DIGITS) as usize), Scratch),
        output("counters", zeros(4), Scratch),
    ];
    let mut launches = vec![
        line("radix_histogram", size.of(2, 32), 256, &[B(2), B(0), U(n)]),
        line("radix_places", 4, DIGITS, &[B(2)]),
    ];
    for (bit, to, from) in [(0, 1, 0), (8, 0, 1), (16, 1, 0), (24, 0, 1)] {
        let args = [B(3), B(4), B(2), B(to), B(from), U(n), U(bit)];
        launches.push(line("radix_pass", ctas, 256, &args));
    }
    Parts { twin: Twin::None, buffers, texture: None, launches, plain: vec![B(0), B(1), U(n)] }
}

fn mandelbrot(size: Size) -> Parts {
    let (n, most) = (size.of(48, 512), size.of(64, 256));
    let buffers = vec![output("out", zeros((n * n) as usize), Mostly(0.01))];
    let args = [B(0), U(n), U(n), F(-2.0), F(-1.25), F(2.5 / n as f32), U(most)];
    one(buffers, plane("mandelbrot", [n, n], [32, 8], &args))
}

fn search(size: Size) -> Parts {
    let n = size.of(5000, 1 << 22) as usize;
    let text = letters(17, n);
    let pattern = text[n / 2..n / 2 + 6].to_vec();
    let places = n - pattern.len() + 1;
    let length = pattern.len() as u32;
    let buffers = vec![
        input("text", bytes(text)),
        input("pattern", bytes(pattern)),
        output("found", bytes(vec![0; places]), Equal),
        output("count", zeros(1), Equal),
    ];
    let args = [B(0), B(1), B(2), B(3), U(places as u32), U(length)];
    one(buffers, line("search", (places as u32).div_ceil(256), 256, &args))
}

fn saxpy(size: Size) -> Parts {
    let n = size.of(5000, 1 << 23);
    let buffers = vec![
        input("x", floats(18, n as usize, -1.0, 1.0)),
        output("y", floats(19, n as usize, -1.0, 1.0), Close(1e-6, 1e-6)),
    ];
    one(buffers, line("saxpy", n.div_ceil(256), 256, &[B(0), B(1), U(n), F(0.75)]))
}

fn copy(size: Size) -> Parts {
    let n = size.of(5000, 1 << 23);
    let buffers = vec![input("in", words(20, n as usize)), output("out", zeros(n as usize), Equal)];
    one(buffers, line("copy", n.div_ceil(256), 256, &[B(0), B(1), U(n)]))
}

fn hash(size: Size) -> Parts {
    let n = size.of(5000, 1 << 20);
    let buffers = vec![input("in", words(21, n as usize)), output("out", zeros(n as usize), Equal)];
    one(buffers, line("hash", n.div_ceil(256), 256, &[B(0), B(1), U(n), U(16)]))
}

fn median(size: Size) -> Parts {
    let n = size.of(50, 512);
    let all = (n * n) as usize;
    let buffers =
        vec![input("picture", picture(22, all)), output("out", bytes(vec![0; all]), Equal)];
    let parts = one(buffers, plane("median", [n, n], [32, 8], &[Value::Texture, B(1), U(n), U(n)]));
    Parts { texture: Some(Texture { buffer: 0, extent: [n, n, 0], linear: false }), ..parts }
}

fn ray_march(size: Size) -> Parts {
    let (n, rays, steps) = (size.of(16, 128), size.of(40, 128), size.of(24, 128));
    let buffers = vec![
        input("volume", ball(23, n)),
        output("out", zeros_f32((rays * rays) as usize), Close(2e-3, 2e-2)),
    ];
    let args = [Value::Texture, B(1), U(rays), U(rays), U(steps), F(0.5)];
    let mut parts = one(buffers, plane("ray_march", [rays, rays], [16, 16], &args));
    parts.plain.push(U(n));
    Parts { texture: Some(Texture { buffer: 0, extent: [n, n, n], linear: true }), ..parts }
}

//! Tests the rules of docs/python-conventions.md; the name of a test begins with the number of its
//! rule.

use texunit_sample::{
    Action, ArrayOptions, Dtype, ErrorKind, Input, Mipmaps, Points, Request, SampleError, Setting,
    Surface, SurfaceCoordinates, Texture, TextureOptions, shared_shape,
};
use texunit_texel::Format;
use texunit_unit::{ClampMode, Geometry, ReadMode, ReduceOp};

/// An array that owns its elements, for inputs of the tests.
struct Owned {
    shape: Vec<usize>,
    dtype: Dtype,
    bytes: Vec<u8>,
}

impl Owned {
    fn input(&self) -> Input<'_> {
        Input::contiguous(&self.shape, self.dtype, &self.bytes).unwrap()
    }

    fn points(&self) -> Points<'_> {
        Points::Array(self.input())
    }
}

macro_rules! array {
    ($name:ident, $type:ty, $dtype:ident) => {
        fn $name(shape: &[usize], values: &[$type]) -> Owned {
            assert_eq!(shape.iter().product::<usize>(), values.len());
            let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            Owned { shape: shape.to_vec(), dtype: Dtype::$dtype, bytes }
        }
    };
}
array!(f32s, f32, F32);
array!(f64s, f64, F64);
array!(i64s, i64, S64);
array!(u32s, u32, U32);
array!(u16s, u16, U16);
array!(u8s, u8, U8);

fn zeros(shape: &[usize], dtype: Dtype) -> Owned {
    let bytes = vec![0; shape.iter().product::<usize>() * dtype.size()];
    Owned { shape: shape.to_vec(), dtype, bytes }
}

/// An array of f32 with the values 0, 1, 2 and so on.
fn ramp(shape: &[usize]) -> Owned {
    let values: Vec<f32> = (0..shape.iter().product::<usize>()).map(|n| n as f32).collect();
    f32s(shape, &values)
}

fn made(array: &Owned, options: &ArrayOptions) -> Result<Texture, SampleError> {
    Texture::new(&[array.input()], options, &TextureOptions::default())
}

/// Describes the texture that an array of this shape is interpreted as: geometry, extent, format
/// and layers, such as `2d 5x3x1 f32x2 1`.
fn meaning(shape: &[usize], options: &ArrayOptions) -> String {
    let array = zeros(shape, Dtype::F32);
    match options.meaning(&array.input()) {
        Ok(s) => {
            let [w, h, d] = s.extent.axes();
            format!("{} {w}x{h}x{d} {} {}", s.geometry, s.format, s.layers)
        }
        Err(error) => error.to_string(),
    }
}

fn dim(dim: u8) -> ArrayOptions {
    ArrayOptions::default().with_dim(Some(dim))
}

fn layered() -> ArrayOptions {
    ArrayOptions::default().with_layered(true)
}

fn cube() -> ArrayOptions {
    ArrayOptions::default().with_cube(true)
}

fn multisample() -> ArrayOptions {
    ArrayOptions::default().with_multisample(true)
}

/// Executes a request, and returns the shape and the elements of its result as f32.
fn run(texture: &Texture, request: Request<'_>) -> Result<(Vec<usize>, Vec<f32>), SampleError> {
    let call = texture.call(request)?;
    let mut out = vec![0; call.byte_size()];
    call.run(&mut out, 1)?;
    assert_eq!(call.dtype(), Dtype::F32);
    let (words, _) = out.as_chunks::<4>();
    Ok((call.shape().to_vec(), words.iter().map(|&w| f32::from_le_bytes(w)).collect()))
}

fn kind(result: Result<impl Sized, SampleError>) -> (ErrorKind, String) {
    let error = result.err().expect("refused");
    (error.kind(), error.to_string())
}

/// Asserts that a result is a type error whose message contains the words.
fn is_type(result: Result<impl Sized, SampleError>, words: &str) {
    let (kind, text) = kind(result);
    assert!(kind == ErrorKind::Type && text.contains(words), "{kind:?}: {text}");
}

fn is_value(result: Result<impl Sized, SampleError>, words: &str) {
    let (kind, text) = kind(result);
    assert!(kind == ErrorKind::Value && text.contains(words), "{kind:?}: {text}");
}

#[test]
fn a1_strides() {
    let array = ramp(&[3, 4]);
    let at = i64s(&[2, 2], &[1, 0, 3, 2]);
    let fetch = |input: Input<'_>| {
        let texture =
            Texture::new(&[input], &ArrayOptions::default(), &TextureOptions::default()).unwrap();
        run(&texture, Request::new(Action::Fetch, at.points())).unwrap().1
    };
    assert_eq!(fetch(array.input()), [1.0, 11.0]);
    // Inputs with unusual strides: rows upside down, every second column, and one row repeated.
    let flipped = Input::new(&[3, 4], &[-16, 4], Dtype::F32, &array.bytes, 32).unwrap();
    assert_eq!(fetch(flipped), [9.0, 3.0]);
    let transposed = Input::new(&[4, 3], &[4, 16], Dtype::F32, &array.bytes, 0).unwrap();
    assert_eq!(fetch(transposed), [4.0, 0.0]);
    let repeated = Input::new(&[3, 4], &[0, 4], Dtype::F32, &array.bytes, 16).unwrap();
    assert_eq!(fetch(repeated), [5.0, 7.0]);
    assert!(Input::new(&[3, 4], &[16, 8], Dtype::F32, &array.bytes, 0).is_err());
    assert!(Input::new(&[2], &[-4], Dtype::F32, &array.bytes, 0).is_err());
    assert!(Input::new(&[usize::MAX, 2], &[0, 0], Dtype::F32, &array.bytes, 0).is_err());
}

#[test]
fn a2_to_a5_shapes_alone() {
    assert_eq!(meaning(&[5], &ArrayOptions::default()), "1d 5x1x1 f32 1");
    assert_eq!(meaning(&[3, 5], &ArrayOptions::default()), "2d 5x3x1 f32 1");
    assert_eq!(meaning(&[3, 5, 2], &ArrayOptions::default()), "2d 5x3x1 f32x2 1");
    assert_eq!(meaning(&[3, 5, 1], &ArrayOptions::default()), "2d 5x3x1 f32 1");
    assert_eq!(meaning(&[7, 3, 5, 4], &ArrayOptions::default()), "3d 5x3x7 f32x4 1");
    assert_eq!(meaning(&[7, 3, 4], &dim(3)), "3d 4x3x7 f32 1");
}

#[test]
fn a6_three_channels() {
    let text = meaning(&[3, 5, 3], &ArrayOptions::default());
    assert!(text.contains("pad to 4") && text.contains("moveaxis"), "{text}");
    is_value(ArrayOptions::default().meaning(&zeros(&[3, 5, 3], Dtype::U8).input()), "3 channels");
}

#[test]
fn a7_other_channels() {
    let text = meaning(&[3, 5, 6], &ArrayOptions::default());
    for words in ["1, 2 or 4", "dim=3", "layered=True", "cube=True"] {
        assert!(text.contains(words), "{text}");
    }
    assert!(meaning(&[], &ArrayOptions::default()).contains("1 axis"));
    assert!(
        meaning(&[1, 2, 3, 4, 5], &ArrayOptions::default()).contains("(D, H, W[, C]) expected")
    );
}

#[test]
fn a8_to_a11_what_is_said() {
    assert_eq!(meaning(&[5, 4], &dim(1)), "1d 5x1x1 f32x4 1");
    assert_eq!(meaning(&[3, 5], &layered().with_dim(Some(1))), "a1d 5x1x1 f32 3");
    assert_eq!(meaning(&[3, 5, 2], &layered().with_dim(Some(1))), "a1d 5x1x1 f32x2 3");
    assert_eq!(meaning(&[3, 5], &layered()), "a1d 5x1x1 f32 3");
    assert_eq!(meaning(&[7, 3, 5], &layered()), "a2d 5x3x1 f32 7");
    assert_eq!(meaning(&[7, 3, 5, 2], &layered()), "a2d 5x3x1 f32x2 7");
    assert!(meaning(&[2, 7, 3, 5], &layered().with_dim(Some(3))).contains("three dimensions"));
    assert_eq!(meaning(&[6, 5, 5], &cube()), "cube 5x5x1 f32 1");
    assert_eq!(meaning(&[6, 5, 5, 4], &cube()), "cube 5x5x1 f32x4 1");
    assert_eq!(meaning(&[2, 6, 5, 5], &cube().with_layered(true)), "acube 5x5x1 f32 2");
    assert!(meaning(&[5, 5, 5], &cube()).contains("(6, N, N[, C])"));
    assert!(meaning(&[6, 5, 4], &cube()).contains("(6, N, N[, C])"));
    assert_eq!(meaning(&[4, 3, 5], &multisample()), "2dms 5x3x1 f32 1");
    assert_eq!(meaning(&[9, 4, 3, 5, 2], &multisample().with_layered(true)), "a2dms 5x3x1 f32x2 9");
    is_value(made(&zeros(&[3, 3, 5], Dtype::F32), &multisample()), "samples");
}

#[test]
fn a12_types() {
    for dtype in [
        Dtype::U8,
        Dtype::S8,
        Dtype::U16,
        Dtype::S16,
        Dtype::U32,
        Dtype::S32,
        Dtype::F16,
        Dtype::F32,
    ] {
        assert!(made(&zeros(&[2, 3], dtype), &ArrayOptions::default()).is_ok());
    }
    is_type(made(&zeros(&[2, 3], Dtype::F64), &ArrayOptions::default()), "astype(numpy.float32)");
    is_type(made(&zeros(&[2, 3], Dtype::S64), &ArrayOptions::default()), "astype(numpy.int32)");
    is_type(made(&zeros(&[2, 3], Dtype::U64), &ArrayOptions::default()), "astype(numpy.uint32)");
    assert_eq!(Dtype::of('b', 1), Some(Dtype::U8));
    assert_eq!((Dtype::of('c', 8), Dtype::of('f', 16)), (None, None));
}

fn format(name: &str) -> ArrayOptions {
    ArrayOptions::default().with_format(Format::from_name(name))
}

#[test]
fn a13_formats() {
    assert!(made(&zeros(&[3, 5, 4], Dtype::U8), &format("unorm8x4")).is_ok());
    assert!(made(&zeros(&[3, 5], Dtype::U32), &format("depth24")).is_ok());
    let volume = made(&zeros(&[7, 3, 5], Dtype::U32), &format("rgb10a2")).unwrap();
    assert_eq!(volume.resource().geometry(), Geometry::D3);
    is_value(made(&zeros(&[3, 5], Dtype::U16), &format("depth24")), "4 bytes");
}

#[test]
fn a14_blocks() {
    let texture = made(&zeros(&[2, 3, 16], Dtype::U8), &format("bc7")).unwrap();
    assert_eq!(texture.resource().extent().axes(), [12, 8, 1]);
    let cut = format("bc7").with_size(Some(vec![10, 5]));
    let texture = made(&zeros(&[2, 3, 16], Dtype::U8), &cut).unwrap();
    assert_eq!(texture.resource().extent().axes(), [10, 5, 1]);
    is_value(made(&zeros(&[2, 4, 16], Dtype::U8), &cut), "size");
    is_value(made(&zeros(&[2, 3, 8], Dtype::U8), &format("bc7")), "16 bytes");
}

#[test]
fn a16_arrays_that_can_be_shared() {
    let options = ArrayOptions::default();
    let shape = |array: &Owned| shared_shape(&[array.input()], &options).map(|s| s.extent.axes());
    let why = |error: SampleError| {
        assert_eq!(error.kind(), ErrorKind::Value);
        error.to_string()
    };
    assert_eq!(shape(&zeros(&[3, 8], Dtype::U8)).unwrap(), [8, 3, 1]);
    assert_eq!(shape(&zeros(&[3, 2, 4], Dtype::U16)).unwrap(), [2, 3, 1]);
    // The pitch of an array with a single row does not matter, because no row follows.
    assert_eq!(shape(&zeros(&[5], Dtype::U8)).unwrap(), [5, 1, 1]);
    assert_eq!(shape(&zeros(&[1, 3], Dtype::U16)).unwrap(), [3, 1, 1]);
    let narrow = why(shape(&zeros(&[2, 3], Dtype::U8)).unwrap_err());
    assert!(narrow.contains("3 texels of u8 is not a multiple of 8 bytes"), "{narrow}");
    let array = zeros(&[4, 8], Dtype::U8);
    let mirrored = Input::new(&[4, 8], &[8, -1], Dtype::U8, &array.bytes, 7).unwrap();
    assert!(!mirrored.is_contiguous() && array.input().is_contiguous());
    assert!(why(shared_shape(&[mirrored], &options).unwrap_err()).contains("not contiguous"));
    // The stride of an axis of length 1 does not matter.
    assert!(Input::new(&[1, 8], &[3, 1], Dtype::U8, &array.bytes, 0).unwrap().is_contiguous());
    let weak = array.input().weak();
    assert!(why(shared_shape(&[weak], &options).unwrap_err()).contains("no memory"));
    let (first, second) = (array.input(), array.input());
    assert!(why(shared_shape(&[first, second], &options).unwrap_err()).contains("one piece"));
    let mipmaps = options.clone().with_mipmaps(Mipmaps::All);
    assert!(why(shared_shape(&[array.input()], &mipmaps).unwrap_err()).contains("are made"));
    assert!(shared_shape(&[zeros(&[4, 4, 3], Dtype::U8).input()], &options).is_err());
}

/// A call that is executed in parts with `run_from` gives the same results as a single `run`.
#[test]
fn a_call_in_parts() {
    let texture = Texture::new(
        &[f32s(&[2, 2], &[0.0, 1.0, 2.0, 3.0]).input()],
        &ArrayOptions::default(),
        &TextureOptions::default(),
    );
    let texture = texture.unwrap();
    let points: Vec<f32> = (0..200_000).map(|i| (i % 5) as f32 * 0.5).collect();
    let points = f32s(&[100_000, 2], &points);
    let call = texture.call(Request::new(Action::Sample, points.points())).unwrap();
    let (mut whole, mut parts) = (vec![0; call.byte_size()], vec![0; call.byte_size()]);
    call.run(&mut whole, 1).unwrap();
    for (n, part) in parts.chunks_mut(4 * 30_001).enumerate() {
        call.run_from(n * 30_001, part, 2).unwrap();
    }
    assert!(whole == parts);
    assert!(call.run_from(99_999, &mut [0; 8], 1).is_err());
    assert!(call.run_from(0, &mut [0; 6], 1).is_err());
    assert!(call.run_from(usize::MAX, &mut [0; 4], 1).is_err());
}

#[test]
fn a15_levels() {
    let [base, one, two] = [ramp(&[4, 4]), ramp(&[2, 2]), ramp(&[1, 1])];
    let given = [base.input(), one.input(), two.input()];
    let texture =
        Texture::new(&given, &ArrayOptions::default(), &TextureOptions::default()).unwrap();
    assert_eq!(texture.resource().levels().len(), 3);
    let wrong = [base.input(), base.input()];
    is_value(
        Texture::new(&wrong, &ArrayOptions::default(), &TextureOptions::default()),
        "half the size",
    );
    let all = ArrayOptions::default().with_mipmaps(Mipmaps::All);
    let texture = made(&base, &all).unwrap();
    assert_eq!(texture.resource().levels().len(), 3);
    let (at, lod) = (i64s(&[2], &[0, 0]), i64s(&[3], &[0, 1, 2]));
    let fetch = Request { lod: Some(lod.input()), ..Request::new(Action::Fetch, at.points()) };
    assert_eq!(run(&texture, fetch).unwrap(), (vec![3], vec![0.0, 2.5, 7.5]));
    let some = |n| ArrayOptions::default().with_mipmaps(Mipmaps::Levels(n));
    assert_eq!(made(&base, &some(2)).unwrap().resource().levels().len(), 2);
    assert!(made(&base, &some(4)).is_err() && made(&base, &some(0)).is_err());
    is_type(Texture::new(&given, &all, &TextureOptions::default()), "one of the two");
}

fn words(all: &[&str]) -> Setting {
    Setting::Words(all.iter().map(|&word| word.to_owned()).collect())
}

#[test]
fn s1_to_s3_words() {
    let long = TextureOptions::of([
        ("address_mode", words(&["WRAP", "border"])),
        ("filter_mode", words(&["LINEAR"])),
        ("read_mode", words(&["NORMALIZED_FLOAT"])),
        ("normalized_coords", Setting::Flag(true)),
        ("border_color", Setting::Numbers(vec![0.0, 0.5, 1.0, 2.0])),
        ("max_anisotropy", Setting::Numbers(vec![8.0])),
        ("max_mipmap_level_clamp", Setting::Numbers(vec![2.5])),
    ]);
    let short = TextureOptions::of([
        ("address", words(&["wrap", "border", "border"])),
        ("filter", words(&["linear"])),
        ("read", words(&["normalized"])),
        ("normalized_coords", Setting::Flag(true)),
        ("border", Setting::Numbers(vec![0.0, 0.5, 1.0, 2.0])),
        ("anisotropy", Setting::Numbers(vec![8.0])),
        ("max_level", Setting::Numbers(vec![2.5])),
    ]);
    assert_eq!(long.unwrap(), short.unwrap());
    let twice = [("filter", words(&["linear"])), ("filter_mode", words(&["linear"]))];
    is_type(TextureOptions::of(twice), "given too");
    is_type(TextureOptions::of([("filters", words(&["linear"]))]), "unknown option");
    is_type(TextureOptions::of([("filter", Setting::Flag(true))]), "point or linear");
    is_value(TextureOptions::of([("filter", words(&["cubic"]))]), "point, linear");
    let plain = made(&zeros(&[2, 2], Dtype::U8), &ArrayOptions::default()).unwrap();
    assert_eq!(plain.header().read_mode, ReadMode::Element);
    assert!(!plain.header().normalized_coords);
    let blocks = made(&zeros(&[1, 1, 8], Dtype::U8), &format("bc1")).unwrap();
    assert_eq!(blocks.header().read_mode, ReadMode::NormalizedFloat);
}

#[test]
fn s4_and_s5_pairs() {
    let array = zeros(&[2, 2], Dtype::U8);
    let linear = ("filter", words(&["linear"]));
    let usual = TextureOptions::of([linear.clone()]).unwrap();
    let texture = Texture::new(&[array.input()], &ArrayOptions::default(), &usual).unwrap();
    assert_eq!(texture.header().read_mode, texunit_unit::ReadMode::NormalizedFloat);
    let element = TextureOptions::of([linear, ("read", words(&["element"]))]).unwrap();
    is_value(
        Texture::new(&[array.input()], &ArrayOptions::default(), &element),
        "`read` = `normalized`",
    );
    let wrap = TextureOptions::of([("address", words(&["wrap"]))]).unwrap();
    let texture = Texture::new(&[array.input()], &ArrayOptions::default(), &wrap).unwrap();
    let at = f32s(&[2], &[0.0, 0.0]);
    let form = texture.call(Request::new(Action::Sample, at.points())).unwrap().form();
    assert_eq!(texture.effective(form).overrides[0].rule, "1.8");
}

#[test]
fn c1_and_c2_points() {
    let texture = made(&ramp(&[4, 4]), &ArrayOptions::default()).unwrap();
    let sample = |points| run(&texture, Request::new(Action::Sample, points));
    let xy = f32s(&[2, 1, 2], &[1.5, 0.5, 2.5, 3.5]);
    assert_eq!(sample(xy.points()).unwrap(), (vec![2, 1], vec![1.0, 14.0]));
    let (x, y) = (f32s(&[3], &[0.5, 1.5, 2.5]), f32s(&[2, 1], &[0.5, 1.5]));
    let separate = Points::Separate(vec![x.input(), y.input()]);
    assert_eq!(sample(separate).unwrap(), (vec![2, 3], vec![0.0, 1.0, 2.0, 4.0, 5.0, 6.0]));
    is_value(sample(x.points()), "last axis of 2");
    is_type(sample(Points::Separate(vec![x.input()])), "2 arrays");
    let other = f32s(&[2], &[0.5, 1.5]);
    is_value(sample(Points::Separate(vec![x.input(), other.input()])), "broadcast");
    let line = made(&ramp(&[4]), &ArrayOptions::default()).unwrap();
    assert_eq!(run(&line, Request::new(Action::Sample, x.points())).unwrap().0, [3]);
}

#[test]
fn c3_to_c5_types() {
    let texture = made(&ramp(&[4]), &ArrayOptions::default()).unwrap();
    let sample = |points| run(&texture, Request::new(Action::Sample, points));
    let strict =
        |points| run(&texture, Request { strict: true, ..Request::new(Action::Sample, points) });
    let half = u16s(&[1], &[0x3e00]);
    let half = Input::contiguous(&[1], Dtype::F16, &half.bytes).unwrap();
    assert_eq!(sample(Points::Array(half)).unwrap().1, [1.0]);
    // 2 - 2^-30 is not a float32; it is rounded to 2.
    let special = f64s(&[3], &[0.5, f64::NAN, f64::INFINITY]);
    let double = f64s(&[2], &[0.5, 2.0 - 1.0 / (1_u64 << 30) as f64]);
    assert_eq!(sample(double.points()).unwrap().1, [0.0, 2.0]);
    is_value(strict(double.points()), "not a float32");
    assert!(strict(special.points()).is_ok());
    let integer = i64s(&[1], &[2]);
    is_type(sample(integer.points()), "`fetch`");
    // Fetches with integer coordinates return zeros from 1D arrays (docs/numerics.md 1.13), so they
    // are refused.
    is_value(run(&texture, Request::new(Action::Fetch, integer.points())), "1D array");
    let rows = made(&ramp(&[2, 2]), &ArrayOptions::default()).unwrap();
    let fetch = |points| run(&rows, Request::new(Action::Fetch, points));
    let (at, floats) = (i64s(&[2], &[0, 1]), f64s(&[2], &[0.0, 1.0]));
    let large = i64s(&[2], &[0, 1 << 31]);
    assert_eq!(fetch(at.points()).unwrap().1, [2.0]);
    is_type(fetch(floats.points()), "integers");
    is_value(fetch(large.points()), "2147483648");
    let number = 0.1_f64.to_le_bytes();
    let weak = Input::contiguous(&[], Dtype::F64, &number).unwrap().weak();
    assert_eq!(strict(Points::Array(weak)).unwrap(), (vec![], vec![0.0]));
    let number = 2_i64.to_le_bytes();
    let weak = Input::contiguous(&[], Dtype::S64, &number).unwrap().weak();
    assert_eq!(sample(Points::Array(weak)).unwrap().1, [2.0]);
}

#[test]
fn c6_and_c7_levels() {
    let options = TextureOptions::default().with_normalized_coords(true);
    let all = ArrayOptions::default().with_mipmaps(Mipmaps::All);
    let texture = Texture::new(&[ramp(&[4, 4]).input()], &all, &options).unwrap();
    let (xy, lod) = (f32s(&[2], &[0.1, 0.1]), f32s(&[3, 1], &[0.0, 1.0, 2.0]));
    let plain = || Request::new(Action::Sample, xy.points());
    let by_level = Request { lod: Some(lod.input()), ..plain() };
    assert_eq!(run(&texture, by_level).unwrap(), (vec![3, 1], vec![0.0, 2.5, 7.5]));
    let (x, y) = (f32s(&[2, 2], &[0.25, 0.0, 1.0, 0.0]), f32s(&[2], &[0.0, 0.25]));
    let by_grad = Request { grad: Some([x.points(), y.points()]), ..plain() };
    assert_eq!(run(&texture, by_grad).unwrap(), (vec![2], vec![0.0, 7.5]));
    let both = Request { grad: Some([x.points(), y.points()]), lod: Some(lod.input()), ..plain() };
    is_type(run(&texture, both), "one of the two");
    let (at, wrong) = (i64s(&[2], &[0, 0]), f32s(&[], &[1.0]));
    let fetch = Request { lod: Some(wrong.input()), ..Request::new(Action::Fetch, at.points()) };
    is_type(run(&texture, fetch), "integers");
}

#[test]
fn c8_and_c9_layers_and_samples() {
    let texture = made(&ramp(&[3, 2, 2]), &layered()).unwrap();
    let (negative, float) = (i64s(&[1], &[-1]), f32s(&[1], &[0.0]));
    let (xy, layer) = (f32s(&[2], &[0.5, 0.5]), i64s(&[3], &[0, 2, 9]));
    let plain = || Request::new(Action::Sample, xy.points());
    let of = |layer| Request { layer: Some(layer), ..plain() };
    assert_eq!(run(&texture, of(layer.input())).unwrap(), (vec![3], vec![0.0, 8.0, 8.0]));
    is_type(run(&texture, plain()), "the texture has layers");
    is_value(run(&texture, of(negative.input())), "-1");
    is_type(run(&texture, of(float.input())), "integers");
    is_type(
        run(&made(&ramp(&[2, 2]), &ArrayOptions::default()).unwrap(), of(layer.input())),
        "leave layer out",
    );
    let samples = made(&ramp(&[2, 2, 2]), &multisample()).unwrap();
    let (at, sample) = (i64s(&[2], &[1, 0]), i64s(&[2], &[0, 1]));
    let fetch =
        Request { sample: Some(sample.input()), ..Request::new(Action::Fetch, at.points()) };
    assert_eq!(run(&samples, fetch).unwrap().1, [1.0, 5.0]);
    is_type(run(&samples, Request::new(Action::Fetch, at.points())), "samples");
    is_type(run(&samples, plain()), "`fetch` takes those");
}

#[test]
fn c10_and_c11_offset_and_compare() {
    let texture = made(&ramp(&[4, 4]), &ArrayOptions::default()).unwrap();
    let (xy, offset) = (f32s(&[2], &[0.5, 0.5]), i64s(&[2, 2], &[1, 2, 3, 0]));
    let moved =
        Request { offset: Some(offset.points()), ..Request::new(Action::Sample, xy.points()) };
    assert_eq!(run(&texture, moved).unwrap(), (vec![2], vec![9.0, 3.0]));
    let options = TextureOptions::of([("compare", words(&["less"]))]).unwrap();
    let depth = Texture::new(&[ramp(&[2, 2]).input()], &ArrayOptions::default(), &options).unwrap();
    let reference = f32s(&[2], &[-1.0, 5.0]);
    let with = || Request {
        compare: Some(reference.input()),
        ..Request::new(Action::Sample, xy.points())
    };
    assert_eq!(run(&depth, with()).unwrap(), (vec![2], vec![1.0, 0.0]));
    // A compare operand is ignored if the sampler has no compare function, or if the format is not
    // a depth format (docs/numerics.md 9.2).
    let plain = made(&ramp(&[2, 2, 4]), &ArrayOptions::default()).unwrap();
    assert_eq!(run(&plain, with()).unwrap().0, [2, 4]);
    let four =
        Texture::new(&[ramp(&[2, 2, 4]).input()], &ArrayOptions::default(), &options).unwrap();
    assert_eq!(run(&four, with()).unwrap(), run(&plain, with()).unwrap());
}

#[test]
fn r1_to_r6_results() {
    let four = made(&ramp(&[2, 2, 4]), &ArrayOptions::default()).unwrap();
    let xy = f32s(&[3, 2], &[0.5, 0.5, 1.5, 0.5, 0.5, 1.5]);
    let sample = || Request::new(Action::Sample, xy.points());
    let (shape, values) = run(&four, sample()).unwrap();
    assert_eq!((&shape[..], &values[4..8]), (&[3, 4][..], &[4.0, 5.0, 6.0, 7.0][..]));
    let one = made(&ramp(&[2, 2, 1]), &ArrayOptions::default()).unwrap();
    assert_eq!(run(&one, sample()).unwrap().0, [3]);
    let two = made(&ramp(&[2, 2, 2]), &ArrayOptions::default()).unwrap();
    assert_eq!(run(&two, sample()).unwrap().0, [3, 2]);
    let blocks = made(&zeros(&[1, 1, 16], Dtype::U8), &format("bc6h")).unwrap();
    assert_eq!(run(&blocks, sample()).unwrap(), (vec![3, 4], [0.0, 0.0, 0.0, 1.0].repeat(3)));
    let middle = f32s(&[2], &[1.0, 1.0]);
    let gather = Request::new(Action::Gather(0), middle.points());
    assert_eq!(run(&one, gather).unwrap(), (vec![4], vec![2.0, 3.0, 1.0, 0.0]));
    for dtype in [Dtype::U8, Dtype::S8, Dtype::U16, Dtype::S16, Dtype::U32, Dtype::S32] {
        let texture = made(&zeros(&[2, 2], dtype), &ArrayOptions::default()).unwrap();
        assert_eq!(texture.call(sample()).unwrap().dtype(), dtype);
        let half = Request { half: true, ..sample() };
        is_type(texture.call(half), "float16");
    }
    let half = Request { half: true, ..sample() };
    let call = one.call(half).unwrap();
    let mut out = vec![0; call.byte_size()];
    call.run(&mut out, 1).unwrap();
    assert_eq!((call.dtype(), &out[..]), (Dtype::F16, &[0, 0, 0, 0x3c, 0, 0x40][..]));
    is_type(
        one.call(Request { half: true, ..Request::new(Action::Gather(0), middle.points()) }),
        "f16",
    );
}

#[test]
fn r7_to_r9_out_and_threads() {
    let texture = made(&ramp(&[64, 64, 2]), &ArrayOptions::default()).unwrap();
    let xy: Vec<f32> = (0..100_000).map(|n| (n * 7919 % 6151) as f32 / 96.0).collect();
    let xy = f32s(&[25_000, 2, 2], &xy);
    let call = texture.call(Request::new(Action::Sample, xy.points())).unwrap();
    let results = [1, 3, 0].map(|threads| {
        let mut out = vec![0; call.byte_size()];
        call.run(&mut out, threads).unwrap();
        out
    });
    assert!(results[0] == results[1] && results[1] == results[2]);
    is_value(call.run(&mut [0; 4], 1), "400000");
    let none = f32s(&[0, 2], &[]);
    assert_eq!(
        run(&texture, Request::new(Action::Sample, none.points())).unwrap(),
        (vec![0, 2], vec![])
    );
}

#[test]
fn f1_to_f5_surfaces() {
    let array = u32s(&[2, 3], &[0, 1, 2, 3, 4, 5]);
    let surface = Surface::new(&array.input(), &ArrayOptions::default()).unwrap();
    let read = |places: SurfaceCoordinates<'_>| {
        let shape = surface.read_shape(&places)?;
        let mut out = vec![0; shape.iter().product::<usize>() * 4];
        surface.read(places, &mut out)?;
        let (words, _) = out.as_chunks::<4>();
        Ok::<_, SampleError>(words.iter().map(|&w| u32::from_le_bytes(w)).collect::<Vec<_>>())
    };
    fn at(points: &Owned, boundary: ClampMode) -> SurfaceCoordinates<'_> {
        SurfaceCoordinates { points: points.points(), layer: None, boundary }
    }
    let all = i64s(&[3, 2], &[0, 0, 2, 1, 2, 1]);
    assert_eq!(read(at(&all, ClampMode::Trap)).unwrap(), [0, 5, 5]);
    surface.write(at(&all, ClampMode::Trap), &u32s(&[3], &[7, 8, 9]).input()).unwrap();
    assert_eq!(read(at(&all, ClampMode::Trap)).unwrap(), [7, 9, 9]);
    surface.reduce(ReduceOp::Add, at(&all, ClampMode::Trap), &u32s(&[], &[1]).input()).unwrap();
    assert_eq!(read(at(&all, ClampMode::Trap)).unwrap(), [8, 11, 11]);
    let outside = i64s(&[2, 2], &[0, 0, 1 << 30, -1]);
    is_value(read(at(&outside, ClampMode::Trap)), "access 1");
    assert_eq!(read(at(&outside, ClampMode::Zero)).unwrap(), [8, 0]);
    assert_eq!(read(at(&outside, ClampMode::Clamp)).unwrap(), [8, 2]);
    is_type(surface.write(at(&all, ClampMode::Trap), &f32s(&[], &[1.0]).input()), "surface's type");
    let four = Surface::new(&zeros(&[6, 2, 2, 4], Dtype::U8).input(), &cube()).unwrap();
    assert_eq!(four.shape(), [6, 2, 2, 4]);
    let (xy, face) = (i64s(&[2], &[1, 1]), i64s(&[1], &[5]));
    let place = || SurfaceCoordinates {
        points: xy.points(),
        layer: Some(face.input()),
        boundary: ClampMode::Trap,
    };
    four.write(place(), &u8s(&[4], &[1, 2, 3, 4]).input()).unwrap();
    assert_eq!(four.resource().to_packed()[92..], [1, 2, 3, 4]);
    is_type(four.reduce(ReduceOp::Add, place(), &u8s(&[4], &[1, 2, 3, 4]).input()), "one channel");
}

/// F3: of several writes to a texel, the last one in C order stays, for each texel size and number
/// of writes.
#[test]
fn f3_the_later_write_stays() {
    for channels in [1, 2, 4] {
        let array = zeros(&[2, channels], Dtype::U32);
        let options = ArrayOptions::default().with_dim(Some(1));
        let surface = Surface::new(&array.input(), &options).unwrap();
        fn places(at: &Owned) -> SurfaceCoordinates<'_> {
            SurfaceCoordinates { points: at.points(), layer: None, boundary: ClampMode::Trap }
        }
        for count in [1, 2, 7, 8, 9, 16, 17, 31, 32, 33, 40, 64, 100] {
            let at = i64s(&[count], &vec![1; count]);
            let numbers: Vec<u32> = (0..count * channels).map(|n| n as u32 + 1).collect();
            let values = u32s(&[count, channels], &numbers);
            let shape: &[usize] = if channels == 1 { &[count] } else { &[count, channels] };
            let values = Input::contiguous(shape, Dtype::U32, &values.bytes).unwrap();
            surface.write(places(&at), &values).unwrap();
            let last = &numbers[numbers.len() - channels..];
            let last: Vec<u8> = last.iter().flat_map(|n| n.to_le_bytes()).collect();
            assert_eq!(surface.resource().to_packed()[4 * channels..], last, "{count} {channels}");
        }
        let outside = i64s(&[6], &[0, 1, 9, 1, 8, 0]);
        let one = u32s(&[channels], &vec![1; channels]);
        let shape: &[usize] = if channels == 1 { &[] } else { &[channels] };
        let one = Input::contiguous(shape, Dtype::U32, &one.bytes).unwrap();
        is_value(surface.write(places(&outside), &one), "access 2");
    }
}

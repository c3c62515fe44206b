//! Runs every job of examples/ and compares its outputs with examples/*/expected, texel by texel;
//! then again with one thread.

use std::path::{Path, PathBuf};
use texunit::launch_args::LaunchArgs;
use texunit::launch_report::Report;
use texunit_files::{TexelRequest, Texels, read_texels};

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples").join(path)
}

fn texels(path: &Path) -> Texels {
    let read = |name| {
        let format = texunit_device::Format::from_name(name).unwrap();
        read_texels(path, &TexelRequest { format, dims: None, extent: None })
    };
    read("u8x4").unwrap_or_else(|e| panic!("{e}"))
}

fn run(name: &str, threads: u16, more: &[&str]) -> Report {
    let example = folder(name);
    let out = texunit_testkit::TempDir::new(name);
    let threads = threads.to_string();
    let options = ["--format", "json", "--memory-limit", "200M", "--threads", &threads];
    let options = [&options[..], more].concat();
    let args = LaunchArgs::parse(&example.join("job.toml"), &out, &options).unwrap();
    let report = texunit::run::launch(&args);
    assert!(report.succeeded(), "{}", texunit::human::render(&report, false, false).1);
    let mut compared = 0;
    for entry in std::fs::read_dir(example.join("expected")).unwrap() {
        let expected = entry.unwrap().path();
        compared += 1;
        if expected.extension().is_some_and(|e| e == "npy") {
            let read = |path: &Path| texunit_files::read_array(path).unwrap();
            let found = read(&out.join(expected.file_name().unwrap()));
            let wanted = read(&expected);
            let flat =
                |shape: &[u64]| shape.iter().filter(|&&n| n != 1).copied().collect::<Vec<_>>();
            assert_eq!((found.dtype, flat(&found.shape)), (wanted.dtype, flat(&wanted.shape)));
            let size = found.bytes.len() / found.shape.iter().product::<u64>() as usize;
            let pairs = found.bytes.chunks(size).zip(wanted.bytes.chunks(size));
            if let Some((at, (a, b))) = pairs.enumerate().find(|(_, (a, b))| a != b) {
                panic!("{name}: element {at} is {a:?}, expected {b:?}");
            }
            continue;
        }
        let found = texels(&out.join(expected.file_name().unwrap()));
        let wanted = texels(&expected);
        assert_eq!((found.width, found.height), (wanted.width, wanted.height), "{name}");
        let differs = found.bytes.chunks(4).zip(wanted.bytes.chunks(4)).position(|(a, b)| a != b);
        if let Some(at) = differs {
            let (x, y) = (at % wanted.width as usize, at / wanted.width as usize);
            let [a, b] = [&found, &wanted].map(|t| t.bytes[4 * at..][..4].to_vec());
            panic!("{name}: texel ({x}, {y}) is {a:?}, expected {b:?}");
        }
    }
    assert_eq!(compared, report.outputs.len(), "every output has its expected picture");
    report
}

/// With TXD for every gradient fetch of the ground, the picture is the same.
#[test]
fn ground_by_txd() {
    let report = run("ground", 0, &["--via-txd"]);
    let stats = report.stats.unwrap();
    let gradients = stats.gradients.unwrap();
    assert!(gradients.unit.is_empty(), "{gradients:?}");
    // The other half is fetched without gradients.
    assert_eq!((gradients.engine, stats.fetches), (192 * 96 / 2, 192 * 96));
}

macro_rules! examples {
    ($($test:ident: $name:literal,)*) => {
        $(#[test]
        fn $test() {
            run($name, 0, &[]);
            run($name, 1, &[]);
        })*

        /// The tests above cover all examples.
        #[test]
        fn all_of_them() {
            let mut found: Vec<_> = std::fs::read_dir(folder(""))
                .unwrap()
                .map(|e| e.unwrap().path())
                .filter(|p| p.join("job.toml").exists())
                .map(|p| p.file_name().unwrap().to_str().unwrap().to_owned())
                .collect();
            found.sort();
            let mut listed = vec![$($name),*];
            listed.sort_unstable();
            assert_eq!(found, listed);
        }
    };
}

examples! {
    rotate: "rotate",
    sobel: "sobel",
    bicubic: "bicubic",
    volume: "volume",
    surface_blur: "surface-blur",
    texref: "texref",
    independent: "independent",
    lut: "lut",
    sky: "sky",
    layers: "layers",
    shadow: "shadow",
    emboss: "emboss",
    queries: "queries",
    histogram: "histogram",
    formatted: "formatted",
    half: "half",
    resolve: "resolve",
    sparse: "sparse",
    ground: "ground",
}

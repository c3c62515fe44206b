//! Every way of binding a kernel's parameters and writing its outputs: small jobs with
//! tests/cli/kernels.ptx, and the expected bytes.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use texunit::args::LaunchArgs;
use texunit::run::Report;
use texunit_testkit::TempDir;

/// Runs a job; `FILES` in it stands for tests/cli/files. Returns the report and the output folder.
fn launch(name: &str, job: &str) -> (Report, TempDir) {
    let cli =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/cli").canonicalize().unwrap();
    let folder = TempDir::new(&format!("bind-{name}"));
    let ptx = cli.join("kernels.ptx");
    let job = job.replace("FILES", cli.join("files").to_str().unwrap());
    let text = format!("ptx = \"{}\"\n{job}", ptx.to_str().unwrap());
    (launch_text(&folder, &text), folder)
}

/// Runs a job in a folder.
fn launch_text(folder: &Path, text: &str) -> Report {
    std::fs::write(folder.join("job.toml"), text).unwrap();
    let options = ["--threads", "1", "--max-steps", "10000", "--memory-limit", "1M"];
    let args = LaunchArgs::parse(&folder.join("job.toml"), folder, &options).unwrap();
    texunit::run::launch(&args)
}

/// Runs a job that must succeed and returns the bytes of its output `out.raw`.
fn run(name: &str, job: &str) -> Vec<u8> {
    let (report, folder) = launch(name, job);
    assert!(report.succeeded(), "{}", texunit::human::render(&report, false, false).1);
    std::fs::read(folder.join("out.raw")).unwrap()
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

const COPY: &str = "kernel = 'copy'\ngrid = [2]\nblock = [1]\n";

#[test]
fn layouts_of_textures_from_files() {
    for (layout, extra) in [
        ("array", ""),
        ("pitch", ""),
        ("pitch", ", pitch = 64"),
        ("array", ", height = 2, width = 1"),
    ] {
        let job = format!(
            "{COPY}params.from.texture = {{ file = 'FILES/good.png', format = 'u8x4', layout = '{layout}'{extra} }}
            params.to = {{ surface = {{ zeros = true, format = 'u8x4', width = 1, height = 2 }}, output = {{ file = 'out.raw' }} }}"
        );
        // `copy` stores the first channel's value as 32 bits.
        assert_eq!(run(&format!("file-{layout}{}", extra.len()), &job), words(&[1, 5]), "{layout}");
    }
}

const LINE: &str = "kernel = 'line'\ngrid = 1\nblock = [3]
    params.to = { buffer = { size = 12 }, output = { file = 'out.raw' } }\n";

#[test]
fn textures_over_buffers() {
    let memory = "params.memory.buffer = { u32 = [7, 8, 9, 10, 11, 12, 13, 14, 15, 16] }\n";
    let linear = format!(
        "{LINE}{memory}params.from.texture = {{ buffer = 'memory', format = 'u32', width = 3 }}"
    );
    assert_eq!(run("over-linear", &linear), words(&[7, 8, 9]));
    let pitched = format!(
        "{COPY}params.from.texture = {{ buffer = 'to2', format = 'u32', width = 1, height = 2 }}
        params.to = {{ surface = {{ zeros = true, format = 'u32', width = 1, height = 2 }}, output = {{ file = 'out.raw' }} }}"
    );
    // `copy` has no third parameter, whose memory could be used.
    let (report, _) = launch("over-nothing", &pitched);
    assert!(!report.succeeded());
    let file = format!(
        "{LINE}params.memory.buffer = {{ zeros = 4 }}
        params.from.texture = {{ file = 'FILES/three.npy', format = 'u32', layout = 'linear' }}"
    );
    assert_eq!(run("linear-file", &file), words(&[100, 200, 300]));
}

#[test]
fn a_texture_over_a_surface_reads_what_is_written() {
    let job = format!(
        "{COPY}params.from.texture = {{ surface = 'to' }}
        params.to = {{ surface = {{ file = 'FILES/good.png', format = 'u8x4' }}, output = {{ file = 'out.raw' }} }}"
    );
    assert_eq!(run("over-surface", &job), words(&[1, 5]));
}

#[test]
fn use_is_the_same_buffer() {
    let job = "kernel = 'sum'\ngrid = 1\nblock = 1
        params.a.buffer = { u32 = [21] }
        params.1 = { use = 'a', output = { file = 'out.raw' } }";
    assert_eq!(run("use", job), words(&[42]));
}

#[test]
fn variables() {
    let job = "kernel = 'increment'\ngrid = 1\nblock = 1
        globals.counter = { OUTPUT }";
    let plain = job.replace("OUTPUT", "output = { file = 'out.raw' }");
    assert_eq!(run("globals", &plain), words(&[7]));
    let set = job.replace("OUTPUT", "u32 = [40], output = { file = 'out.raw' }")
        + "\nglobals.table.u32 = [0, 9]";
    assert_eq!(run("globals-set", &set), words(&[49]));
    let zero = job.replace("OUTPUT", "zeros = true, output = { file = 'out.raw' }");
    assert_eq!(run("globals-zero", &zero), words(&[2]));
}

#[test]
fn opaque_parameters() {
    let job = "kernel = 'opaque'\ngrid = 1\nblock = 1
        params.t.texture = { file = 'FILES/good.png', format = 'u8x4' }
        params.s = { surface = { file = 'FILES/good.png', format = 'u8x4' }, output = { file = 'out.raw' } }";
    assert_eq!(run("opaque", job), [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn surface_references() {
    let job = "kernel = 'paint'\ngrid = 1\nblock = 2
        params.value.scalar = { u32 = 0x01020304 }
        surfaces.canvas = { zeros = true, width = 3, dims = 2, format = 'u8x4', output = { file = 'out.raw' } }";
    assert_eq!(run("surfref", job), words(&[0x0102_0304, 0x0102_0304, 0]));
}

#[test]
fn texture_references_keep_their_initialiser() {
    // The initialiser requests linear filtering; the texture is 2 x 1 with the values 0 and 1.
    let job = |keys: &str| {
        format!(
            "kernel = 'sample'\ngrid = 1\nblock = 1
            params.out = {{ buffer = {{ size = 16 }}, output = {{ file = 'out.raw' }} }}
            params.x.scalar = {{ f32 = 1.25 }}
            textures.picture = {{ file = 'FILES/step.npy', format = 'f32', dims = 2{keys} }}"
        )
    };
    let first =
        |name: &str, keys: &str| f32::from_le_bytes(run(name, &job(keys))[..4].try_into().unwrap());
    assert_eq!(first("texref", ""), 0.75);
    assert_eq!(first("texref-point", ", filter_mode = 'point'"), 1.0);
    assert_eq!(first("texref-norm", ", normalized_coords = true"), 1.0);
    // Normalized 1.25 is 2.5 texels: the centre of texel 2, which is texel 0 or outside.
    assert_eq!(first("texref-wrap", ", normalized_coords = true, address_mode = 'wrap'"), 0.0);
    assert_eq!(
        first(
            "texref-border",
            ", address_mode = 'border', border_color = [5, 0, 0, 0], normalized_coords = true"
        ),
        5.0
    );
}

#[test]
fn kinds_of_outputs() {
    let job = "kernel = 'fill'\ngrid = 1\nblock = 4
        params.out = { buffer = { zeros = 16 }, output = { file = 'FILE', format = 'u8x4', width = 2, height = 2 } }
        params.value.scalar = { u32 = 0xff000000 }
        params.scale.scalar = { f32 = 0 }";
    let wanted = words(&[0xff00_0000, 0xff00_0001, 0xff00_0002, 0xff00_0003]);
    assert_eq!(run("kind-raw", &job.replace("FILE", "out.raw")), wanted);
    for file in ["out.png", "sub/folder/out.npy"] {
        let name = format!("kind-{}", file.len());
        let (report, folder) = launch(&name, &job.replace("FILE", file));
        assert!(report.succeeded(), "{}", texunit::human::render(&report, false, false).1);
        assert_eq!(report.outputs[0].path, folder.join(file));
        let format = texunit_device::Format::from_name("u8x4").unwrap();
        let request =
            texunit_files::TexelRequest { format, dims: Some(2), extent: Some([2, 2, 1]) };
        let texels = texunit_files::read_texels(&folder.join(file), &request).unwrap();
        assert_eq!(texels.bytes, wanted, "{file}");
    }
}

#[test]
fn the_summary() {
    let (report, _) = launch("summary", "kernel = 'nothing'\ngrid = [2, 3]\nblock = [8, 4, 2]");
    let (out, err) = texunit::human::render(&report, false, false);
    let out = String::from_utf8(out).unwrap();
    assert!(out.starts_with("nothing: 2 x 3 CTAs of 8 x 4 x 2 threads in "), "{out}");
    assert!(out.ends_with(" ms, no fetches\n"), "{out}");
    assert!(err.is_empty(), "{err}");
    assert!(texunit::human::render(&report, true, false).0.is_empty());
}

/// If one output cannot be written, none is written.
#[test]
fn outputs_are_all_or_none() {
    let job = "kernel = 'sum'\ngrid = 1\nblock = 1
        params.a = { buffer = { u32 = [1] }, output = { file = 'first.raw' } }
        params.b = { buffer = { u32 = [1] }, output = { file = 'job.toml/second.raw' } }";
    let (report, folder) = launch("all-or-none", job);
    let (_, err) = texunit::human::render(&report, false, false);
    assert!(!report.succeeded() && err.starts_with("error: cannot make the folder `"), "{err}");
    let left: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["job.toml"]);
}

/// The initialiser of a reference may differ from the size of the bound texture.
#[test]
fn a_contradicted_initialiser_is_a_warning() {
    let ptx = ".version 6.3\n.target sm_75\n.address_size 64
        .global .texref sized = { width = 4, filter_mode = nearest };
        .visible .entry nothing() { ret; }";
    let job = "kernel = 'nothing'\ngrid = 1\nblock = 1
        textures.sized = { file = 'FILES/good.png', format = 'u8x4' }";
    let (_, folder) = launch("sized", job);
    std::fs::write(folder.join("sized.ptx"), ptx).unwrap();
    let text = std::fs::read_to_string(folder.join("job.toml")).unwrap();
    let rest = text.split_once('\n').unwrap().1;
    let report = launch_text(&folder, &format!("ptx = 'sized.ptx'\n{rest}"));
    let (_, err) = texunit::human::render(&report, false, false);
    assert!(report.succeeded(), "{err}");
    assert!(
        err.starts_with(
            "warning: the initialiser of `sized` says width = 4, but the resource bound has 1"
        ),
        "{err}"
    );
    let (_, quiet) = texunit::human::render(&report, true, false);
    assert!(quiet.is_empty(), "{quiet}");
}

const STRUCTURE: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .align 8 .b8 p[28])
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<7>;
    ld.param.u64 %rd1, [p];
    ld.param.u64 %rd2, [p+8];
    ld.param.u32 %r5, [p+16];
    mov.u32 %r6, 0;
    tex.2d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %r6}];
    st.global.v4.u32 [%rd2], {%r1, %r2, %r3, %r4};
    ld.param.u32 %r5, [p+20];
    st.global.u32 [%rd2+16], %r5;
    ld.param.u32 %r5, [p+24];
    st.global.u32 [%rd2+20], %r5;
    ret;
}";

fn structure(name: &str, params: &str) -> (Report, TempDir) {
    let folder = TempDir::new(&format!("bind-{name}"));
    std::fs::write(folder.join("k.ptx"), STRUCTURE).unwrap();
    let head = "ptx = 'k.ptx'\nkernel = 'k'\ngrid = 1\nblock = 1\n";
    std::fs::write(folder.join("t.raw"), [1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    (launch_text(&folder, &format!("{head}{params}")), folder)
}

#[test]
fn structures_of_members() {
    let (report, folder) = structure(
        "members",
        "
        params.p.scalar = { bytes = '00000000 00000000 00000000 00000000 00000000 07000000 09000000' }
        params.'p+0'.texture = { file = 't.raw', format = 'u8x4', width = 2, height = 1, dims = 2 }
        params.'0+8'.buffer = { zeros = 24 }
        params.'0+8'.output = { file = 'out.raw' }
        params.'p+16'.scalar = { u32 = 1 }
        params.'p+24'.scalar = { u32 = 8 }",
    );
    assert!(report.succeeded(), "{}", texunit::human::render(&report, false, false).1);
    let bytes = std::fs::read(folder.join("out.raw")).unwrap();
    assert_eq!(bytes, words(&[5, 6, 7, 8, 7, 8]));
}

#[test]
fn members_that_do_not_fit() {
    let (report, _) = structure(
        "misfits",
        "
        params.'p+0'.buffer = { zeros = 24 }
        params.'p+4'.scalar = { u32 = 1 }
        params.'p+24'.scalar = { u64 = 1 }
        params.'q+8'.scalar = { u64 = 1 }
        params.'p+x'.scalar = { u64 = 1 }
        params.'p+12'.use = 'nothing'",
    );
    let text = texunit::human::render(&report, false, false).1;
    for message in [
        "`p+0` reaches to offset 8 and over this member",
        "a scalar of type u64 at offset 24 does not fit into the 28 bytes of parameter `.b8 p[28]`",
        "kernel `k` has no parameter `q+8`",
        "kernel `k` has no parameter `p+x`",
        "the job has no parameter `nothing`",
    ] {
        assert!(text.contains(message), "no {message:?} in:\n{text}");
    }
    assert_eq!(report.failures.len(), 5, "{text}");
}

/// An output never overwrites a file that the job reads, under whichever name.
#[cfg(unix)]
#[test]
fn outputs_spare_inputs() {
    let cli = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/cli");
    let folder = TempDir::new("bind-spare");
    let at = |name: &str| folder.join(name);
    std::fs::copy(cli.join("kernels.ptx"), at("k.ptx")).unwrap();
    std::fs::copy(cli.join("files/good.png"), at("in.png")).unwrap();
    std::fs::hard_link(at("in.png"), at("hard.png")).unwrap();
    std::os::unix::fs::symlink("in.png", at("soft.png")).unwrap();
    std::fs::create_dir_all(at("sub")).unwrap();
    std::os::unix::fs::symlink("..", at("sub/up")).unwrap();
    let inputs = || ["k.ptx", "in.png"].map(|name| std::fs::read(at(name)).unwrap());
    let before = inputs();
    let job = |name: &str| {
        format!(
            "ptx = 'k.ptx'\n{COPY}params.from.texture = {{ file = 'in.png', format = 'u8x4' }}
            params.to = {{ surface = {{ zeros = true, format = 'u8x4', width = 1, height = 2 }}, output = {{ file = '{name}' }} }}"
        )
    };
    for (name, input) in [
        ("in.png", "in.png"),
        ("hard.png", "in.png"),
        ("soft.png", "in.png"),
        ("sub/up/in.png", "in.png"),
        ("k.ptx", "k.ptx"),
        ("job.toml", "job.toml"),
    ] {
        let text = job(name);
        let report = launch_text(&folder, &text);
        assert!(!report.succeeded() && report.stats.is_none(), "{name}: the kernel has run");
        assert!(report.is_misused);
        let said = texunit::human::render(&report, false, false).1;
        assert!(said.contains("J0006") && said.contains("would overwrite"), "{said}");
        assert!(said.contains(&format!("{input}`, which the job reads")), "{said}");
        assert_eq!(inputs(), before, "{name}");
        assert_eq!(std::fs::read_to_string(at("job.toml")).unwrap(), text);
    }
    let report = launch_text(&folder, &job("out.png"));
    assert!(report.succeeded(), "{}", texunit::human::render(&report, false, false).1);
    // The output of an earlier launch is replaced.
    let report = launch_text(&folder, &job("out.png"));
    assert!(report.succeeded(), "{}", texunit::human::render(&report, false, false).1);
}

/// `--memory-limit` includes the local memory of concurrently running threads.
#[test]
fn local_memory_is_counted() {
    let folder = TempDir::new("bind-local");
    let head = ".version 7.0\n.target sm_60\n.address_size 64\n";
    let array = "{\n.local .align 4 .b8 a[32768];\n.reg .b32 %r;\nmov.b32 %r, 1;\nst.local.b32 [a+32764], %r;\nret;\n}\n";
    let deeper = ".func deeper(.reg .b32 n)\n{\n.local .align 4 .b8 a[1024];\n.reg .b32 %m;\n.reg .pred %p;\n\
        st.local.b32 [a], n;\nsetp.eq.s32 %p, n, 0;\n@%p ret;\nsub.s32 %m, n, 1;\ncall deeper, (%m);\nret;\n}\n";
    let kernels = format!(
        "{head}{deeper}.visible .entry array()\n{array}.visible .entry recursion(.param .b32 depth)\n\
         {{\n.reg .b32 %d;\nld.param.b32 %d, [depth];\ncall deeper, (%d);\nret;\n}}\n"
    );
    std::fs::write(folder.join("k.ptx"), kernels).unwrap();
    let launch = |kernel: &str, block: u32, more: &str| {
        let job = format!("ptx = 'k.ptx'\nkernel = '{kernel}'\ngrid = 4\nblock = {block}\n{more}");
        let report = launch_text(&folder, &job);
        let said = texunit::human::render(&report, false, false).1;
        (report, said)
    };
    // 32 threads of 32 KiB use the whole limit of 1 MiB.
    let (report, said) = launch("array", 32, "");
    assert!(report.succeeded(), "{said}");
    let (report, said) = launch("array", 33, "");
    assert!(report.stats.is_none() && report.fault.is_none(), "{said}");
    assert!(
        said.contains("64 threads need 32768 bytes of local memory each, 2097152 in all"),
        "{said}"
    );
    assert!(
        said.contains("the device has 1048576 left") && said.contains("--memory-limit"),
        "{said}"
    );
    // The stack size of a recursion is unknown, so each thread gets a default share.
    let depth = |n: u32| format!("params.depth.scalar = {{ u32 = {n} }}\n");
    let (report, said) = launch("recursion", 32, &depth(16));
    assert!(report.succeeded(), "{said}");
    let (report, said) = launch("recursion", 64, &depth(16));
    assert!(report.fault.is_some(), "{said}");
    assert!(said.contains("stack overflow: the thread has 16384 bytes"), "{said}");
}

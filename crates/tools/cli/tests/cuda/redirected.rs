//! Redirection of programs to texunit's libraries: nvrtc, runtimes linked into files, libraries
//! that the user preloads; and commands that must not take texunit's driver for a card, or write
//! through a link.

use crate::commands::{DEFAULT, NVCC, Row, SHARED, STATIC, contains, program, same};
use crate::process::{run, succeed};
use crate::tools::Setup;
use libtest_mimic::Failed;
use std::path::PathBuf;
use std::process::Command;

/// The tests of this module.
pub(crate) const TESTS: &[Row] = &[
    ("compare refuses texunit's own driver", &[], compare_refuses),
    ("install-libs follows no link", &[], install_follows_no_link),
    ("machine code of nvrtc", &[], nvrtc),
    ("nvrtc inside a program", &[], static_nvrtc),
    ("machine code of nvJitLink", &[], nvjitlink),
    ("ptxas of texunit", &[], ptxas),
    ("what the user preloads comes first", NVCC, preloaded),
    ("a runtime is replaced as a whole", NVCC, all_or_nothing),
    ("the fault of a stripped program is explained", NVCC, stripped_fault),
];

fn preloaded(setup: &Setup) -> Result<(), Failed> {
    let library =
        compiled(setup, &["interposer.c"], &["-shared", "-fPIC", "-ldl"], "libinterposer.so")?;
    for variant in [SHARED, STATIC] {
        let program = program(setup, "device.cu", variant, &[])?;
        let mut command = setup.run();
        let ended = run(command.arg(&program).env("LD_PRELOAD", &library), &program)?;
        same(&*ended.stdout, DEFAULT, &ended)?;
        // Calls of a linked runtime within the program are not redirected.
        same(
            ended.stderr.contains("interposer: cudaMalloc of 4 bytes"),
            !variant.is_static,
            &ended,
        )?;
    }
    Ok(())
}

/// If the symbol table lacks a function of the runtime, no function is redirected, and the program
/// gets an error from NVIDIA's runtime.
fn all_or_nothing(setup: &Setup) -> Result<(), Failed> {
    let whole = program(setup, "device.cu", STATIC, &[])?;
    let bytes = std::fs::read(&whole)?;
    // The end of the first name is shared with `cudaLaunchKernel`, which is removed with it.
    for name in
        ["__cudaLaunchKernel", "__cudaUnregisterFatBinary", "cudaMemcpy", "cudaSetValidDevices"]
    {
        let damaged = whole.with_extension(name);
        let (mut bytes, name) = (bytes.clone(), format!("\0{name}\0"));
        let mut count = 0;
        while let Some(at) = bytes.windows(name.len()).position(|w| w == name.as_bytes()) {
            bytes[at + 3] = b'%';
            count += 1;
        }
        assert!(count > 0, "{name:?}");
        std::fs::write(&damaged, bytes)?;
        std::fs::set_permissions(&damaged, whole.metadata()?.permissions())?;
        let ended = run(setup.run().arg(&damaged), &damaged)?;
        let name = name.trim_matches('\0');
        contains(&ended, &format!("cannot be replaced: its table of symbols has no {name}"))?;
        // The program does not end by a signal, and prints nothing of texunit's.
        same(ended.status.code().is_some_and(|code| code != 0), true, &ended)?;
        same(ended.stdout.contains("RTX 3060"), false, &ended)?;
    }
    Ok(())
}

/// If a program without symbols crashes because it ignores a runtime's error, a message names the
/// cause; the exit code is that of the signal.
fn stripped_fault(setup: &Setup) -> Result<(), Failed> {
    let whole = program(setup, "managed.cu", STATIC, &[])?;
    let ended = succeed(setup.run().arg(&whole), &whole)?;
    same(&*ended.stdout, "5\n6 9\n", &ended)?;
    let stripped = whole.with_extension("stripped");
    std::fs::copy(&whole, &stripped)?;
    succeed(Command::new("strip").arg(&stripped), &stripped)?;
    for argument in [None, Some("memory")] {
        let ended = run(setup.run().arg(&stripped).args(argument), &stripped)?;
        same(ended.status.to_string().contains("signal: 11"), true, &ended)?;
        let last = ended.stderr.lines().last().unwrap_or_default();
        same(
            last.starts_with("texunit: error: this segmentation fault probably comes from "),
            true,
            &ended,
        )?;
        same(last.contains("stripped") && last.ends_with("-cudart shared"), true, &ended)?;
    }
    Ok(())
}

/// Texunit's own driver must not be compared as a card.
fn compare_refuses(setup: &Setup) -> Result<(), Failed> {
    let files = setup.build.join("compare");
    let recorded = files.with_extension("toml");
    let _ = std::fs::remove_file(&recorded);
    for named in [false, true] {
        let mut command = setup.texunit();
        command.args(["compare", "--random", "5", "--record"]).arg(&recorded);
        if named {
            command.env("TEXUNIT_LIBCUDA", setup.libraries.join("libcuda.so.1"));
        } else {
            command.env("LD_LIBRARY_PATH", &setup.libraries).env_remove("TEXUNIT_LIBCUDA");
        }
        let ended = run(&mut command, &files)?;
        same(ended.status.code(), Some(2), &ended)?;
        contains(&ended, "libcuda.so.1 is texunit's own driver, which is not a GPU")?;
        contains(&ended, "TEXUNIT_LIBCUDA")?;
        same(ended.stdout.contains("RTX 3060"), false, &ended)?;
        same(recorded.exists(), false, &ended)?;
    }
    Ok(())
}

/// Links in the destination folder are not followed.
fn install_follows_no_link(setup: &Setup) -> Result<(), Failed> {
    let folder = setup.build.join("installed/links");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let victim = setup.build.join("installed/victim");
    std::fs::write(&victim, "mine")?;
    for name in ["libcuda.so.1", "libcuda.so.1.new", "libcudart.so.12", "libcuda.so"] {
        std::os::unix::fs::symlink(&victim, folder.join(name))?;
    }
    let files = setup.build.join("install-links");
    succeed(setup.texunit().arg("install-libs").arg(&folder), &files)?;
    if std::fs::read(&victim)? != b"mine" {
        return Err("the target of a link was overwritten".into());
    }
    for name in ["libcuda.so.1", "libcudart.so.12"] {
        let made = folder.join(name);
        if !made.symlink_metadata()?.is_file()
            || std::fs::read(&made)? != std::fs::read(setup.libraries.join(name))?
        {
            return Err(format!("{name} is no copy").into());
        }
    }
    let mut names: Vec<_> = std::fs::read_dir(&folder)?
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let wanted = [
        "libcublas.so",
        "libcublas.so.12",
        "libcublas.so.13",
        "libcublasLt.so",
        "libcublasLt.so.12",
        "libcublasLt.so.13",
        "libcuda.so",
        "libcuda.so.1",
        "libcuda.so.1.new",
        "libcudart.so",
        "libcudart.so.12",
        "libcudart.so.13",
        "libcufft.so",
        "libcufft.so.11",
        "libcufft.so.12",
        "libcufftw.so",
        "libcufftw.so.11",
        "libcufftw.so.12",
        "libcurand.so",
        "libcurand.so.10",
        "libnvidia-ml.so.1",
        concat!("libtexunit_core.so.", env!("CARGO_PKG_VERSION")),
        concat!("libtexunit_cublas.so.", env!("CARGO_PKG_VERSION")),
        concat!("libtexunit_cufft.so.", env!("CARGO_PKG_VERSION")),
        concat!("libtexunit_curand.so.", env!("CARGO_PKG_VERSION")),
        "libtexunit_redirect.so",
        "shims",
    ];
    if names != wanted {
        return Err(format!("{names:?}").into());
    }
    Ok(())
}

/// Compiles a C file of tests/cuda/commands.
pub(crate) fn compiled(
    setup: &Setup,
    sources: &[&str],
    flags: &[&str],
    name: &str,
) -> Result<PathBuf, Failed> {
    let folder = setup.build.join("compiled");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join(name);
    let mut command = Command::new("cc");
    command.args(sources.iter().map(|source| setup.cases().join("commands").join(source)));
    succeed(command.args(flags).arg("-o").arg(&file), &file)?;
    Ok(file)
}

/// A program that requests machine code from nvrtc gets PTX, whether it is linked with nvrtc or
/// looks functions up; all other results are unchanged. An imitation replaces nvrtc.
fn nvrtc(setup: &Setup) -> Result<(), Failed> {
    let soname = ["-shared", "-fPIC", "-Wl,-soname,libnvrtc.so.99"];
    let library = compiled(setup, &["nvrtc_stand_in.c"], &soname, "libnvrtc.so.99")?;
    let other =
        compiled(setup, &["nvrtc_stand_in.c"], &["-shared", "-fPIC"], "libnvrtc-0af1.so.98")?;
    let linked = library.to_str().unwrap();
    // The PTX has line information, and the sources follow it.
    let expected = "compile 0; code 0 0; ptx L [--generate-line-info]S\n\
        compile 0; code 0 L [-arch=compute_86][-G]S; ptx L [-arch=compute_86][-G]S\n\
        compile 0; code 0 L [--generate-line-info][--gpu-architecture][compute_90a]S; \
        ptx L [--generate-line-info][--gpu-architecture][compute_90a]S\n\
        compile 0; code 0 0; ptx L [--generate-line-info][--gpu-architecture=compute_75]S\n\
        compile 6; code 0 0; ptx L [--generate-line-info][-arch=compute_86][--wrong]S\n\
        compile 0; code 0 13 machine code; ptx L [-dlto][-arch=sm_86]S\n\
        compile 3; code 0 0; ptx 1 \n\
        archs 86\n";
    let sources = "\n// texunit: source k.cu\n//|int x;\n\n// texunit: source k.h\n//|int y;\n";
    let expected = with_lengths(expected, sources);
    for (binding, name) in [("-Wl,-z,lazy", "nvrtc-lazy"), ("-Wl,-z,now", "nvrtc-now")] {
        let flags = [linked, binding, "-ldl", "-lpthread"];
        let client = compiled(setup, &["nvrtc_client.c"], &flags, name)?;
        for argument in [None, Some(&other)] {
            let mut command = setup.run();
            command.arg(&client).args(argument).env("LD_LIBRARY_PATH", library.parent().unwrap());
            let ended = run(&mut command, &client)?;
            same(&*ended.stdout, &*expected, &ended)?;
            same(ended.status.code(), Some(0), &ended)?;
            // The message appears once, and nothing is said of -dlto.
            contains(&ended, "compile to machine code (sm_86)")?;
            same(ended.stderr.lines().count(), 1, &ended)?;
        }
    }
    Ok(())
}

/// Replaces `S` by the sources, and `L` by the length of the text that follows it up to the end of
/// the sources.
fn with_lengths(text: &str, sources: &str) -> String {
    let mut parts = text.split(" L ");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let own = part.find('S').unwrap_or_default();
        all += &format!(" {} {part}", own + sources.len() + 1);
    }
    all.replace("]S", &format!("]{sources}"))
}

/// A message names a statically linked nvrtc.
fn static_nvrtc(setup: &Setup) -> Result<(), Failed> {
    let client = compiled(
        setup,
        &["nvrtc_client.c", "nvrtc_stand_in.c"],
        &["-ldl", "-lpthread"],
        "nvrtc-static",
    )?;
    let ended = run(setup.run().arg(&client), &client)?;
    contains(&ended, "nvrtc seems to be linked into")?;
    contains(&ended, "nvrtc-static (libnvrtc_static.a)")?;
    contains(&ended, "--gpu-architecture=compute_XX")?;
    same(ended.stdout.contains("machine code; ptx 18 [-arch=sm_86][-G]"), true, &ended)
}

/// A program that links PTX with nvJitLink gets the linked PTX, which the driver can load; all
/// other results are unchanged.
fn nvjitlink(setup: &Setup) -> Result<(), Failed> {
    let soname = ["-shared", "-fPIC", "-Wl,-soname,libnvJitLink.so.99"];
    let source = ["nvjitlink_stand_in.c"];
    let library = compiled(setup, &source, &soname, "libnvJitLink.so.99")?;
    let other = compiled(setup, &source, &["-shared", "-fPIC"], "libnvJitLink-0af1.so.98")?;
    let expected = "create without -arch 2\n\
        nothing: complete 3; size 6\n\
        two texts: complete 0; size 0; code 0, with its end, runs 7\n\
        a file: complete 0; size 0; code 0, with its end, runs 7\n\
        add 4\n\
        LTO without its option: complete 0; size 0; code 0, with its end, runs 1218\n\
        LTO: complete 0; size 0; code 0, with its end, runs 7\n\
        LTO of PTX: complete 0; size 0; code 0, with its end, runs 7\n\
        twice: complete 0; size 0; code 0, with its end, runs 1218\n";
    for (binding, name) in [("-Wl,-z,lazy", "nvjitlink-lazy"), ("-Wl,-z,now", "nvjitlink-now")] {
        let flags = [library.to_str().unwrap(), binding, "-ldl", "-lpthread"];
        let client = compiled(setup, &["nvjitlink_client.c"], &flags, name)?;
        for argument in [None, Some(&other)] {
            let mut command = setup.run();
            command.arg(&client).arg(client.with_extension("ptx")).args(argument);
            command.env("LD_LIBRARY_PATH", library.parent().unwrap());
            let ended = run(&mut command, &client)?;
            same(&*ended.stdout, expected, &ended)?;
            same(ended.status.code(), Some(0), &ended)?;
            let says = |words: &str| ended.stderr.matches(words).count();
            same(says("the program links to machine code with nvJitLink; it gets"), 1, &ended)?;
            same(
                says("the program links LTO code (a.ltoir) with nvJitLink, and of that no PTX"),
                1,
                &ended,
            )?;
            same(says("`seven` is defined in one.ptx and in two.ptx"), 1, &ended)?;
        }
    }
    let client = compiled(
        setup,
        &["nvjitlink_client.c", "nvjitlink_stand_in.c"],
        &["-ldl", "-lpthread"],
        "nvjitlink-static",
    )?;
    let ended = run(setup.run().arg(&client).arg(client.with_extension("ptx")), &client)?;
    contains(&ended, "nvJitLink seems to be linked into")
}

/// Under `texunit run`, programs find texunit's ptxas, and the driver accepts its output.
fn ptxas(setup: &Setup) -> Result<(), Failed> {
    let folder = setup.build.join("ptxas");
    std::fs::create_dir_all(&folder)?;
    let (ptx, cubin) = (folder.join("k.ptx"), folder.join("k.cubin"));
    std::fs::write(
        &ptx,
        ".version 7.1\n.target sm_75\n.address_size 64\n.visible .entry store(.param .u64 p) {\n\
         .reg .u64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a], 7; ret; }\n",
    )?;
    let script = "echo $TRITON_PTXAS_PATH; echo $TRITON_PTXAS_BLACKWELL_PATH; command -v ptxas; \
                  ptxas -arch=sm_86 -o k.cubin k.ptx && ptxas --version | grep -c 'release 13'";
    let mut shell = setup.run();
    shell.args(["/bin/sh", "-c", script]).current_dir(&folder);
    shell.env("TRITON_PTXAS_PATH", "mine").env_remove("TRITON_PTXAS_BLACKWELL_PATH");
    let ended = run(&mut shell, &ptx)?;
    let ours = setup.libraries.join("shims/ptxas").canonicalize()?;
    let ours = ours.display();
    // Settings of the user remain.
    same(&*ended.stdout, &*format!("mine\n{ours}\n{ours}\n1\n"), &ended)?;
    let image = std::fs::read(&cubin)?;
    same(image.last(), Some(&0), &ended)?;
    let client = compiled(setup, &["load_image.c"], &["-ldl"], "load-image")?;
    let ended = run(setup.run().arg(&client).arg(&cubin), &client)?;
    same(&*ended.stdout, "7 7\n", &ended)?;
    same(ended.stderr.matches("the program has ptxas make machine code").count(), 1, &ended)?;
    if setup.has(&["nvcc"]) {
        // nvcc calls the ptxas of its own folder.
        let mut nvcc = setup.run();
        nvcc.arg(setup.file("nvcc")).args(["-arch=sm_86", "-cubin", "-o"]).arg(&cubin);
        succeed(nvcc.arg(setup.cases().join("commands/device.cu")), &cubin)?;
        same(std::fs::read(&cubin)?.starts_with(b"\x7fELF"), true, &ended)?;
    }
    Ok(())
}

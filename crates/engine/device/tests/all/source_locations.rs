//! Tests source locations of faults and fetches.

use texunit_device::{
    Arg, Device, Format, Frame, LaunchError, LaunchOptions, MemoryTexels, Module,
    TextureDescriptor, TextureResource, Watch,
};

/// Frames as `file:line:column function`, innermost first.
fn shown(frames: &[Frame<'_>]) -> Vec<String> {
    let one = |f: &Frame<'_>| {
        let file = f.file.unwrap_or("?").rsplit('/').next().unwrap();
        format!("{file}:{}:{} {}", f.line, f.column, f.function.as_deref().unwrap_or("?"))
    };
    frames.iter().map(one).collect()
}

fn load(device: &Device, name: &str) -> Module {
    let path = format!("{}/../../../tests/{name}", env!("CARGO_MANIFEST_DIR"));
    Module::load(device, name, &std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A kernel stores beyond the end of its buffer; the fault has the right source line for each
/// compiler.
#[test]
fn a_fault_names_the_line_of_the_source() {
    let kernel = "places.cu:17:9 places";
    for (file, expected) in [
        ("nvcc-lineinfo.ptx", vec!["places.cu:10:5 _Z3putIfEvPT_iS0_", kernel]),
        ("nvrtc-lineinfo.ptx", vec!["places.cu:10:5 _Z3putIfEvPT_iS0_", kernel]),
        // The function is called and not inlined.
        ("nvcc-G.ptx", vec!["places.cu:10:5 _Z3putIfEvPT_iS0_", kernel]),
        ("clang-g.ptx", vec!["places.cu:10:12 places"]),
        ("clang-gline-tables-only.ptx", vec!["places.cu:10:12 places"]),
    ] {
        let device = Device::default();
        let module = load(&device, &format!("places/{file}"));
        let out = device.alloc(64, "out").unwrap();
        let options = LaunchOptions::default().with_block([32, 1, 1]);
        let args = [Arg::U64(out.address() + 32), Arg::F32(1.0), Arg::S32(32)];
        let error = module.kernel("places").unwrap().launch(&options, &args).unwrap_err();
        let LaunchError::Fault(fault) = error else { panic!("{file}: {error}") };
        assert_eq!(fault.thread, [8, 0, 0], "{file}");
        assert_eq!(shown(&fault.frames()), expected, "{file}");
        let place = module.place(fault.span);
        assert_eq!(shown(&place.frames), expected[..place.frames.len()], "{file}");
        let line = module.source().line(place.ptx.line);
        assert!(line.trim_start().starts_with("st."), "{file}: {line}");
        assert_eq!(place.ptx, module.source().location(fault.span.start), "{file}");
    }
}

/// PTX without `.loc` has its own line numbers.
#[test]
fn without_lines_there_is_the_ptx() {
    let device = Device::default();
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n.entry k() {\n  trap;\n}\n";
    let module = Module::load(&device, "t.ptx", text).unwrap();
    let error = module.kernel("k").unwrap().launch(&LaunchOptions::default(), &[]).unwrap_err();
    let LaunchError::Fault(fault) = error else { panic!("{error}") };
    assert_eq!(fault.frames(), []);
    let place = module.place(fault.span);
    assert_eq!((place.ptx.line, place.ptx.column, place.function), (5, 3, Some("k")));
    assert_eq!(place.frames, []);
}

/// A watched fetch has the span of its instruction.
#[test]
fn a_fetch_names_the_line_of_the_source() {
    let device = Device::default();
    let module = load(&device, "programs/ptx/debug-lineinfo.ptx");
    let format = Format::from_name("f32").unwrap();
    let buffer = device.alloc(128, "picture").unwrap();
    let resource = TextureResource::Memory(MemoryTexels::line(&buffer, format, 32));
    let texture = device.create_texture(&resource, &TextureDescriptor::default()).unwrap();
    let out = device.alloc(128, "out").unwrap();
    let watch = Watch::new([3, 0, 0]);
    let options = LaunchOptions::default().with_block([32, 1, 1]).with_observer(Some(&watch));
    let args = [Arg::Texture(&texture), Arg::Buffer(&out), Arg::U32(32)];
    let kernel = module.kernel("sample").unwrap();
    kernel.launch(&options, &args).unwrap();
    let (seen, more) = watch.take();
    assert_eq!((seen.len(), more), (1, 0));
    let frames = module.place(seen[0].span).frames;
    let lines: Vec<_> = frames.iter().map(|f| (f.file.unwrap(), f.line, f.column)).collect();
    let header = "texture_indirect_functions.h";
    assert_eq!(lines, [(header, 115, 4), (header, 122, 3), ("debug.cu", 9, 9)]);
    let names: Vec<_> = frames.iter().map(|f| f.function.as_deref().unwrap()).collect();
    assert!(names[0].contains("tex1Dfetch") && names[1].contains("tex1Dfetch"), "{names:?}");
    assert_eq!(names[2], "sample");
}

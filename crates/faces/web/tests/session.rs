//! Calls the methods of a session on the host. `web/test/browser.mjs` makes the same calls in a
//! browser, and compares the answers with the command line.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use texunit_sample::file::FileOptions;
use texunit_unit::Geometry;
use texunit_web::Session;

fn ask(session: &mut Session, method: &str, parameters: Value) -> (Value, Vec<u8>) {
    let answer = session.ask(method, &parameters.to_string(), Vec::new());
    (serde_json::from_str(&answer.json).unwrap(), answer.bytes)
}

fn give(session: &mut Session, method: &str, parameters: Value, bytes: &[u8]) -> Value {
    let answer = session.ask(method, &parameters.to_string(), bytes.to_vec());
    serde_json::from_str(&answer.json).unwrap()
}

fn explain(session: &mut Session, keys: Value) -> Value {
    ask(session, "explain", json!({ "keys": keys })).0
}

#[test]
fn every_built_in_texture_can_be_fetched_from() {
    let mut session = Session::new();
    let (words, _) = ask(&mut session, "words", json!({}));
    let names: Vec<&str> =
        words["textures"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), texunit_web::builtin::all().len());
    for name in names {
        let answer = explain(&mut session, json!({ "tex": name }));
        assert!(answer["error"].is_null(), "{name}: {answer}");
        assert_eq!(answer["explanation"]["result"].as_array().unwrap().len(), 4, "{name}");
        let part = json!({ "keys": { "tex": name }, "level": 0, "plane": 0, "z": 0, "sample": 0 });
        let (info, bytes) = ask(&mut session, "picture", part);
        let size = info["width"].as_u64().unwrap() * info["height"].as_u64().unwrap();
        assert_eq!(bytes.len() as u64, 4 * size, "{name}");
        for geometry in ["1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms"] {
            let answer = explain(&mut session, json!({ "tex": name, "geometry": geometry }));
            assert!(answer["error"].is_null(), "{name} as {geometry}: {answer}");
        }
    }
}

#[test]
fn an_instruction_is_read_as_it_is_written() {
    let mut session = Session::new();
    for keys in [
        json!({ "op": "tex.2d.v4.f32.f32", "at": "0.3,0.7" }),
        json!({ "op": "tex.a2d.v2.f16x2.f32", "at": "1,0.25,-2", "offset": "1,-3", "tex": "layers" }),
        json!({ "op": "tex.grad.3d.v4.f32.f32", "at": "0.1,0.2,0.3", "dpdx": "1,2,3", "dpdy": "0,0,0.5", "tex": "volume" }),
        json!({ "op": "tex.level.cube.v4.f32.f32", "at": "1,bits:7fc00000,inf", "lod": "1.25", "tex": "cube" }),
        json!({ "op": "tex.2dms.v4.f32.s32", "at": "3,1,-1", "tex": "samples" }),
        json!({ "op": "tex.2d.v4.f32.f32", "at": "0.5,0.5", "tex": "depth", "compare": "0.4", "compare-func": "less" }),
        json!({ "op": "tld4.g.2d.v4.f32.f32", "at": "0.5,0.5" }),
        json!({ "op": "suld.b.2d.v2.b16.clamp", "at": "-4,3" }),
        json!({ "op": "sust.b.2d.v2.b32.zero", "at": "8,3", "value": "1,-2" }),
        json!({ "op": "sust.p.3d.v4.b32.trap", "at": "1,2,3", "value": "1,2,3,4", "tex": "volume" }),
        json!({ "op": "sured.b.add.2d.u32.clamp", "at": "4,3", "value": "7" }),
    ] {
        let first = explain(&mut session, keys.clone());
        assert!(first["error"].is_null(), "{keys}: {first}");
        let (read, _) = ask(&mut session, "ptx", json!({ "text": first["ptx"] }));
        assert!(read["error"].is_null(), "{}: {read}", first["ptx"]);
        let mut again = keys.clone();
        for (key, value) in read["keys"].as_object().unwrap() {
            again[key] = if value.is_null() { json!("") } else { value.clone() };
        }
        let second = explain(&mut session, again);
        assert_eq!(second["explanation"], first["explanation"], "{}", first["ptx"]);
    }
    for wrong in [
        "",
        "ret",
        "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [tex, {%f0, 0.5}]",
        "tex.2d",
        "}}}{{{",
        "mov.u32 %r1, 0",
    ] {
        let (read, _) = ask(&mut session, "ptx", json!({ "text": wrong }));
        assert!(read["error"]["message"].is_string(), "{wrong}: {read}");
    }
}

#[test]
fn mistakes_name_their_key() {
    let mut session = Session::new();
    for (keys, key) in [
        (json!({ "tex": "nothing" }), "tex"),
        (json!({ "tex": "own" }), "tex"),
        (json!({ "op": "tex.5d.v4.f32.f32" }), "op"),
        (json!({ "at": "1" }), "at"),
        (json!({ "filter": "cubic" }), "filter"),
        (json!({ "address": "wrap,wrap,wrap,wrap" }), "address"),
        (json!({ "border": "1,2" }), "border"),
        (json!({ "size": "0" }), "size"),
        (json!({ "texel-format": "bc7" }), "texel-format"),
        (json!({ "bias": "much" }), "bias"),
        (json!({ "levels": "0" }), "levels"),
    ] {
        let answer = explain(&mut session, keys.clone());
        assert_eq!(answer["error"]["key"], key, "{keys}: {answer}");
    }
    // A texture that exceeds the memory of any browser is refused.
    let answer = explain(&mut session, json!({ "size": "30000,30000", "texel-format": "f32x4" }));
    assert!(answer["error"]["message"].as_str().unwrap().contains("bytes"), "{answer}");
    let (answer, _) = ask(&mut session, "nothing", json!({}));
    assert!(answer["error"]["message"].is_string());
}

#[test]
fn files_of_ones_own() {
    let mut session = Session::new();
    let picture = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../examples/sobel/landscape.png"
    ))
    .unwrap();
    let said = give(&mut session, "file", json!({ "name": "../../landscape.png" }), &picture);
    assert_eq!(
        (said["name"].as_str(), said["kind"].as_str()),
        (Some("landscape.png"), Some("PNG"))
    );
    let answer = explain(&mut session, json!({ "tex": "own", "filter": "linear" }));
    assert_eq!(answer["texture"]["levels"], json!([[256, 256, 1]]));
    let answer = explain(&mut session, json!({ "tex": "own", "levels": "3" }));
    assert_eq!(answer["texture"]["levels"].as_array().unwrap().len(), 3);
    give(&mut session, "file", json!({ "name": "x.png" }), b"not a picture");
    let answer = explain(&mut session, json!({ "tex": "own" }));
    assert_eq!(answer["error"]["key"], "tex");
}

#[test]
fn an_area_is_both_rules() {
    let mut session = Session::new();
    let keys = json!({ "tex": "checker", "filter": "linear", "address": "wrap" });
    let (answer, bytes) = ask(
        &mut session,
        "area",
        json!({ "keys": keys, "rect": [0, 0, 1, 1], "size": [16, 16], "rows": [4, 8] }),
    );
    assert_eq!(answer["rows"], json!([4, 8]));
    let floats: Vec<f32> =
        bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    assert_eq!(floats.len(), 16 * 4 * 8);
    let apart = floats.as_chunks::<8>().0.iter().map(|p| (p[0] - p[4]).abs()).fold(0.0, f32::max);
    assert!(apart > 0.0 && apart < 0.01, "{apart}");
    let (answer, _) = ask(
        &mut session,
        "area",
        json!({ "keys": {}, "rect": [0, 0, 1, 1], "size": [9999, 1], "rows": [0, 1] }),
    );
    assert!(answer["error"]["message"].is_string());
}

/// Width, height and pixels of a picture file.
fn pixels(file: &[u8]) -> ([u32; 2], Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    ([frame.width, frame.height], pixels)
}

/// The live figures of the guide show the numbers that its text names.
#[test]
fn the_grid_is_the_picture_of_the_lessons() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/textures/grid.png");
    let (size, picture) = pixels(&std::fs::read(path).unwrap());
    let grid = texunit_web::builtin::find("grid").unwrap();
    let (texels, _) = grid.made(&FileOptions::default(), Geometry::D2).unwrap();
    assert_eq!(size, [8, 8]);
    let channels = picture.len() / 64;
    let found: Vec<u8> = texels.chunks(4).flat_map(|texel| &texel[..channels]).copied().collect();
    assert_eq!(found, picture);
}

#[test]
fn a_kernel_runs_in_slices_and_a_pixel_has_its_thread() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/sobel");
    let read = |name: &str| std::fs::read(format!("{folder}/{name}")).unwrap();
    let text = |name: &str| String::from_utf8(read(name)).unwrap();
    let mut session = Session::new();
    give(
        &mut session,
        "hold",
        json!({ "name": "landscape.png", "fresh": true }),
        &read("landscape.png"),
    );
    let (job, ptx) = (text("job.toml"), text("sobel.ptx"));
    let (started, _) = ask(&mut session, "start", json!({ "job": job, "ptx": ptx }));
    assert_eq!(started["ctas"], 256, "{started}");
    let mut slices = 0;
    while ask(&mut session, "run", json!({ "ctas": 100 })).0["done"] != 256 {
        slices += 1;
    }
    assert_eq!(slices, 2);
    let (file, bytes) = ask(&mut session, "output", json!({ "output": 0, "z": 0, "file": true }));
    assert_eq!(file["name"].as_str(), Some("edges.png"));
    // Only the pixels of the files are compared, because compression depends on the features of the
    // build.
    assert!(pixels(&bytes) == pixels(&read("expected/edges.png")));
    let (pixel, _) = ask(&mut session, "pixel", json!({ "output": 0, "at": [17, 40, 0] }));
    assert_eq!(pixel["thread"], json!([17, 40, 0]));
    let accesses = pixel["accesses"].as_array().unwrap();
    assert_eq!(accesses.len(), 8);
    assert_eq!(accesses[0]["what"]["explanation"]["known"]["agrees"], true);
    let part = json!({ "subject": 0, "level": 0, "plane": 0, "z": 0, "sample": 0 });
    assert_eq!(ask(&mut session, "picture", part).1.len(), 256 * 256 * 4);
    // An error has a message and a line.
    let (wrong, _) =
        ask(&mut session, "start", json!({ "job": job.replace("8, 32", "8, x"), "ptx": ptx }));
    assert_eq!(wrong["problems"][0]["file"], "job", "{wrong}");
    let (wrong, _) = ask(
        &mut session,
        "start",
        json!({ "job": job, "ptx": ptx.replace("ld.param.u64", "ld.parm.u64") }),
    );
    assert_eq!(wrong["problems"][0]["file"], "ptx", "{wrong}");
    assert!(wrong["problems"][0]["line"].as_u64().unwrap() > 1);
}

#[test]
fn a_surface_knows_its_writers() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/surface-blur");
    let read = |name: &str| std::fs::read(format!("{folder}/{name}")).unwrap();
    let text = |name: &str| String::from_utf8(read(name)).unwrap();
    let mut session = Session::new();
    give(&mut session, "hold", json!({ "name": "window.png", "fresh": true }), &read("window.png"));
    let (started, _) = ask(
        &mut session,
        "start",
        json!({ "job": text("job.toml"), "ptx": text("surface-blur.ptx") }),
    );
    assert!(started["problems"].is_null(), "{started}");
    ask(&mut session, "run", json!({ "ctas": 100_000 }));
    let (pixel, _) = ask(&mut session, "pixel", json!({ "output": 0, "at": [33, 20, 0] }));
    assert_eq!(pixel["thread"], json!([33, 20, 0]), "{pixel}");
}

#[test]
fn a_word_in_all_its_forms() {
    let mut session = Session::new();
    let (first, _) = ask(
        &mut session,
        "txd",
        json!({ "arch": "sm_52", "text": "TXD R0, R4, R8, 0x105, 2D, 0x3" }),
    );
    assert_eq!(first["text"], "TXD R0, R4, R8, 0x105, 2D, 0x3");
    let word = first["word"].as_str().unwrap();
    let (second, _) = ask(
        &mut session,
        "txd",
        json!({ "arch": "sm_52", "word": word, "control": "0x7e0", "fields": { "Rd": 4 } }),
    );
    assert_eq!(second["text"], "TXD R4, R4, R8, 0x105, 2D, 0x3");
    let state = "active = [0, 1]\n[registers]\nR4 = [0.125, 0.5]\nR5 = 0.375\n[constants]\n0x105 = { header = 0, sampler = 0 }\n\
        [[texture]]\nindex = 0\nformat = \"f32x2\"\nsize = [4, 4]\naddress = 0x200000\ntexels = { ramp = { as = \"f32\", first = 0, step = 1 } }\n\
        [[sampler]]\nindex = 0\nfilter = \"linear\"\n";
    let run = json!({ "arch": "sm_52", "word": word, "state": state, "lane": 1 });
    let (done, _) = ask(&mut session, "execute", run);
    let bits = |register: usize| done["registers"][register]["lanes"][1]["bits"].clone();
    assert_eq!(done["explained"]["explanation"]["result"][0], bits(0), "{done}");
    assert_eq!(done["explained"]["explanation"]["result"][1], bits(1), "{done}");
    for wrong in [
        json!({ "arch": "sm_52", "word": "x" }),
        json!({ "arch": "sm_99", "word": "0" }),
        json!({ "arch": "sm_52", "text": "NOP" }),
    ] {
        assert!(ask(&mut session, "txd", wrong).0["error"]["message"].is_string());
    }
}

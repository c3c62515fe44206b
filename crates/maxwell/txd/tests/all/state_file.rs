//! Tests the errors of state files: their messages, and the parts of the text that they mark.

use texunit_sass::parse::parse;
use texunit_txd::exec::{ExecError, execute};
use texunit_txd::state_file;

/// The wrong files of `mistakes.txt`: after the text of each, `=> `, the part that is marked
/// (nothing for none), and a part of the message.
#[test]
fn mistakes() {
    let (mut wrong, mut file) = (Vec::new(), String::new());
    for line in include_str!("mistakes.txt").lines() {
        let Some((place, message)) = line.strip_prefix("=> ").and_then(|l| l.split_once(" | "))
        else {
            file += line;
            file.push('\n');
            continue;
        };
        let file = std::mem::take(&mut file);
        let Err(error) = state_file::parse(&file) else {
            wrong.push(format!("{file}=> no error"));
            continue;
        };
        let at = error.span.clone().map_or("", |span| &file[span]);
        // A problem of a whole table is marked at its header, or at a longer part of the table.
        let is_table = place.starts_with("[[") && at.starts_with(place);
        if !error.message.contains(message) || !(at == place || is_table) {
            wrong.push(format!("{file}=> at `{at}`: {}", error.message));
        }
    }
    assert!(wrong.is_empty() && file.is_empty(), "{}", wrong.join("\n\n"));
}

/// A large file is accepted or rejected within reasonable time.
#[test]
fn large_files() {
    let texture = |keys: &str| {
        format!("[[texture]]\nindex = 0\naddress = 0\n{keys}\ntexels = {{ random = 1 }}")
    };
    for (keys, message) in [
        ("format = \"f32x4\"\nwidth = 65536\nheight = 65536", "536870912 bytes"),
        ("format = \"f32x4\"\nwidth = 4294967295\nheight = 4294967295", "is more than"),
        (
            "type = \"3D\"\nformat = \"f32x4\"\nwidth = 16384\nheight = 16384\ndepth = 16384",
            "536870912 bytes",
        ),
        (
            "layout = \"pitch\"\npitch = 32\nformat = \"f32x4\"\nwidth = 4294967295\nheight = 4294967295",
            "is more than",
        ),
        (
            "layout = \"pitch\"\npitch = 2097120\nformat = \"u8\"\nwidth = 1\nheight = 65536",
            "536870912 bytes",
        ),
        ("type = \"1D_buffer\"\nformat = \"f32x4\"\nwidth = 4294967295", "536870912 bytes"),
        (
            "type = \"2D_array\"\nformat = \"u8\"\nwidth = 1\nheight = 1\nlayers = 65536\nlevels = 16",
            "",
        ),
    ] {
        let error = state_file::parse(&texture(keys)).unwrap_err();
        assert!(error.message.contains(message), "{keys}: {error}");
    }
    // The texture has four million texels of 16 bytes, a quarter of the limit on memory.
    let text = texture("format = \"f32x4\"\nwidth = 4096\nheight = 1024");
    assert!(state_file::parse(&text).is_ok());
    let deep = format!("active = {}", "[".repeat(100_000));
    assert!(state_file::parse(&deep).is_err());
    let keys = format!("{}x = 1", "a.".repeat(100_000));
    assert!(state_file::parse(&keys).is_err());
}

/// A fetch that returns zeros needs neither a sampler nor texels in memory.
#[test]
fn zeros_need_no_more() {
    let text = r#"
        [constants]
        0 = { header = 0 }
        1 = { header = 9 }
        2 = { header = 0, sampler = 9 }
        [[texture]]
        index = 0
        type = "3D"
        format = "f32"
        width = 4
        height = 4
        depth = 4
        address = 0x10000
        [[sampler]]
        index = 0
    "#;
    let mut state = state_file::parse(text).unwrap();
    state.memory.unmap(state.samplers.address).unwrap();
    for index in ["0x0", "0x1", "0x2"] {
        let txd = parse(&format!("TXD R0, R4, R8, {index}, 2D, 0xf")).unwrap().txd;
        assert_eq!(execute(&txd, &mut state).unwrap().invalid, u32::MAX, "{index}");
    }
    state.memory.unmap(state.headers.address).unwrap();
    for (index, found) in [("0x0", false), ("0x1", true), ("0x2", true)] {
        let txd = parse(&format!("TXD R0, R4, R8, {index}, 2D, 0xf")).unwrap().txd;
        let outcome = execute(&txd, &mut state);
        assert_eq!(outcome.is_ok(), found, "{index}");
        if let Err(error) = outcome {
            assert!(matches!(error, ExecError::Header { index: 0, .. }), "{error}");
        }
    }
}

/// Keys of earlier versions are accepted with a note.
#[test]
fn earlier_names_are_read_with_a_note() {
    let old = r#"
        [[texture]]
        index = 0
        type = "2D_array"
        format = "u8x4"
        size = [4, 4, 3]
        levels = 3
        view = [1, 2]
        read = "normalized"
        min_lod = 0.5
        address = 0x10000
        texels = { ramp = { as = "u8", first = 3, step = 7 } }
        [[texture]]
        index = 1
        format = "u8x4"
        size = [4]
        address = 0x20000
        texels = { ramp = { as = "u32", first = 3, step = 7 } }
        [[sampler]]
        index = 0
        filter = "linear"
        mip_filter = "linear"
        address = ["wrap", "clamp"]
        border = [1, 1.0, "7fc00000", -1]
        min_lod = 1
        max_lod = 2.5
        lod_bias = -0.5
        force_unnormalized_coords = true
    "#;
    let new = r#"
        [[texture]]
        index = 0
        type = "2D_array"
        format = "u8x4"
        width = 4
        height = 4
        layers = 3
        levels = 3
        view = { levels = [1, 2] }
        read_mode = "normalized"
        min_mipmap_level_clamp = 0.5
        address = 0x10000
        texels = { ramp = [3, 7] }
        [[texture]]
        index = 1
        format = "u8x4"
        width = 4
        address = 0x20000
        texels = { u32 = [3, 10, 17, 24] }
        [[sampler]]
        index = 0
        filter_mode = "linear"
        mipmap_filter_mode = "linear"
        address_mode = ["wrap", "clamp"]
        border_color = ["0x00000001", 1, "0x7fc00000", "0xffffffff"]
        min_mipmap_level_clamp = 1
        max_mipmap_level_clamp = 2.5
        mipmap_level_bias = -0.5
        force_unnormalized_coords = true
    "#;
    let (old, new) = (state_file::read(old).unwrap(), state_file::read(new).unwrap());
    assert_eq!(new.notes, []);
    let notes: Vec<&str> = old.notes.iter().map(|note| note.message.as_str()).collect();
    for note in [
        "`size` is `width`, `height` and `depth`",
        "a view is a table, `{ levels = [1, 2] }`",
        "`min_lod` is called `min_mipmap_level_clamp`",
        "`lod_bias` is called `mipmap_level_bias`",
        "whole numbers of a `border` are bits",
        "a ramp is of the format's channels: `ramp = [first, step]`",
    ] {
        assert!(notes.contains(&note), "{note}: {notes:?}");
    }
    assert_eq!(notes.len(), 12, "{notes:?}");
    let bytes = |file: &state_file::StateFile, address, length| {
        let mut all = vec![0; length];
        file.state.memory.read(address, &mut all).unwrap();
        all
    };
    for (address, length) in [
        (new.state.headers.address, 64),
        (new.state.samplers.address, 32),
        (0x10000, 1024),
        (0x20000, 512),
    ] {
        assert_eq!(bytes(&old, address, length), bytes(&new, address, length), "{address:#x}");
    }
}

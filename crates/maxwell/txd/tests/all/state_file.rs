//! Tests the errors of state files: their messages, and the parts of the text that they mark.

#![allow(clippy::unwrap_used)]

use texunit_sass::parse::parse;
use texunit_txd::exec::{ExecError, execute};
use texunit_txd::state_file;

/// For each wrong file: its text, the part that is marked ("" for none), and a part of the message.
#[rustfmt::skip]
const MISTAKES: &[(&str, &str, &str)] = &[
    ("arch = \"sm_70\"", "\"sm_70\"", "expected `sm_50`, `sm_52`, `sm_53`, `sm_60`, `sm_61` or `sm_62`, found `sm_70`"),
    ("arch = 52", "52", "expected `sm_50`, `sm_52`, `sm_53`, `sm_60`, `sm_61` or `sm_62`, found an integer"),
    ("active = 0x1ffffffff", "0x1ffffffff", "8589934591 is not a mask of 32 lanes"),
    ("killed = [0, 32]", "32", "expected a whole number from 0 to 31, found 32"),
    ("active = \"all\"", "\"all\"", "expected true, false, a mask of 32 lanes, or a list of lanes, found a string"),
    ("activ = true", "activ", "unknown key `activ`: did you mean `active`?"),
    ("sampler_binding = \"header\"", "\"header\"", "expected `independently` or `via_header`, found `header`"),
    ("[registers]\nR255 = 0", "R255", "`R255` is not one of R0 to R254"),
    ("[registers]\nr4 = 0", "r4", "`r4` is not one of R0 to R254"),
    ("[registers]\nR04 = 0", "R04", "`R04` is not one of R0 to R254"),
    ("[registers]\nR4 = 0\nR4 = 1", "R4", "duplicate key"),
    ("[registers]\nR4 = [1, \"zz\"]", "\"zz\"", "`zz` does not fit into 32 bits"),
    ("[registers]\nR4 = 4294967296", "4294967296", "`4294967296` does not fit into 32 bits"),
    ("[registers]\nR4 = true", "true", "expected 32 bits: a whole number, a number with a point, or hexadecimal digits in a string, found true or false"),
    ("[registers]\nR4 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32]", "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32]", "33 values for 32 lanes"),
    ("[predicates]\nP7 = true", "P7", "`P7` is not one of P0 to P6"),
    ("[constants]\n0x2000 = 0", "0x2000", "`0x2000` is not the offset of a word, from 0x0 to 0x1fff"),
    ("[constants]\n0x+1 = 0", "+", "invalid"),
    ("[constants]\n\"0x+1\" = 0", "\"0x+1\"", "`0x+1` is not the offset of a word, from 0x0 to 0x1fff"),
    ("[constants]\n5 = 0\n0x5 = 1", "0x5", "word 0x5 is there twice"),
    ("[constants]\n5 = { header = 0x100000 }", "0x100000", "expected a whole number from 0 to 1048575, found 1048576"),
    ("[constants]\n5 = { header = 0, sampler = 0x1000 }", "0x1000", "expected a whole number from 0 to 4095, found 4096"),
    ("[constants]\n5 = { head = 1 }", "head", "unknown key `head`: did you mean `header`?"),
    ("[constants]\n5 = {}", "{}", "this table lacks the key `header`"),
    ("[header_pool]\nmax_index = 0x100000", "0x100000", "expected a whole number from 0 to 1048575, found 1048576"),
    ("header_pool = { address = 0x100 }\nsampler_pool = { address = 0x110 }", "0x110", "sampler_pool: the 32 bytes at 0x110 would overlap with memory at 0x100"),
    ("[header_pool]\naddress = -1", "-1", "expected a whole number from 0 to 9223372036854775807, found -1"),
    ("[[texture]]\nformat = \"f32\"\nwidth = 1\naddress = 0", "[[texture]]", "this table lacks the key `index`"),
    ("[[texture]]\nindex = 0x100000\nformat = \"f32\"\nwidth = 1\naddress = 0", "0x100000", "expected a whole number from 0 to 1048575, found 1048576"),
    ("[[texture]]\nindex = 1\nwidth = 1\naddress = 0", "[[texture]]", "this table lacks the key `format`"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\naddress = 0", "[[texture]]", "this table lacks the key `width`"),
    ("[[texture]]\nindex = 1\nformat = \"r8\"\nwidth = 1\naddress = 0", "\"r8\"", "`r8` is not a texel format: did you mean `u8`?"),
    ("[[texture]]\nindex = 1\ntype = \"4D\"\nformat = \"f32\"\nwidth = 1\naddress = 0", "\"4D\"", "expected `1D`, `2D`, `3D`"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 0\naddress = 0", "0", "sizes are above 0"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nlayers = 2\naddress = 0", "2", "`layers` are of arrays, which have no `depth`"),
    ("[[texture]]\nindex = 1\ntype = \"2D_array\"\nformat = \"f32\"\nwidth = 4\nheight = 4\ndepth = 2\nlayers = 2\naddress = 0", "2", "`layers` are of arrays, which have no `depth`"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\nlevels = 17\naddress = 0", "17", "expected a whole number from 1 to 16, found 17"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\nmin_mipmap_level_clamp = -1.0\naddress = 0", "-1.0", "`min_mipmap_level_clamp` goes from 0 to below 16"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\nmin_mipmap_level_clamp = nan\naddress = 0", "nan", "`min_mipmap_level_clamp` goes from 0 to below 16"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\nblock_height = 3\naddress = 0", "3", "`block_height` is 1, 2, 4, 8, 16 or 32"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\nview = { layers = 0 }\naddress = 0", "{ layers = 0 }", "the view of a header has only `levels`"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\npitch = 64\naddress = 0", "64", "`pitch` is for the layout pitch, and this is block_linear"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\nlayout = \"pitch\"\npitch = 64\nsparse = true\naddress = 0", "true", "`sparse` is for the layout block_linear, and this is pitch"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\nlayout = \"tiled\"\npitch = 64\naddress = 0", "\"tiled\"", "expected `block_linear`, `pitch` or `buffer`, found `tiled`"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\nlayout = \"pitch\"\naddress = 0", "[[texture]]", "this table lacks the key `pitch`"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 16\nheight = 4\nlayout = \"pitch\"\npitch = 32\naddress = 0\ntexels = { ramp = [0, 1] }", "32", "`pitch` is below the 64 bytes of a row"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\naddress = 0x100", "0x100", "`address`: 0x100 is not a multiple of 512 below 2^48"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\naddress = 0\ntexels = { f32 = [1.0, 2.0] }", "{ f32 = [1.0, 2.0] }", "there are 8 bytes of texels, not 64"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\naddress = 0\ntexels = { bytes = \"0g\" }", "\"0g\"", "expected an even number of hexadecimal digits"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\naddress = 0\ntexels = { ramp = [0] }", "[0]", "expected two numbers [first, step], found 1"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\naddress = 0\ntexels = {}", "{}", "expected one key: a type such as `u8` or `f32`, or `bytes`, `codes`"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nwidth = 4\nheight = 4\nsources = [\"R\"]\naddress = 0", "[\"R\"]", "`sources` are four"),
    ("[[texture]]\nindex = 1\nwords = [0, 0, 0]", "[0, 0, 0]", "`words` are eight"),
    ("[[texture]]\nindex = 1\nwidth = 1\nwords = [0, 0, 0, 0, 0, 0, 0, 0]", "[0, 0, 0, 0, 0, 0, 0, 0]", "`words` stand alone, or with `fields`"),
    ("[[texture]]\nindex = 1\nwords = [0, 0, 0, 0, 0, 0, 0, 0]\nfields = { widht = 1 }", "{ widht = 1 }", "no field is called `widht`"),
    ("[[texture]]\nindex = 1\nwords = [0, 0, 0, 0, 0, 0, 0, 0]\nfields = { texture_type = 16 }", "16", "expected a whole number from 0 to 15, found 16"),
    ("[[sampler]]\nindex = 0\n[[sampler]]\nindex = 0", "0", "`index` 0 is there twice"),
    ("[[sampler]]\nindex = 0\nfilter_mode = \"cubic\"", "\"cubic\"", "expected `point` or `linear`, found `cubic`"),
    ("[[sampler]]\nindex = 0\nmipmap_filter_mode = \"cubic\"", "\"cubic\"", "expected `point`, `linear` or `none`, found `cubic`"),
    ("[[sampler]]\nindex = 0\naddress_mode = [\"repeat\"]", "\"repeat\"", "expected `wrap`, `mirror`"),
    ("[[sampler]]\nindex = 0\nborder_color = [1.0, 2.0]", "[1.0, 2.0]", "expected 4 numbers [r, g, b, a], found 2"),
    ("[[sampler]]\nindex = 0\nmipmap_level_bias = 100.0", "100.0", "`mipmap_level_bias`: 100 is not a multiple of 1/256"),
    ("[[memory]]\naddress = 0", "[[memory]]", "exactly one of `bytes`, `zeros` and a type such as `u32` is needed"),
    ("[[memory]]\naddress = 0\nu32 = [1, \"-1\"]", "\"-1\"", "`-1` does not fit into 32 bits"),
    ("[[memory]]\naddress = 0\nbytes = \"123\"", "\"123\"", "expected an even number of hexadecimal digits"),
    ("[[memory]]\naddress = 0\nzeros = 0x20000001", "0x20000001", "a file fills at most 536870912 bytes of memory"),
    ("[[memory]]\naddress = 0\nzeros = 16\n[[memory]]\naddress = 8\nbytes = \"00\"", "8", "the 1 byte at 0x8 would overlap with memory at 0x0"),
    ("[[memory]]\nzeros = 16", "[[memory]]", "this table lacks the key `address`"),
    ("active = ", "", "expected"),
];

#[test]
fn mistakes() {
    let mut wrong = Vec::new();
    for (file, place, message) in MISTAKES {
        let Err(error) = state_file::parse(file) else {
            wrong.push(format!("{file}\n=> no error"));
            continue;
        };
        let at = error.span().map_or("", |span| &file[span]);
        // A problem of a whole table is marked at its header, or at a longer part of the table.
        let is_table = place.starts_with("[[") && at.starts_with(place);
        if !error.message().contains(message) || !(at == *place || is_table) {
            wrong.push(format!("{file}\n=> at `{at}`: {}", error.message()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
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
        assert!(error.message().contains(message), "{keys}: {error}");
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

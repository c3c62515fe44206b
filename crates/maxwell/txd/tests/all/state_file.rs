//! State files with mistakes: what is said about them, and at which part of the text.

#![allow(clippy::unwrap_used)]

use texunit_sass::parse::parse;
use texunit_txd::exec::{ExecError, execute};
use texunit_txd::state_file;

/// A file, the part of it that the error is at ("" for none), and a part of the message.
#[rustfmt::skip]
const MISTAKES: &[(&str, &str, &str)] = &[
    ("arch = \"sm_70\"", "\"sm_70\"", "no architecture is called `sm_70`: sm_50, sm_52, sm_53, sm_60, sm_61, sm_62"),
    ("arch = 52", "52", "invalid type: integer `52`, expected a string"),
    ("active = 0x1ffffffff", "0x1ffffffff", "8589934591 is not a mask of 32 lanes"),
    ("killed = [0, 32]", "[0, 32]", "a warp has lanes 0 to 31, not 32"),
    ("active = \"all\"", "\"all\"", "expected true, false, a mask, or a list of lanes"),
    ("activ = true", "activ", "unknown field `activ`"),
    ("sampler_binding = \"header\"", "\"header\"", "unknown sampler binding `header`; available: independently, via_header"),
    ("[registers]\nR255 = 0", "R255", "`R255` is not one of R0 to R254"),
    ("[registers]\nr4 = 0", "r4", "`r4` is not one of R0 to R254"),
    ("[registers]\nR04 = 0", "R04", "`R04` is not one of R0 to R254"),
    ("[registers]\nR4 = 0\nR4 = 1", "R4", "duplicate key"),
    ("[registers]\nR4 = [1, \"zz\"]", "[1, \"zz\"]", "`zz` does not fit into 32 bits"),
    ("[registers]\nR4 = 4294967296", "4294967296", "4294967296 does not fit into 32 bits"),
    ("[registers]\nR4 = true", "true", "expected a value, or a list of up to 32 of them"),
    ("[predicates]\nP7 = true", "P7", "`P7` is not one of P0 to P6"),
    ("[constants]\n0x2000 = 0", "0x2000", "`0x2000` is not the offset of a word, from 0x0 to 0x1fff"),
    ("[constants]\n0x+1 = 0", "+", "invalid"),
    ("[constants]\n\"0x+1\" = 0", "\"0x+1\"", "`0x+1` is not the offset of a word, from 0x0 to 0x1fff"),
    ("[constants]\n5 = 0\n0x5 = 1", "0x5", "word 0x5 is there twice"),
    ("[constants]\n5 = { header = 0x100000 }", "{ header = 0x100000 }", "a handle has 20 bits of `header` and 12 of `sampler`"),
    ("[constants]\n5 = { head = 1 }", "{ head = 1 }", "expected 32 bits, or { header = 0, sampler = 0 }"),
    ("[header_pool]\nmax_index = 0x100000", "0x100000", "header_pool: `max_index` has 20 bits"),
    ("header_pool = { address = 0x100 }\nsampler_pool = { address = 0x110 }", "0x110", "sampler_pool: the 32 bytes at 0x110 overlap with memory at 0x100"),
    ("[header_pool]\naddress = -1", "-1", "expected u64"),
    ("[[texture]]\nformat = \"f32\"\nsize = [1]\naddress = 0", "[[texture]]", "`index` is missing"),
    ("[[texture]]\nindex = 0x100000\nformat = \"f32\"\nsize = [1]\naddress = 0", "0x100000", "`index` has 20 bits"),
    ("[[texture]]\nindex = 1\nsize = [1]\naddress = 0", "[[texture]]", "`format` is missing"),
    ("[[texture]]\nindex = 1\nformat = \"r8\"\nsize = [1]\naddress = 0", "\"r8\"", "unknown format `r8`; available: "),
    ("[[texture]]\nindex = 1\ntype = \"4D\"\nformat = \"f32\"\nsize = [1]\naddress = 0", "\"4D\"", "no texture type is called `4D`: 1D, 2D, 3D"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 0]\naddress = 0", "[4, 0]", "`size` has 1 to 3 numbers above 0"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\nlevels = 17\naddress = 0", "17", "`levels` are 1 to 16"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\nmin_lod = -1.0\naddress = 0", "-1.0", "`min_lod` goes from 0 to below 16"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\nmin_lod = nan\naddress = 0", "nan", "`min_lod` goes from 0 to below 16"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\nblock_height = 3\naddress = 0", "3", "`block_height` is 1, 2, 4, 8, 16 or 32"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\npitch = 64\naddress = 0", "64", "`pitch` is for the layout pitch, and this is block_linear"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\nlayout = \"pitch\"\npitch = 64\nsparse = true\naddress = 0", "true", "`sparse` is for the layout block_linear, and this is pitch"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\nlayout = \"tiled\"\npitch = 64\naddress = 0", "\"tiled\"", "no layout is called `tiled`: block_linear, pitch, buffer"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\nlayout = \"pitch\"\naddress = 0", "[[texture]]", "`pitch` is missing"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [16, 4]\nlayout = \"pitch\"\npitch = 32\naddress = 0\ntexels = { ramp = { as = \"f32\", first = 0, step = 1 } }", "32", "`pitch` is below the 64 bytes of a row"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\naddress = 0x100", "0x100", "`address`: 0x100 is not a multiple of 512 below 2^48"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\naddress = 0\ntexels = { f32 = [1.0, 2.0] }", "{ f32 = [1.0, 2.0] }", "`texels` have 8 bytes, but the texture has 64"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\naddress = 0\ntexels = { bytes = \"0g\" }", "{ bytes = \"0g\" }", "`bytes` are hex digits, two a byte"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\naddress = 0\ntexels = { ramp = { as = \"f64\", first = 0, step = 1 } }", "{ ramp = { as = \"f64\", first = 0, step = 1 } }", "no ramp is of `f64`: u8, u16, u32, f32"),
    ("[[texture]]\nindex = 1\nformat = \"f32\"\nsize = [4, 4]\naddress = 0\ntexels = {}", "{}", "exactly one of `bytes`, `f32`, `u32`, `ramp` is needed"),
    ("[[texture]]\nindex = 1\nwords = [0, 0, 0]", "[0, 0, 0]", "`words` are eight"),
    ("[[texture]]\nindex = 1\nsize = [1]\nwords = [0, 0, 0, 0, 0, 0, 0, 0]", "[0, 0, 0, 0, 0, 0, 0, 0]", "`words` stand alone, or with `fields`"),
    ("[[texture]]\nindex = 1\nwords = [0, 0, 0, 0, 0, 0, 0, 0]\nfields = { widht = 1 }", "{ widht = 1 }", "no field is called `widht`"),
    ("[[texture]]\nindex = 1\nwords = [0, 0, 0, 0, 0, 0, 0, 0]\nfields = { texture_type = 16 }", "{ texture_type = 16 }", "`texture_type` is at most 0xf"),
    ("[[sampler]]\nindex = 0\n[[sampler]]\nindex = 0", "0", "`index` 0 is there twice"),
    ("[[sampler]]\nindex = 0\nfilter = \"cubic\"", "\"cubic\"", "no filter is called `cubic`: point, linear"),
    ("[[sampler]]\nindex = 0\nmip_filter = \"cubic\"", "\"cubic\"", "no filter is called `cubic`: point, linear, none"),
    ("[[sampler]]\nindex = 0\naddress = [\"repeat\"]", "[\"repeat\"]", "no address mode is called `repeat`: wrap"),
    ("[[sampler]]\nindex = 0\nborder = [1.0, 2.0]", "[1.0, 2.0]", "invalid length 2"),
    ("[[sampler]]\nindex = 0\nlod_bias = 100.0", "100.0", "`lod_bias`: 100 is not a multiple of 1/256"),
    ("[[sampler]]\nindex = 0\nmin_lod = nan", "[[sampler]]", "is a number, not NaN"),
    ("[[memory]]\naddress = 0", "[[memory]]", "exactly one of `bytes`, `f32`, `u32`, `zeros` is needed"),
    ("[[memory]]\naddress = 0\nu32 = [1, \"-1\"]", "[1, \"-1\"]", "`-1` does not fit into 32 bits"),
    ("[[memory]]\naddress = 0\nbytes = \"123\"", "\"123\"", "3 hex digits do not make whole bytes"),
    ("[[memory]]\naddress = 0\nzeros = 0x20000001", "0x20000001", "a file fills at most 536870912 bytes of memory"),
    ("[[memory]]\naddress = 0\nzeros = 16\n[[memory]]\naddress = 8\nbytes = \"00\"", "8", "the 1 bytes at 0x8 overlap with memory at 0x0"),
    ("[[memory]]\nzeros = 16", "[[memory]]", "missing field `address`"),
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
        // A table as a whole is its header or more.
        let is_table = place.starts_with("[[") && at.starts_with(place);
        if !error.message().contains(message) || !(at == *place || is_table) {
            wrong.push(format!("{file}\n=> at `{at}`: {}", error.message()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Files that ask for much are refused, or done, before it hurts.
#[test]
fn large_files() {
    let texture = |keys: &str| {
        format!(
            "[[texture]]\nindex = 0\naddress = 0\n{keys}\n\
             texels = {{ ramp = {{ as = \"u8\", first = 0, step = 1 }} }}"
        )
    };
    for (keys, message) in [
        ("format = \"f32x4\"\nsize = [65536, 65536]", "536870912 bytes"),
        ("format = \"f32x4\"\nsize = [4294967295, 4294967295]", "is more than"),
        ("type = \"3D\"\nformat = \"f32x4\"\nsize = [16384, 16384, 16384]", "536870912 bytes"),
        (
            "layout = \"pitch\"\npitch = 32\nformat = \"f32x4\"\nsize = [4294967295, 4294967295]",
            "is more than",
        ),
        (
            "layout = \"pitch\"\npitch = 2097120\nformat = \"u8\"\nsize = [1, 65536]",
            "536870912 bytes",
        ),
        ("type = \"1D_buffer\"\nformat = \"f32x4\"\nsize = [4294967295]", "536870912 bytes"),
        ("type = \"2D_array\"\nformat = \"u8\"\nsize = [1, 1, 65536]\nlevels = 16", ""),
    ] {
        let error = state_file::parse(&texture(keys)).unwrap_err();
        assert!(error.message().contains(message), "{keys}: {error}");
    }
    // A quarter of what is allowed, four million texels.
    let text = texture("format = \"f32x4\"\nsize = [4096, 1024]");
    assert!(state_file::parse(&text).is_ok());
    let deep = format!("active = {}", "[".repeat(100_000));
    assert!(state_file::parse(&deep).is_err());
    let keys = format!("{}x = 1", "a.".repeat(100_000));
    assert!(state_file::parse(&keys).is_err());
}

/// Zeros are the answer as soon as they are certain: what would be read next need not be there.
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
        size = [4, 4, 4]
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

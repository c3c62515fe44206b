//! NPY files: against those that NumPy has written, and by hand.

use texunit_files::{Kind, TexelRequest, Texels, decode, decode_array, encode};
use texunit_texel::Format;

fn wanted(format: &str, dims: Option<u8>) -> TexelRequest {
    TexelRequest { format: Format::from_name(format).unwrap(), dims, extent: None }
}

/// A file with this header.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(data);
    out
}

/// A file that NumPy has written (`tests/data/make_npy.py`).
fn numpys(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/data/{name}.npy", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn what_numpy_writes() {
    let expected: Vec<u8> =
        [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    for name in ["f4", "f4-fortran", "f4-big"] {
        let bytes = numpys(name);
        let array = decode_array(&bytes).unwrap();
        assert_eq!(array.dtype, texunit_files::Dtype::F32, "{name}");
        assert_eq!(array.shape, [2, 3], "{name}");
        assert_eq!(array.bytes, expected, "{name}");
        let texels = decode(Kind::Npy, &bytes, &wanted("f32", None)).unwrap();
        assert_eq!((texels.dims, texels.width, texels.height), (2, 3, 2), "{name}");
    }
    let array = decode_array(&numpys("u2-fortran")).unwrap();
    let order: Vec<u16> = array.bytes.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
    assert_eq!(order, [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]);
    assert_eq!(decode_array(&numpys("f2-big")).unwrap().bytes, [0, 0x3c, 0, 0xc0]);
}

/// Version, header and data of a file. NumPy leaves more room for a longer header than it has to.
fn parts(file: &[u8]) -> (&[u8], &str, &[u8]) {
    let start = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
    assert_eq!(start % 64, 0);
    let header = std::str::from_utf8(&file[10..start]).unwrap();
    let header = header.strip_suffix('\n').unwrap().trim_end_matches(' ');
    (&file[..8], header, &file[start..])
}

#[test]
fn what_is_written_is_what_numpy_writes() {
    for (format, dims, shape) in
        [("f32x4", 2_u8, "2x3x4"), ("f32", 3, "1x2x3"), ("f32", 1, "6"), ("f32x2", 1, "6x2")]
    {
        let format = Format::from_name(format).unwrap();
        let (width, height) = if dims == 1 { (6, 1) } else { (3, 2) };
        let count = 6 * usize::from(format.channels());
        let bytes: Vec<u8> = (0..count).flat_map(|v| (v as f32).to_le_bytes()).collect();
        let texels = Texels { format, dims, width, height, depth: 1, bytes };
        let out = encode(Kind::Npy, &texels).unwrap();
        assert_eq!(parts(&out), parts(&numpys(&format!("written-{shape}"))), "{shape}");
        assert_eq!(
            decode(Kind::Npy, &out, &TexelRequest { format, dims: Some(dims), extent: None })
                .unwrap(),
            texels
        );
    }
}

#[test]
fn numbers_are_converted_only_if_they_fit() {
    let bytes = file(
        "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }",
        &[255, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
    );
    let read = |format| {
        decode(Kind::Npy, &bytes, &wanted(format, None)).map(|t| t.bytes).map_err(|e| e.to_string())
    };
    assert_eq!(read("u8"), Err("element 2 is -1, which u8 cannot hold exactly".into()));
    assert_eq!(read("s8"), Err("element 0 is 255, which s8 cannot hold exactly".into()));
    assert_eq!(read("s16"), Ok(vec![255, 0, 1, 0, 255, 255]));
    assert_eq!(read("f16"), Ok(vec![0xf8, 0x5b, 0, 0x3c, 0, 0xbc]));
    let big = file("{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }", &[1, 0, 0, 1]);
    let read = |format| {
        decode(Kind::Npy, &big, &wanted(format, None)).map(|t| t.bytes).map_err(|e| e.to_string())
    };
    assert_eq!(read("f32"), Err("element 0 is 16777217, which f32 cannot hold exactly".into()));
    assert_eq!(read("f16"), Err("element 0 is 16777217, which f16 cannot hold exactly".into()));
    let double =
        file("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", &0.1_f64.to_le_bytes());
    let read = |format| {
        decode(Kind::Npy, &double, &wanted(format, None))
            .map(|t| t.bytes)
            .map_err(|e| e.to_string())
    };
    for format in ["f32", "f16"] {
        let refused = read(format).unwrap_err();
        assert!(refused.contains("float64 is not narrowed silently"), "{refused}");
    }
    assert!(read("u8").unwrap_err().contains("floats are not rounded to integers"));
}

#[test]
fn axes() {
    let image = file("{\"shape\":(2,1,4),'fortran_order':False,'descr':'|u1'}", &[0; 8]);
    let read = |format, dims| {
        decode(Kind::Npy, &image, &wanted(format, dims))
            .map(|t| (t.dims, [t.width, t.height, t.depth]))
            .map_err(|e| e.to_string())
    };
    assert_eq!(read("u8x4", None), Ok((2, [1, 2, 1])));
    assert_eq!(read("u8", None), Ok((3, [4, 1, 2])));
    assert_eq!(
        read("u8x2", None),
        Err("holds an array of shape (2, 1, 4), which cannot be read as u8x2; the last axis must have length 2".into())
    );
    let column = file("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 1), }", &[0; 3]);
    let texels = decode(Kind::Npy, &column, &wanted("u8", Some(1))).unwrap();
    assert_eq!((texels.dims, texels.width, texels.height), (1, 3, 1));
    let scalar = file("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", &[0; 1]);
    assert!(
        decode(Kind::Npy, &scalar, &wanted("u8", None))
            .unwrap_err()
            .to_string()
            .contains("expected 1 to 3 axes")
    );
    let none = file("{'descr': '|u1', 'fortran_order': False, 'shape': (0,), }", &[]);
    assert!(
        decode(Kind::Npy, &none, &wanted("u8", None))
            .unwrap_err()
            .to_string()
            .contains("every axis must be")
    );
}

#[test]
fn headers_that_are_none() {
    #[rustfmt::skip]
    let rows = [
        ("", "expected `{` in the header at ``"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (4,)", "expected `}` in the header at ``"),
        ("{'descr': '<f4', 'fortran_order': 0, 'shape': (4,), }", "expected True or False in the header at `0, 'shape': (4,), }`"),
        ("{'descr': '<f4', 'shape': (1,), }", "the header lacks descr, fortran_order or shape"),
        ("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "elements of type `<c8` are not supported: expected bool, an integer or a float of at most 8 bytes"),
        ("{'descr': 'é', 'fortran_order': False, 'shape': (1,), }", "elements of type `é` are not supported: expected bool, an integer or a float of at most 8 bytes"),
        ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "arrays of records are not supported"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615, 2), }", "the shape is larger than any memory"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", "expected a length in the header at `99999999999999999999`"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "expected a length in the header at `-1,), }`"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "the shape takes 8 bytes, but 4 follow the header"),
        ("{'color': 1}", "the header has a key `color`"),
        ("{'descr': '<f4", "expected a string in the header at `'<f4`"),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x", "expected nothing more in the header at `x`"),
        ("((((((((((((((((((((((((((((((((", "expected `{` in the header at `((((((((((((((((((((`"),
    ];
    for (header, message) in rows {
        let error = decode_array(&file(header, &[0; 4])).unwrap_err().to_string();
        assert_eq!(error.trim_start_matches("damaged NPY file: "), message, "{header}");
    }
    let axes =
        format!("{{'descr': '<f4', 'fortran_order': True, 'shape': ({}), }}", "1,".repeat(100));
    assert!(
        decode_array(&file(&axes, &[0; 4])).unwrap_err().to_string().contains("more than 64 axes")
    );
    for cut in 0..20 {
        let whole = file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", &[0; 4]);
        assert!(decode_array(&whole[..cut]).is_err());
    }
}

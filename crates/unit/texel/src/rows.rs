//! Runs `tests/rows.txt`, which has the properties of every format, how textures read its channels,
//! and the values of some codes.
//!
//! A line `FORMAT: ...` has the properties of a format, then how elements, normalized floats and
//! normalized floats with the sRGB flag are read from it: OpenCL's data type and order, and the
//! reading of each channel. A line `READING QUESTION WORDS: WORDS` has the results of a function
//! for each of some hexadecimal codes, or numbers with a point, and `FORMAT block BYTES: WORDS` the
//! first texels of a block. `TEXUNIT_BLESS=1` writes what follows the colons.

#![allow(clippy::unwrap_used)]
use crate::{Format, Reading, decode_block, f32_to_f16_toward_zero, readings, store_codes};

/// The name of a [`Reading`] (how the code of a channel is converted to a number) in `rows.txt`,
/// such as `unorm8`.
fn name(reading: Reading) -> String {
    format!("{reading:?}").to_lowercase().replace(" { bits: ", "").replace(" }", "")
}

fn reading(text: &str) -> Reading {
    let (kind, bits) = text.split_at(text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len()));
    let bits = bits.parse().unwrap_or(0);
    match kind {
        "missing" => Reading::Missing,
        "one" => Reading::One,
        "uint" => Reading::Uint { bits },
        "sint" => Reading::Sint { bits },
        "unorm" => Reading::Unorm { bits },
        "snorm" => Reading::Snorm { bits },
        "srgb" => Reading::Srgb,
        _ if bits == 16 => Reading::F16,
        _ => Reading::F32,
    }
}

/// A line of `rows.txt`: the properties of a format, and how a texture reads its channels.
fn of_format(format: Format) -> String {
    let kinds = [
        (format.block_extent() == 4, " block"),
        (format.is_depth(), " depth"),
        (format.is_srgb_block(), " srgb"),
        (format.is_normalized_kind(), " normalized"),
        (store_codes(format, [0; 4], 4).is_some(), " stored"),
    ];
    let kinds: String = kinds.iter().filter(|kind| kind.0).map(|kind| kind.1).collect();
    let mut text = format!("{} x {} bytes{kinds}", format.channels(), format.texel_size());
    for (normalized, srgb) in [(false, false), (true, false), (true, true)] {
        let (data_type, order) = (format.channel_data_type(normalized), format.channel_order());
        let all = readings(format, normalized, srgb);
        let all = all.map_or("none".to_owned(), |all| all.map(name).join(" "));
        text += &format!(" / {data_type:x} {order:x} {all}");
    }
    assert_eq!(readings(format, false, true), readings(format, false, false), "{format}");
    text
}

/// The result of the function of [`Reading`] that a line of `rows.txt` names (`question`) for a
/// code.
fn value(of: &str, question: &str, word: &str) -> u32 {
    let code = match word.parse::<f32>() {
        Ok(number) if word.contains(['.', 'n']) => number.to_bits(),
        _ => u32::from_str_radix(word, 16).unwrap(),
    };
    match question {
        "point" => reading(of).point(code),
        "gather" => reading(of).gather(code),
        "border" => reading(of).border_code(code),
        _ => f32_to_f16_toward_zero(code).into(),
    }
}

/// The decoded codes of the first four texels of a compressed block, or the first eight texels of
/// BC4 and BC5.
fn block(format: Format, digits: &str) -> String {
    let byte = |at: usize| u8::from_str_radix(&digits[2 * at..][..2], 16).unwrap();
    let bytes: Vec<u8> = (0..digits.len() / 2).map(byte).collect();
    let texels = decode_block(format, &bytes).unwrap();
    let is_signed = format.name().ends_with("_snorm");
    let count = if format.channels() < 3 { 8 } else { 4 };
    let code = |c: u32| if is_signed { i32::from(c as u16 as i16) } else { c as i32 };
    let texel = |texel: &[u32; 4]| texel.map(|c| code(c).to_string()).join(",");
    texels[..count].iter().map(texel).collect::<Vec<_>>().join(" ")
}

#[test]
fn rows() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rows.txt");
    let file = std::fs::read_to_string(path).unwrap();
    let mut now = String::new();
    let mut formats = Format::all();
    for line in file.lines() {
        let (asked, _) = line.split_once(':').unwrap_or((line, ""));
        let mut words = asked.split(' ');
        let (of, question) = (words.next().unwrap(), words.next());
        now += &match (line.starts_with('#') || line.is_empty(), question) {
            (true, _) => line.to_owned(),
            (_, None) => {
                let format = formats.next().unwrap();
                format!("{format}: {}", of_format(format))
            }
            (_, Some("block")) => {
                let format = Format::from_name(of).unwrap();
                format!("{asked}: {}", block(format, words.next().unwrap()))
            }
            (_, Some(question)) => {
                let values = words.map(|word| format!("{:x}", value(of, question, word)));
                format!("{asked}: {}", values.collect::<Vec<_>>().join(" "))
            }
        };
        now += "\n";
    }
    assert_eq!(formats.next(), None, "every format has a row");
    if std::env::var_os("TEXUNIT_BLESS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    assert!(now == file, "tests/rows.txt differs; TEXUNIT_BLESS=1 writes what it is now");
}

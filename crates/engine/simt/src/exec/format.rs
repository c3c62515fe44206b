//! C's printf formatting, for device code. The module does not access kernel memory; arguments and
//! strings come from an [`Arguments`].

mod floats;

pub use floats::general;
use floats::pad_float;

/// Source of the arguments and strings of a printf call.
pub(crate) trait Arguments {
    /// The next argument of 4 or 8 bytes; `None` if it cannot be read.
    fn next(&mut self, size: u8) -> Option<u64>;
    /// The string at an address; `None` if it cannot be read.
    fn string(&mut self, address: u64) -> Option<Vec<u8>>;
}

#[derive(Clone, Copy, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Size of the argument: 1, 2, 4 or 8 bytes.
    size: u8,
}

/// Limit of width and precision, which bounds the output of a format.
const WIDEST: usize = 4096;

/// Appends the formatted text to `out`. Stops early if an argument cannot be read.
pub(crate) fn format(format: &[u8], arguments: &mut impl Arguments, out: &mut Vec<u8>) {
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&b| b == b'%') {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let whole = rest;
        let Some((spec, conversion)) = parse(&mut rest, arguments) else {
            // An invalid conversion is printed unchanged.
            out.push(b'%');
            out.extend_from_slice(&whole[..whole.len() - rest.len()]);
            continue;
        };
        if convert(spec, conversion, arguments, out).is_none() {
            return;
        }
    }
    out.extend_from_slice(rest);
}

fn number(rest: &mut &[u8]) -> usize {
    let mut n = 0_usize;
    while let [digit @ b'0'..=b'9', tail @ ..] = rest {
        n = (n * 10 + usize::from(digit - b'0')).min(WIDEST);
        *rest = tail;
    }
    n
}

fn parse(rest: &mut &[u8], arguments: &mut impl Arguments) -> Option<(Spec, u8)> {
    let mut spec = Spec { size: 4, ..Spec::default() };
    loop {
        match rest {
            [b'-', ..] => spec.left = true,
            [b'+', ..] => spec.plus = true,
            [b' ', ..] => spec.space = true,
            [b'#', ..] => spec.alternate = true,
            [b'0', ..] => spec.zero = true,
            _ => break,
        }
        *rest = &rest[1..];
    }
    if let [b'*', tail @ ..] = rest {
        *rest = tail;
        let width = arguments.next(4)? as u32 as i32;
        spec.left |= width < 0;
        spec.width = (width.unsigned_abs() as usize).min(WIDEST);
    } else {
        spec.width = number(rest);
    }
    if let [b'.', tail @ ..] = rest {
        *rest = tail;
        if let [b'*', tail @ ..] = rest {
            *rest = tail;
            let precision = arguments.next(4)? as u32 as i32;
            spec.precision = usize::try_from(precision).ok().map(|p| p.min(WIDEST));
        } else {
            spec.precision = Some(number(rest));
        }
    }
    loop {
        match rest {
            [b'h', b'h', tail @ ..] => (spec.size, *rest) = (1, tail),
            [b'h', tail @ ..] => (spec.size, *rest) = (2, tail),
            [b'l' | b'j' | b'z' | b't' | b'q', tail @ ..] => (spec.size, *rest) = (8, tail),
            [b'L', tail @ ..] => *rest = tail,
            [conversion, tail @ ..] => {
                let conversion = *conversion;
                *rest = tail;
                return b"diouxXcspfFeEgGaA%".contains(&conversion).then_some((spec, conversion));
            }
            [] => return None,
        }
    }
}

fn convert(spec: Spec, conversion: u8, from: &mut impl Arguments, out: &mut Vec<u8>) -> Option<()> {
    let wide = if spec.size == 8 { 8 } else { 4 };
    match conversion {
        b'%' => out.push(b'%'),
        b'd' | b'i' => {
            let v = from.next(wide)?;
            let shift = 64 - 8 * u32::from(spec.size);
            let v = (v << shift) as i64 >> shift;
            let sign = sign_of(v < 0, spec);
            pad_integer(spec, sign, v.unsigned_abs().to_string(), v == 0, out);
        }
        b'u' | b'o' | b'x' | b'X' => {
            let v = from.next(wide)? & crate::lower::mask_of(u32::from(spec.size) * 8);
            let digits = match conversion {
                b'u' => v.to_string(),
                b'o' => format!("{v:o}"),
                b'x' => format!("{v:x}"),
                _ => format!("{v:X}"),
            };
            let prefix = match conversion {
                b'o' if spec.alternate && !digits.starts_with('0') => "0",
                b'x' if spec.alternate && v != 0 => "0x",
                b'X' if spec.alternate && v != 0 => "0X",
                _ => "",
            };
            pad_integer(spec, prefix, digits, v == 0, out);
        }
        b'c' => pad(spec, &[from.next(4)? as u8], out),
        b'p' => pad(spec, format!("{:#x}", from.next(8)?).as_bytes(), out),
        b's' => {
            let address = from.next(8)?;
            let mut text = match address {
                0 => b"(null)".to_vec(),
                _ => from.string(address)?,
            };
            text.truncate(spec.precision.unwrap_or(usize::MAX));
            pad(spec, &text, out);
        }
        _ => pad_float(spec, conversion, f64::from_bits(from.next(8)?), out),
    }
    Some(())
}

fn sign_of(negative: bool, spec: Spec) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn pad(spec: Spec, text: &[u8], out: &mut Vec<u8>) {
    let blanks = spec.width.saturating_sub(text.len());
    if !spec.left {
        out.resize(out.len() + blanks, b' ');
    }
    out.extend_from_slice(text);
    if spec.left {
        out.resize(out.len() + blanks, b' ');
    }
}

fn pad_integer(spec: Spec, prefix: &str, mut digits: String, zero: bool, out: &mut Vec<u8>) {
    if zero && spec.precision == Some(0) {
        digits.clear();
    }
    let mut least = spec.precision.unwrap_or(1);
    if prefix == "0" {
        // The leading zero of an octal number counts as a digit.
        least = least.saturating_sub(1);
    }
    if spec.zero && !spec.left && spec.precision.is_none() {
        least = spec.width.saturating_sub(prefix.len());
    }
    let zeros = least.saturating_sub(digits.len());
    pad(spec, format!("{prefix}{}{digits}", "0".repeat(zeros)).as_bytes(), out);
}

#[cfg(test)]
mod tests {
    use super::*;

    struct List(Vec<u64>);

    impl Arguments for List {
        fn next(&mut self, _: u8) -> Option<u64> {
            (!self.0.is_empty()).then(|| self.0.remove(0))
        }

        fn string(&mut self, address: u64) -> Option<Vec<u8>> {
            Some(format!("<{address}>").into_bytes())
        }
    }

    fn say(f: &str, arguments: &[u64]) -> String {
        let mut out = Vec::new();
        format(f.as_bytes(), &mut List(arguments.to_vec()), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// The right column is the output of glibc 2.36 (or what it would be for such strings).
    #[test]
    fn agrees_with_c() {
        let f = f64::to_bits;
        #[rustfmt::skip]
        let cases: &[(&str, &[u64], &str)] = &[
            ("plain 100%%",      &[],                     "plain 100%"),
            ("%d|%i",            &[5, 0xffff_ffff],       "5|-1"),
            ("%5d|%-5d|%05d",    &[42, 42, 42],           "   42|42   |00042"),
            ("%+d|% d|%+d",      &[7, 7, -7_i64 as u64],  "+7| 7|-7"),
            ("%.3d|%8.3d|%-8.3d", &[7, 7, 7],             "007|     007|007     "),
            ("%.0d|",            &[0],                    "|"),
            ("%hhd|%hd",         &[0x1ff, 0x1_8000],      "-1|-32768"),
            ("%ld|%lld",         &[u64::MAX, 1 << 40],    "-1|1099511627776"),
            ("%u|%lu",           &[u64::MAX, u64::MAX],   "4294967295|18446744073709551615"),
            ("%x|%X|%#x|%#X",    &[255, 255, 255, 255],   "ff|FF|0xff|0XFF"),
            ("%#o|%o|%#x",       &[8, 8, 0],              "010|10|0"),
            ("%08x|%#010x",      &[0xabc, 0xabc],         "00000abc|0x00000abc"),
            ("%c%3c|%-3c|",      &[65, 66, 67],           "A  B|C  |"),
            ("%s|%6s|%-6s|%.2s", &[1, 2, 3, 4],           "<1>|   <2>|<3>   |<4"),
            ("%s",               &[0],                    "(null)"),
            ("%p",               &[0xdead],               "0xdead"),
            ("%*d|%-*d|%.*f",    &[5, 1, 4, 2, 1, f(2.55)], "    1|2   |2.5"),
            ("%f|%.2f|%.0f|%#.0f", &[f(1.5), f(2.345), f(2.5), f(2.5)], "1.500000|2.35|2|2."),
            ("%e|%.2E|%.0e",     &[f(12345.678), f(0.00012), f(15.0)], "1.234568e+04|1.20E-04|2e+01"),
            ("%g|%g|%g|%g",      &[f(0.0001), f(0.00001), f(123456.0), f(1234567.0)], "0.0001|1e-05|123456|1.23457e+06"),
            ("%g|%#g|%.3g|%G",   &[f(1.0), f(1.0), f(1234.5), f(1e-10)], "1|1.00000|1.23e+03|1E-10"),
            ("%f|%F|%e|%5f|%05f", &[f(f64::INFINITY), f(f64::NAN), f(-f64::INFINITY), f(f64::INFINITY), f(f64::INFINITY)], "inf|NAN|-inf|  inf|  inf"),
            ("%08.3f|%-8.2f|%+.1f", &[f(-3.25), f(2.5), f(0.25)], "-003.250|2.50    |+0.2"),
            ("%a|%a|%.0a|%.2a|%A", &[f(1.0), f(0.1), f(1.5), f(1.999), f(255.0)], "0x1p+0|0x1.999999999999ap-4|0x2p+0|0x2.00p+0|0X1.FEP+7"),
            ("%a|%a",            &[f(0.0), f(5e-324)],    "0x0p+0|0x0.0000000000001p-1022"),
            ("%k %",             &[],                     "%k %"),
            ("%d %d",            &[1],                    "1 "),
        ];
        for (format, arguments, expected) in cases {
            assert_eq!(say(format, arguments), *expected, "{format}");
        }
    }

    #[test]
    fn widths_are_bounded() {
        assert_eq!(say("%999999999d", &[1]).len(), WIDEST);
        assert_eq!(say("%.*f", &[i32::MAX as u64, 0]).len(), WIDEST + 2);
    }
}

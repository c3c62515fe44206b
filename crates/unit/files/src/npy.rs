//! NumPy's array files (NPY), versions 1 to 3.
//!
//! The header is a Python dictionary with three known keys. A small parser reads exactly these
//! keys, with limits: a general parser for Python literals would be slower, and recursive.

use crate::convert::{Meaning, Raster};
use crate::error::Problem;
use crate::io::damaged;
use crate::{Kind, TexelRequest, Texels};
use texunit_forms::{CHANNELS, Count};
use texunit_texel::{Dtype, Format};

/// Maximum length of a header; NumPy's own limit is 10,000 bytes.
const MAX_HEADER: usize = 64 * 1024;
/// Maximum number of axes; NumPy's own limit.
const MAX_RANK: usize = 64;

/// An array, converted to C order and little endian.
#[derive(Clone, Debug)]
pub struct Array {
    /// Element type.
    pub dtype: Dtype,
    /// Length of each axis, slowest first.
    pub shape: Vec<u64>,
    /// The elements.
    pub bytes: Vec<u8>,
}

struct Header {
    dtype: Dtype,
    big_endian: bool,
    fortran: bool,
    shape: Vec<u64>,
}

/// Decodes a file whose magic bytes have been checked.
pub(crate) fn decode(bytes: &[u8]) -> Result<Array, Problem> {
    let bad = |message: &str| damaged(Kind::Npy, message);
    let cut = || bad("the header is truncated");
    let (start, length) = match *bytes.get(6).ok_or_else(cut)? {
        1 => (10, bytes.get(8..10).map(|b| usize::from(u16::from_le_bytes([b[0], b[1]])))),
        2 | 3 => {
            (12, bytes.get(8..12).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize))
        }
        _ => return Err(bad("expected version 1, 2 or 3 of the NPY format")),
    };
    let length = length.ok_or_else(cut)?;
    if length > MAX_HEADER {
        return Err(bad("the header is too long"));
    }
    let header = bytes.get(start..start + length).ok_or_else(cut)?;
    let header = str::from_utf8(header).map_err(|_| bad("the header is not text"))?;
    let header = Parser { rest: header }.header()?;

    let elements = header.shape.iter().try_fold(1_u64, |n, &d| n.checked_mul(d));
    let size = elements.and_then(|n| n.checked_mul(header.dtype.size() as u64));
    let size = size.ok_or_else(|| bad("the shape is larger than any memory"))?;
    let data = &bytes[start + length..];
    if data.len() as u64 != size {
        let (size, found) = (Count(size, "byte"), data.len());
        return Err(bad(&format!("the shape takes {size}, but {found} follow the header")));
    }
    let mut data = crate::io::copy(data)?;
    if header.big_endian {
        data.chunks_exact_mut(header.dtype.size()).for_each(<[u8]>::reverse);
    }
    if header.fortran && header.shape.len() > 1 && !data.is_empty() {
        data = to_c_order(&data, &header.shape, header.dtype.size())?;
    }
    Ok(Array { dtype: header.dtype, shape: header.shape, bytes: data })
}

/// Reorders elements from Fortran order (first axis fastest) to C order (last axis fastest).
fn to_c_order(data: &[u8], shape: &[u64], size: usize) -> Result<Vec<u8>, Problem> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = size;
    for &d in shape {
        strides.push(stride);
        stride *= d as usize;
    }
    let mut out = crate::io::room(data.len())?;
    let mut index = vec![0_u64; shape.len()];
    let mut at = 0;
    while out.len() < data.len() {
        out.extend_from_slice(&data[at..at + size]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            at += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            at -= strides[axis] * shape[axis] as usize;
            index[axis] = 0;
        }
    }
    Ok(out)
}

/// Parser for a header such as `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn error(&self, wanted: &str) -> Problem {
        let near: String = self.rest.chars().take(20).collect();
        damaged(Kind::Npy, format!("expected {wanted} in the header at `{}`", near.trim_end()))
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        let found = self.rest.strip_prefix(token);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), Problem> {
        if self.eat(token) { Ok(()) } else { Err(self.error(&format!("`{token}`"))) }
    }

    fn string(&mut self) -> Result<&'a str, Problem> {
        self.skip();
        let quote = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let (text, rest) = quote
            .and_then(|q| self.rest[1..].split_once(q))
            .ok_or_else(|| self.error("a string"))?;
        self.rest = rest;
        Ok(text)
    }

    fn header(mut self) -> Result<Header, Problem> {
        let (mut dtype, mut fortran, mut shape) = (None, None, None);
        self.expect("{")?;
        while !self.eat("}") {
            let key = self.string()?;
            self.expect(":")?;
            match key {
                "descr" => dtype = Some(self.dtype()?),
                "fortran_order" if self.eat("True") => fortran = Some(true),
                "fortran_order" if self.eat("False") => fortran = Some(false),
                "fortran_order" => return Err(self.error("True or False")),
                "shape" => shape = Some(self.shape()?),
                _ => return Err(damaged(Kind::Npy, format!("the header has a key `{key}`"))),
            }
            if !self.eat(",") {
                self.expect("}")?;
                break;
            }
        }
        self.skip();
        if !self.rest.is_empty() {
            return Err(self.error("nothing more"));
        }
        let (Some((dtype, big_endian)), Some(fortran), Some(shape)) = (dtype, fortran, shape)
        else {
            return Err(damaged(Kind::Npy, "the header lacks descr, fortran_order or shape"));
        };
        Ok(Header { dtype, big_endian, fortran, shape })
    }

    fn dtype(&mut self) -> Result<(Dtype, bool), Problem> {
        if self.rest.trim_start().starts_with('[') {
            return Err(Problem::Unsupported("arrays of records are not supported".into()));
        }
        let text = self.string()?;
        let unsupported = || {
            Problem::Unsupported(format!(
                "elements of type `{text}` are not supported: expected bool, an integer or a float of at most 8 bytes"
            ))
        };
        let &[order, kind, size @ b'1'..=b'8'] = text.as_bytes() else {
            return Err(unsupported());
        };
        let big_endian = match order {
            b'>' => true,
            b'<' | b'|' => false,
            b'=' => cfg!(target_endian = "big"),
            _ => return Err(unsupported()),
        };
        let dtype = Dtype::of(kind.into(), usize::from(size - b'0')).ok_or_else(unsupported)?;
        Ok((dtype, big_endian))
    }

    fn shape(&mut self) -> Result<Vec<u64>, Problem> {
        let mut shape = Vec::new();
        self.expect("(")?;
        while !self.eat(")") {
            self.skip();
            let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            let (text, rest) = self.rest.split_at(digits);
            shape.push(text.parse().map_err(|_| self.error("a length"))?);
            self.rest = rest;
            if shape.len() > MAX_RANK {
                return Err(damaged(Kind::Npy, "the shape has more than 64 axes"));
            }
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(shape)
    }
}

impl Array {
    /// The texel format for the elements: `<f4` is f32. `axes` is the number of axes of the
    /// texture, including layers. If the array has one axis more, of length 2 or 4, that axis holds
    /// the channels. If `axes` is unknown, a third axis does. The error says how to save the array
    /// instead.
    pub fn format(&self, axes: Option<usize>) -> Result<Format, String> {
        let Some(channel) = self.dtype.channel() else {
            let (own, to) = (self.dtype, self.dtype.name().replace("64", "32"));
            return Err(format!(
                "holds {own}, which textures do not have: save it as {to}, \
                 `numpy.save(file, a.astype(numpy.{to}))`"
            ));
        };
        let channel = channel.name();
        let several = self.shape.len() > axes.unwrap_or(2);
        let name = match self.shape.last() {
            Some(&last @ (2 | 4)) if several => format!("{channel}x{last}"),
            _ => channel.to_owned(),
        };
        Format::from_name(&name).ok_or_else(|| format!("holds {name}, which textures do not have"))
    }

    /// The array as a raster with axes `[z][y][x][c]`. The last axis is channels if the format has
    /// several channels, or if the array has one axis more than `dims` and its length is 1.
    pub(crate) fn into_raster(self, wanted: &TexelRequest) -> Result<Raster, Problem> {
        let channels = wanted.format.channels();
        let mut axes = self.shape.as_slice();
        let refuse = |help: String| Problem::Format {
            found: format!("an array of shape {}", shape_text(&self.shape)),
            wanted: wanted.format,
            help,
        };
        let extra = wanted.dims.is_some_and(|d| axes.len() == usize::from(d) + 1);
        if channels > 1 || (extra && axes.last() == Some(&1)) {
            match axes.split_last() {
                Some((&last, rest)) if last == u64::from(channels) => axes = rest,
                Some((3, _)) => {
                    let channels = format!("the last axis must have length {channels}");
                    return Err(refuse(format!("{channels}: texels have {CHANNELS}")));
                }
                _ => return Err(refuse(format!("the last axis must have length {channels}"))),
            }
        }
        if !(1..=3).contains(&axes.len()) {
            let more = if channels > 1 { " and one of channels" } else { "" };
            return Err(refuse(format!("expected 1 to 3 axes [z][y][x]{more}")));
        }
        let mut extent = [1_u32; 3];
        for (to, &from) in extent.iter_mut().zip(axes.iter().rev()) {
            let length = u32::try_from(from).ok().filter(|&n| n > 0);
            *to = length.ok_or_else(|| refuse("every axis must be 1 to 2^32 - 1 long".into()))?;
        }
        Ok(Raster {
            sample: self.dtype,
            channels: channels.into(),
            meaning: Meaning::Numbers,
            dims: axes.len() as u8,
            width: extent[0],
            height: extent[1],
            depth: extent[2],
            bytes: self.bytes,
        })
    }
}

fn shape_text(shape: &[u64]) -> String {
    let axes: Vec<String> = shape.iter().map(u64::to_string).collect();
    format!("({}{})", axes.join(", "), if axes.len() == 1 { "," } else { "" })
}

/// Checks that an NPY file can hold texels of a format, and returns the type of their elements.
pub(crate) fn can_encode(format: Format) -> Result<Dtype, Problem> {
    format.plain_channel().map(Dtype::of_channel).ok_or_else(|| {
        Problem::Unsupported(format!("an NPY file holds plain channels, not {format}; use .raw"))
    })
}

/// Encodes texels as an array of shape `[z][y][x][c]`, without axes that they do not have.
pub(crate) fn encode(texels: &Texels) -> Result<Vec<u8>, Problem> {
    let dtype = can_encode(texels.format)?;
    let extent = [texels.depth, texels.height, texels.width];
    let axes = &extent[3 - usize::from(texels.dims.clamp(1, 3))..];
    let mut shape: Vec<u64> = axes.iter().map(|&n| n.into()).collect();
    if texels.format.channels() > 1 {
        shape.push(texels.format.channels().into());
    }
    encode_array(dtype, &shape, &texels.bytes)
}

/// Encodes elements, in C order and little endian, as an NPY file of this shape.
pub fn encode_array(dtype: Dtype, shape: &[u64], bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    let order = if dtype.size() == 1 { '|' } else { '<' };
    let descr = format!("{order}{}{}", dtype.kind(), dtype.size());
    let shape = shape_text(shape);
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // The data begin at a multiple of 64 bytes; the header ends with a newline.
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
    header.extend(std::iter::repeat_n(' ', padded - 1 - header.len()));
    header.push('\n');
    let mut out = crate::io::room(10 + padded + bytes.len())?;
    out.extend_from_slice(b"\x93NUMPY\x01\x00");
    out.extend_from_slice(&(padded as u16).to_le_bytes());
    out.extend_from_slice(header.as_bytes());
    out.extend_from_slice(bytes);
    Ok(out)
}

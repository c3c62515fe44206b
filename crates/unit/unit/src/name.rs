//! Parses PTX instruction names to instruction forms: `tex.level.2d.v4.f32.f32`,
//! `suld.b.a1d.v2.b32.clamp`.

use crate::request::{
    ClampMode, CoordType, FetchForm, FetchKind, Geometry, Lod, ReduceOp, ReduceType, ResultType,
    SurfaceForm, SurfaceKind,
};
use std::fmt;
use std::str::FromStr;

/// The error for a name that is not a complete fetch or surface instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}`: {reason}")]
pub struct NameError {
    name: String,
    reason: String,
}

impl NameError {
    fn new(name: &str, reason: impl Into<String>) -> Self {
        Self { name: name.to_owned(), reason: reason.into() }
    }
}

const COMPONENTS: [&str; 4] = ["r", "g", "b", "a"];
/// Cache operators of `suld` and `sust`, which are not part of an instruction form.
const CACHE: [&str; 6] = ["ca", "cg", "cs", "cv", "wb", "wt"];
impl fmt::Display for FetchForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            FetchKind::Sample(Lod::Implicit) => f.write_str("tex")?,
            FetchKind::Sample(lod) => write!(f, "tex.{lod}")?,
            FetchKind::Gather(c) => write!(f, "tld4.{}", COMPONENTS[usize::from(c & 3)])?,
        }
        write!(f, ".{}.{}.{}", self.geometry, self.result, self.coord)
    }
}

impl FromStr for FetchForm {
    type Err = NameError;

    /// Parses an instruction name. The name does not show whether there are offset and compare
    /// operands, so `offset` and `compare` are false.
    fn from_str(name: &str) -> Result<Self, NameError> {
        let fail = |reason: &str| NameError::new(name, reason);
        let mut parts = name.split('.').peekable();
        let kind = match parts.next() {
            Some("tex") => {
                let lod = parts
                    .peek()
                    .and_then(|p| Lod::from_name(p))
                    .filter(|&lod| lod != Lod::Implicit);
                if lod.is_some() {
                    parts.next();
                }
                FetchKind::Sample(lod.unwrap_or(Lod::Implicit))
            }
            Some("tld4") => {
                let component = parts.next().unwrap_or_default();
                let index = COMPONENTS.iter().position(|&c| c == component);
                FetchKind::Gather(index.ok_or_else(|| fail("incomplete: tld4 is followed by .r, .g, .b or .a, for example tld4.r.2d.v4.f32.f32"))? as u8)
            }
            _ => {
                return Err(fail(
                    "not a fetch: expected tex or tld4, for example tex.2d.v4.f32.f32",
                ));
            }
        };
        let example = |geometry: Geometry| {
            let coord = if geometry.is_multisample() { CoordType::S32 } else { CoordType::F32 };
            Self { kind, geometry, coord, result: ResultType::F32, offset: false, compare: false }
        };
        let wanted = parts.next();
        let geometry = wanted.and_then(Geometry::from_name).ok_or_else(|| {
            let example = example(Geometry::D2);
            fail(&match wanted {
                Some(word) => format!("unknown geometry .{word}; for example {example}"),
                None => format!("incomplete: the geometry is missing, for example {example}"),
            })
        })?;
        let rest: Vec<&str> = parts.collect();
        let [vector, result, coord] = rest[..] else {
            let what = match rest.len() {
                ..3 => "incomplete: the types of result and coordinates are missing",
                _ => "too long: the type of the coordinates is the last part",
            };
            return Err(fail(&format!("{what}, for example {}", example(geometry))));
        };
        let result = ResultType::from_name(&format!("{vector}.{result}"));
        let result = result.ok_or_else(|| {
            fail("expected a result type: .v4.f32, .v4.s32, .v4.u32, .v4.f16 or .v2.f16x2")
        })?;
        let coord =
            CoordType::from_name(coord).ok_or_else(|| fail("expected .f32 or .s32 coordinates"))?;
        let form = Self { kind, geometry, coord, result, offset: false, compare: false };
        match form.why_impossible() {
            Some(reason) => Err(fail(reason)),
            None => Ok(form),
        }
    }
}

impl FetchForm {
    /// Returns why the PTX ISA does not have this `tex` or `tld4`; `None` if it has.
    pub fn why_impossible(&self) -> Option<&'static str> {
        let g = self.geometry;
        let integers = self.coord == CoordType::S32;
        let half = matches!(self.result, ResultType::F16 | ResultType::F16x2);
        let gathers = matches!(g, Geometry::D2 | Geometry::A2d | Geometry::Cube | Geometry::Acube);
        let (lod, gather) = match self.kind {
            FetchKind::Sample(lod) => (lod, false),
            FetchKind::Gather(_) => (Lod::Implicit, true),
        };
        let explicit = matches!(lod, Lod::Level | Lod::Gradient);
        #[rustfmt::skip]
        let rules = [
            (g.is_cube() && integers,            "cube maps take .f32 coordinates"),
            (g.is_cube() && self.offset,         "fetches from cube maps have no offset"),
            (g.is_multisample() && !integers,    "multi-sample textures take .s32 coordinates"),
            (g.is_multisample() && self.compare, "multi-sample fetches have no compare operand"),
            (g.is_multisample() && explicit,     "multi-sample textures have no mip levels"),
            (self.compare && integers,           "a compare operand needs .f32 coordinates"),
            (self.compare && g == Geometry::D3,  "3D fetches have no compare operand"),
            (lod == Lod::Gradient && integers,   "gradients need .f32 coordinates"),
            (matches!(self.kind, FetchKind::Gather(4..)), "tld4 gathers one of four components"),
            (gather && !gathers,                 "tld4 has the geometries .2d, .a2d, .cube and .acube"),
            (gather && integers,                 "tld4 takes .f32 coordinates"),
            (gather && half,                     "tld4 has no f16 results"),
        ];
        rules.into_iter().find(|rule| rule.0).map(|rule| rule.1)
    }
}

impl fmt::Display for SurfaceForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (geometry, clamp) = (self.geometry, self.clamp);
        let vector = |n: u8| if n == 1 { String::new() } else { format!(".v{n}") };
        match self.kind {
            SurfaceKind::Load { element_size: size, vector: n } => {
                write!(f, "suld.b.{geometry}{}.b{}.{clamp}", vector(n), 8 * u32::from(size))
            }
            SurfaceKind::Store { element_size: size, vector: n } => {
                write!(f, "sust.b.{geometry}{}.b{}.{clamp}", vector(n), 8 * u32::from(size))
            }
            SurfaceKind::StoreFormatted { vector: n } => {
                write!(f, "sust.p.{geometry}{}.b32.{clamp}", vector(n))
            }
            SurfaceKind::Reduce { op, ty, formatted } => {
                let kind = if formatted { 'p' } else { 'b' };
                write!(f, "sured.{kind}.{op}.{geometry}.{ty}.{clamp}")
            }
        }
    }
}

impl FromStr for SurfaceForm {
    type Err = NameError;

    /// Parses an instruction name, without cache operators, because they are not part of a form.
    fn from_str(name: &str) -> Result<Self, NameError> {
        let fail = |reason: &str| NameError::new(name, reason);
        let cached = name.starts_with("suld.") || name.starts_with("sust.");
        let parts = name.split('.').filter(|part| !(cached && CACHE.contains(part)));
        let parts: Vec<&str> = parts.collect();
        let (&clamp, parts) =
            parts.split_last().ok_or_else(|| fail("incomplete: for example suld.b.2d.b32.trap"))?;
        let clamp =
            ClampMode::from_name(clamp).ok_or_else(|| {
                fail("incomplete: .trap, .clamp or .zero is missing at the end, for example suld.b.2d.b32.trap")
            })?;
        let (kind, geometry) = match *parts {
            ["sured", p @ ("b" | "p"), op, geometry, ty] => {
                let op = ReduceOp::from_name(op)
                    .ok_or_else(|| fail("expected an operation: add, min, max, and, or"))?;
                let ty =
                    ReduceType::from_name(ty).ok_or_else(|| fail("it has no form of this type"))?;
                (SurfaceKind::Reduce { op, ty, formatted: p == "p" }, geometry)
            }
            [op @ ("suld" | "sust"), p @ ("b" | "p"), geometry, ref rest @ ..] => {
                let (vector, ty) = match *rest {
                    [ty] => (1, ty),
                    ["v2", ty] => (2, ty),
                    ["v4", ty] => (4, ty),
                    _ => return Err(fail("expected .v2 or .v4 before the type")),
                };
                let kind = match (op, p, ty) {
                    ("sust", "p", "b32") => SurfaceKind::StoreFormatted { vector },
                    (_, "b", "b8" | "b16" | "b32" | "b64") => {
                        let element_size = ty[1..].parse::<u8>().unwrap_or(0) / 8;
                        if op == "suld" {
                            SurfaceKind::Load { element_size, vector }
                        } else {
                            SurfaceKind::Store { element_size, vector }
                        }
                    }
                    _ => return Err(fail("it has no form of this type")),
                };
                (kind, geometry)
            }
            _ => {
                return Err(fail(
                    "not a surface access: expected suld.b, sust.b, sust.p, sured.b or sured.p, for example \
                     suld.b.2d.b32.trap",
                ));
            }
        };
        let geometry = Geometry::from_name(geometry).ok_or_else(|| {
            fail(&format!("unknown geometry .{geometry}; for example suld.b.2d.b32.trap"))
        })?;
        let form = Self { kind, geometry, clamp };
        match form.why_impossible() {
            Some(reason) => Err(fail(reason)),
            None => Ok(form),
        }
    }
}

impl SurfaceForm {
    /// Returns why the PTX ISA does not have this surface instruction; `None` if it has.
    pub fn why_impossible(&self) -> Option<&'static str> {
        use Geometry as G;
        let plain = matches!(self.geometry, G::D1 | G::D2 | G::D3);
        let layered = matches!(self.geometry, G::A1d | G::A2d);
        match self.kind {
            _ if !plain && !layered => Some("surfaces are .1d, .2d, .3d, .a1d or .a2d"),
            SurfaceKind::Load { element_size, vector }
            | SurfaceKind::Store { element_size, vector } => {
                let fits = u32::from(element_size) * u32::from(vector) <= 16;
                let known = matches!(element_size, 1 | 2 | 4 | 8) && matches!(vector, 1 | 2 | 4);
                (!fits || !known).then_some(
                    "an access is made of 1, 2 or 4 elements of 1, 2, 4 or 8 bytes, at most 16 in \
                     all",
                )
            }
            SurfaceKind::Reduce { .. } if layered => Some("sured has no layered geometry"),
            SurfaceKind::StoreFormatted { vector } => (!matches!(vector, 1 | 2 | 4))
                .then_some("a formatted store has 1, 2 or 4 components"),
            SurfaceKind::Reduce { op, ty, formatted } => {
                use ReduceOp as O;
                use ReduceType as T;
                let fits = match (op, formatted) {
                    (O::Add, false) => matches!(ty, T::U32 | T::S32 | T::U64),
                    (O::Min | O::Max, false) => matches!(ty, T::U32 | T::S32 | T::U64 | T::S64),
                    (O::And | O::Or, _) | (O::Add, true) => ty == T::B32,
                    (O::Min | O::Max, true) => matches!(ty, T::B32 | T::B64),
                };
                (!fits).then_some("the operation does not have this type")
            }
        }
    }
}

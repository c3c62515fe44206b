//! Instruction names of PTX, without operands: `tex.level.2d.v4.f32.f32`, `suld.b.a1d.v2.b32.clamp`.

use texunit_unit::{
    ClampMode, CoordType, FetchForm, FetchKind, Geometry, Lod, ReduceOp, ReduceType, ResultType,
    SurfaceForm, SurfaceKind,
};

/// A name that is taken apart at its dots.
struct Parts<'a> {
    op: &'a str,
    rest: std::iter::Peekable<std::str::Split<'a, char>>,
}

type Table<T> = [(&'static str, T)];

#[rustfmt::skip]
mod tables {
    use super::*;
    pub(super) const LODS: [(&str, Lod); 3] = [("base", Lod::Base), ("level", Lod::Level), ("grad", Lod::Gradient)];
    pub(super) const COMPONENTS: [(&str, u8); 4] = [("r", 0), ("g", 1), ("b", 2), ("a", 3)];
    pub(super) const RESULTS: [(&str, ResultType); 5] = [
        ("f32", ResultType::F32), ("s32", ResultType::S32), ("u32", ResultType::U32),
        ("f16", ResultType::F16), ("f16x2", ResultType::F16x2),
    ];
    pub(super) const COORDS: [(&str, CoordType); 2] = [("f32", CoordType::F32), ("s32", CoordType::S32)];
    pub(super) const CLAMPS: [(&str, ClampMode); 3] =
        [("trap", ClampMode::Trap), ("clamp", ClampMode::Clamp), ("zero", ClampMode::Zero)];
    pub(super) const ELEMENTS: [(&str, u8); 4] = [("b8", 1), ("b16", 2), ("b32", 4), ("b64", 8)];
    pub(super) const VECTORS: [(&str, u8); 2] = [("v2", 2), ("v4", 4)];
    pub(super) const REDUCTIONS: [(&str, ReduceOp); 5] = [
        ("add", ReduceOp::Add), ("min", ReduceOp::Min), ("max", ReduceOp::Max), ("and", ReduceOp::And), ("or", ReduceOp::Or),
    ];
    pub(super) const REDUCED: [(&str, ReduceType); 6] = [
        ("u32", ReduceType::U32), ("s32", ReduceType::S32), ("u64", ReduceType::U64), ("s64", ReduceType::S64),
        ("b32", ReduceType::B32), ("b64", ReduceType::B64),
    ];
    pub(super) const CACHE: [&str; 8] = ["ca", "cg", "cs", "cv", "wb", "wt", "cop", "lu"];
}
use tables::*;

fn name_of<T: PartialEq>(table: &Table<T>, value: &T) -> &'static str {
    table.iter().find(|row| row.1 == *value).expect("the tables list every value").0
}

impl<'a> Parts<'a> {
    fn new(op: &'a str) -> Self {
        Self { op, rest: op.split('.').peekable() }
    }

    fn wrong(&self, what: &str) -> String {
        format!("`{}` is not the name of an instruction: {what}", self.op)
    }

    /// The next part, if the table has it.
    fn maybe<T: Copy>(&mut self, table: &Table<T>) -> Option<T> {
        let next = self.rest.peek()?;
        let value = table.iter().find(|row| row.0 == *next)?.1;
        self.rest.next();
        Some(value)
    }

    fn need<T: Copy>(&mut self, what: &str, table: &Table<T>) -> Result<T, String> {
        self.maybe(table).ok_or_else(|| {
            let names: Vec<_> = table.iter().map(|row| row.0).collect();
            let there = self.rest.peek().map_or("its end".to_owned(), |part| format!("`{part}`"));
            self.wrong(&format!("{what} ({}) is missing at {there}", names.join(", ")))
        })
    }

    fn geometry(&mut self) -> Result<Geometry, String> {
        let part = self.rest.next().unwrap_or_default();
        Geometry::from_name(part)
            .ok_or_else(|| self.wrong(&format!("no geometry is called `{part}`")))
    }

    fn end(mut self) -> Result<(), String> {
        match self.rest.next() {
            None => Ok(()),
            Some(part) => Err(self.wrong(&format!("`{part}` is too much"))),
        }
    }
}

/// The form of a `tex` or `tld4`; `offset` and `compare` are operands and not in the name.
pub fn fetch_form(op: &str, offset: bool, compare: bool) -> Result<FetchForm, String> {
    let mut parts = Parts::new(op);
    let kind = match parts.rest.next() {
        Some("tex") => FetchKind::Sample(parts.maybe(&LODS).unwrap_or(Lod::Implicit)),
        Some("tld4") => FetchKind::Gather(parts.need("the component", &COMPONENTS)?),
        _ => return Err(parts.wrong("it is neither `tex` nor `tld4`")),
    };
    let geometry = parts.geometry()?;
    let vector = parts.need("the vector", &[("v2", 2), ("v4", 4)])?;
    let result = parts.need("the type of the results", &RESULTS)?;
    let coord = parts.need("the type of the coordinates", &COORDS)?;
    if (vector == 2) != (result == ResultType::F16x2) {
        return Err(parts.wrong("`.v2` goes with `.f16x2` and with nothing else"));
    }
    parts.end()?;
    Ok(FetchForm { kind, geometry, coord, result, offset, compare })
}

/// The name of a `tex` or `tld4`: the inverse of [`fetch_form`].
pub fn fetch_name(form: FetchForm) -> String {
    let kind = match form.kind {
        FetchKind::Sample(Lod::Implicit) => "tex".to_owned(),
        FetchKind::Sample(lod) => format!("tex.{}", name_of(&LODS, &lod)),
        FetchKind::Gather(component) => format!("tld4.{}", name_of(&COMPONENTS, &(component & 3))),
    };
    let vector = if form.result == ResultType::F16x2 { 2 } else { 4 };
    let (result, coord) = (name_of(&RESULTS, &form.result), name_of(&COORDS, &form.coord));
    format!("{kind}{}.v{vector}.{result}.{coord}", form.geometry.name())
}

/// The instructions of a surface case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceOp {
    /// One instruction.
    Form(SurfaceForm),
    /// Every `suld.b` or `sust.b` that makes up as many bytes as each access says.
    Bytes {
        /// `sust.b`, not `suld.b`.
        store: bool,
        /// `.geom`
        geometry: Geometry,
        /// `.clamp`
        clamp: ClampMode,
    },
}

/// The form of a `suld`, `sust` or `sured`, or of `suld.b.2d.clamp` without vector and type.
pub fn surface_op(op: &str) -> Result<SurfaceOp, String> {
    let mut parts = Parts::new(op);
    let first = parts.rest.next().unwrap_or_default();
    let formatted = parts.need("the kind of access", &[("b", false), ("p", true)])?;
    let reduce = match first {
        "suld" | "sust" => None,
        "sured" => Some(parts.need("the operation", &REDUCTIONS)?),
        _ => return Err(parts.wrong("it is none of `suld`, `sust`, `sured`")),
    };
    let geometry = parts.geometry()?;
    let kind = if let Some(op) = reduce {
        let ty = parts.need("the type", &REDUCED)?;
        SurfaceKind::Reduce { op, ty, formatted }
    } else {
        parts.maybe(&CACHE.map(|name| (name, ())));
        if let (false, Some(clamp)) = (formatted, parts.maybe(&CLAMPS)) {
            parts.end()?;
            return Ok(SurfaceOp::Bytes { store: first == "sust", geometry, clamp });
        }
        let vector = parts.maybe(&VECTORS).unwrap_or(1);
        let element_size = parts.need("the type", &ELEMENTS)?;
        match (first, formatted) {
            ("suld", false) => SurfaceKind::Load { element_size, vector },
            ("suld", true) => return Err(parts.wrong("there is no `suld.p`")),
            (_, false) => SurfaceKind::Store { element_size, vector },
            (_, true) if element_size == 4 => SurfaceKind::StoreFormatted { vector },
            _ => return Err(parts.wrong("the type of `sust.p` is `.b32`")),
        }
    };
    let clamp = parts.need("the clamp mode", &CLAMPS)?;
    parts.end()?;
    Ok(SurfaceOp::Form(SurfaceForm { kind, geometry, clamp }))
}

/// The name of a surface instruction: the inverse of [`surface_op`].
pub fn surface_name(op: SurfaceOp) -> String {
    let vector = |n: u8| VECTORS.iter().find(|row| row.1 == n).map_or("", |row| row.0);
    let typed = |name: &str, geometry: Geometry, v: u8, size: u8| {
        let dot = if v == 1 { "" } else { "." };
        format!("{name}{}{dot}{}.{}", geometry.name(), vector(v), name_of(&ELEMENTS, &size))
    };
    let (start, clamp) = match op {
        SurfaceOp::Bytes { store, geometry, clamp } => {
            (format!("{}{}", if store { "sust.b" } else { "suld.b" }, geometry.name()), clamp)
        }
        SurfaceOp::Form(SurfaceForm { kind, geometry, clamp }) => {
            let start = match kind {
                SurfaceKind::Load { element_size, vector } => {
                    typed("suld.b", geometry, vector, element_size)
                }
                SurfaceKind::Store { element_size, vector } => {
                    typed("sust.b", geometry, vector, element_size)
                }
                SurfaceKind::StoreFormatted { vector } => typed("sust.p", geometry, vector, 4),
                SurfaceKind::Reduce { op, ty, formatted } => format!(
                    "sured.{}.{}{}.{}",
                    if formatted { 'p' } else { 'b' },
                    name_of(&REDUCTIONS, &op),
                    geometry.name(),
                    name_of(&REDUCED, &ty)
                ),
            };
            (start, clamp)
        }
    };
    format!("{start}.{}", name_of(&CLAMPS, &clamp))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_of_fetches() {
        for name in [
            "tex.2d.v4.f32.f32",
            "tex.base.a1d.v4.s32.f32",
            "tex.level.acube.v4.u32.f32",
            "tex.grad.3d.v2.f16x2.f32",
            "tex.a2dms.v4.f16.s32",
            "tld4.r.2d.v4.u32.f32",
            "tld4.a.acube.v4.f32.f32",
        ] {
            assert_eq!(fetch_name(fetch_form(name, false, false).unwrap()), name);
        }
        let e = fetch_form("tex.level.4d.v4.f32.f32", false, false).unwrap_err();
        assert!(e.contains("no geometry is called `4d`"), "{e}");
        let e = fetch_form("tex.2d.v4.f16x2.f32", false, false).unwrap_err();
        assert!(e.contains("`.f16x2`"), "{e}");
        let e = fetch_form("tex.2d.v4.f32", false, false).unwrap_err();
        assert!(e.contains("the type of the coordinates (f32, s32) is missing at its end"), "{e}");
        assert!(fetch_form("tex.2d.v4.f32.f32.x", false, false).is_err());
        assert!(fetch_form("", false, false).is_err());
    }

    #[test]
    fn names_of_surface_accesses() {
        for name in [
            "suld.b.1d.b8.trap",
            "suld.b.a1d.v2.b32.clamp",
            "sust.b.3d.v4.b32.zero",
            "sust.p.2d.v2.b32.zero",
            "sured.b.add.2d.u64.clamp",
            "sured.p.min.a2d.b32.trap",
            "suld.b.a2d.zero",
            "sust.b.1d.clamp",
        ] {
            assert_eq!(surface_name(surface_op(name).unwrap()), name);
        }
        assert_eq!(
            surface_op("suld.b.1d.ca.v2.b8.trap").unwrap(),
            surface_op("suld.b.1d.v2.b8.trap").unwrap()
        );
        assert!(surface_op("suld.p.2d.v4.b32.trap").is_err());
        assert!(surface_op("sust.p.2d.v4.b64.trap").is_err());
        assert!(surface_op("sust.b.2d.v4.b64").is_err());
    }
}

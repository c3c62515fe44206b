//! Instructions of surface cases: those of the unit, and generic byte accesses such as
//! `suld.b.2d.clamp` that stand for all element sizes.

use crate::error::{CaseError, Result};
use std::fmt;
use std::str::FromStr;
use texunit_unit::{ClampMode, Geometry, SurfaceForm, SurfaceKind};

/// The instructions that a surface case executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceOp {
    /// A single instruction, which states the size of its accesses.
    Form(SurfaceForm),
    /// All `suld.b` or `sust.b` instructions whose elements together have the size that each access
    /// states; the case file names them without vector and type.
    Bytes {
        /// Whether the instructions are stores (`sust.b`) instead of loads (`suld.b`).
        store: bool,
        /// Geometry of the surface that the instructions access (`.geom`).
        geometry: Geometry,
        /// Boundary policy (`.clamp`).
        clamp: ClampMode,
    },
}

impl SurfaceOp {
    /// Geometry of the surface that the instructions access (`.geom`).
    pub fn geometry(self) -> Geometry {
        match self {
            SurfaceOp::Form(form) => form.geometry,
            SurfaceOp::Bytes { geometry, .. } => geometry,
        }
    }

    /// The instructions that an access of `size` bytes stands for.
    pub fn forms(self, size: Option<u32>) -> Vec<SurfaceForm> {
        let (store, geometry, clamp) = match self {
            SurfaceOp::Form(form) => return vec![form],
            SurfaceOp::Bytes { store, geometry, clamp } => (store, geometry, clamp),
        };
        let all = [1_u8, 2, 4, 8].into_iter().flat_map(|e| [(e, 1_u8), (e, 2), (e, 4)]);
        let all = all.filter(|&(e, vector)| Some(u32::from(e) * u32::from(vector)) == size);
        let forms = all.map(|(element_size, vector)| {
            let kind = match store {
                true => SurfaceKind::Store { element_size, vector },
                false => SurfaceKind::Load { element_size, vector },
            };
            SurfaceForm { kind, geometry, clamp }
        });
        forms.filter(|form| form.why_impossible().is_none()).collect()
    }
}

impl fmt::Display for SurfaceOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SurfaceOp::Form(form) => form.fmt(f),
            SurfaceOp::Bytes { store, geometry, clamp } => {
                let op = if *store { "sust.b" } else { "suld.b" };
                write!(f, "{op}.{geometry}.{clamp}")
            }
        }
    }
}

impl FromStr for SurfaceOp {
    type Err = CaseError;

    fn from_str(name: &str) -> Result<Self> {
        let parts: Vec<&str> = name.split('.').collect();
        let any_size = match parts[..] {
            [op @ ("suld" | "sust"), "b", geometry, clamp] => Geometry::from_name(geometry)
                .zip(ClampMode::from_name(clamp))
                .map(|(geometry, clamp)| Self::Bytes { store: op == "sust", geometry, clamp }),
            _ => None,
        };
        let Some(op) = any_size else {
            return name.parse().map(Self::Form).map_err(CaseError::new);
        };
        if op.forms(Some(1)).is_empty() {
            return Err(CaseError::new(format!("`{name}`: surfaces have no such geometry")));
        }
        Ok(op)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_surface_accesses() {
        for name in [
            "suld.b.1d.b8.trap",
            "suld.b.a1d.v2.b32.clamp",
            "sust.b.3d.v4.b32.zero",
            "sust.p.2d.v2.b32.zero",
            "sured.b.add.2d.u64.clamp",
            "sured.p.min.2d.b32.trap",
            "suld.b.a2d.zero",
            "sust.b.1d.clamp",
        ] {
            assert_eq!(name.parse::<SurfaceOp>().unwrap().to_string(), name);
        }
        for name in ["", "suld.b.cube.zero", "suld.b.4d.zero", "sust.p.2d.zero", "sust.b.2d.v4.b64"]
        {
            let error = name.parse::<SurfaceOp>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{name}`")), "{error}");
        }
    }

    #[test]
    fn sizes_stand_for_instructions() {
        let names = |name: &str, size| {
            let forms = name.parse::<SurfaceOp>().unwrap().forms(Some(size));
            forms.iter().map(SurfaceForm::to_string).collect::<Vec<_>>()
        };
        assert_eq!(names("suld.b.1d.zero", 1), ["suld.b.1d.b8.zero"]);
        assert_eq!(names("sust.b.2d.trap", 16), ["sust.b.2d.v4.b32.trap", "sust.b.2d.v2.b64.trap"]);
        assert!(names("suld.b.1d.zero", 3).is_empty() && names("suld.b.1d.zero", 32).is_empty());
    }
}

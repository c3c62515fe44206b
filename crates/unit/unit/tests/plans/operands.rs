//! Draws random operands: coordinates, offsets, levels, gradients, and reference values of depth
//! compares.

use super::draw::Draw;
use texunit_unit::{CoordType, Coordinates, Coords, FetchForm, Lanes, Sampler, Texture};

/// Operands of 32 lanes.
#[derive(Debug)]
pub(super) struct Operands {
    pub(super) coords: Coordinates<Lanes>,
    pub(super) offset: [Lanes; 3],
    pub(super) level: Lanes,
    pub(super) dpdx: [Lanes; 3],
    pub(super) dpdy: [Lanes; 3],
    pub(super) compare: Lanes,
}

impl Operands {
    pub(super) const ZERO: Self = Self {
        coords: Coordinates { layer: [0; 32], sample: [0; 32], point: [[0; 32]; 3] },
        offset: [[0; 32]; 3],
        level: [0; 32],
        dpdx: [[0; 32]; 3],
        dpdy: [[0; 32]; 3],
        compare: [0; 32],
    };

    /// Draws operands for an instruction that fetches from a texture.
    pub(super) fn draw(
        &mut self,
        d: &mut Draw,
        form: FetchForm,
        texture: &Texture,
        sampler: &Sampler,
    ) {
        let kind = texunit_unit::effective_sampler(texture, sampler, form).coords;
        let extents = texture.resource.levels();
        let shape = texture.resource.shape();
        let levels = extents.len() as f32;
        for lane in 0..32 {
            let past = |d: &mut Draw, n| match d.below(16) {
                0 => d.bits(),
                // Rule 1.13 of docs/numerics.md: a layer of a resource that has no layers.
                1 => d.below(1 << 17),
                _ => d.below(n + 1),
            };
            let mut coords = Coordinates::default();
            for (there, n, to) in [
                (form.geometry.is_multisample(), shape.samples, &mut coords.sample),
                (form.geometry.is_array(), shape.layers, &mut coords.layer),
            ] {
                if there {
                    *to = past(d, n);
                }
            }
            let extent = d.of(extents).extent.axes();
            if form.geometry.is_cube() {
                coords.point = direction(d, extent[0]);
            } else {
                for (to, &n) in coords.point.iter_mut().zip(&extent[..form.geometry.axes()]) {
                    *to = coordinate(d, n, kind);
                }
            }
            let Coordinates { layer, sample, point } = &mut self.coords;
            (layer[lane], sample[lane]) = (coords.layer, coords.sample);
            for (all, c) in point.iter_mut().zip(coords.point) {
                all[lane] = c;
            }
            for a in 0..3 {
                let far = d.one_in(6);
                self.offset[a][lane] = if far { d.bits() } else { d.in_range(-9, 9) as u32 };
            }
            self.level[lane] = match (form.coord, d.below(8)) {
                (CoordType::S32, 0) => d.bits(),
                (CoordType::S32, _) => d.in_range(-2, extents.len() as i32 + 2) as u32,
                (CoordType::F32, 0) => d.word(),
                (CoordType::F32, _) => d.float(-1.0, levels + 1.0).to_bits(),
            };
            self.draw_gradients(d, lane);
            self.compare[lane] = d.word();
        }
    }

    fn draw_gradients(&mut self, d: &mut Draw, lane: usize) {
        let scale = (-d.float(0.0, 12.0)).exp2();
        let same = lane > 0 && d.one_in(4);
        for all in [&mut self.dpdx, &mut self.dpdy] {
            for axis in all {
                axis[lane] = if same { axis[lane - 1] } else { gradient(d, scale) };
            }
        }
    }
}

/// A coordinate over `n` texels, near the middle of a texel or near an edge between texels.
fn coordinate(d: &mut Draw, n: u32, kind: Coords) -> u32 {
    let far = i32::try_from(n).unwrap_or(i32::MAX).min(40);
    let k = if d.one_in(3) { d.in_range(-far - 2, 2 * far + 2) } else { d.below(n) as i32 };
    if kind == Coords::Integer {
        return if d.one_in(12) { d.bits() } else { k as u32 };
    }
    if d.one_in(6) {
        return d.word();
    }
    let texels = f64::from(k) + f64::from(d.below(512)) / 512.0;
    let n = if kind == Coords::Normalized { f64::from(n) } else { 1.0 };
    ((texels / n) as f32).to_bits().wrapping_add_signed(d.in_range(-2, 3))
}

/// A direction, often near an edge or a corner of the cube.
fn direction(d: &mut Draw, n: u32) -> [u32; 3] {
    if d.one_in(8) {
        return [d.word(), d.word(), d.word()];
    }
    let part = |d: &mut Draw| {
        let x = match d.below(4) {
            0 => 1.0 - d.float(0.0, 1.0) / n as f32,
            1 => 1.0,
            _ => d.float(-1.0, 1.0),
        };
        if d.one_in(2) { -x } else { x }
    };
    let scale = if d.one_in(3) { d.float(0.1, 9.0) } else { 1.0 };
    [part(d), part(d), part(d)].map(|x| (x * scale).to_bits())
}

fn gradient(d: &mut Draw, scale: f32) -> u32 {
    match d.below(12) {
        0 => d.word(),
        1 => 0,
        2 => (d.float(-1.0, 1.0) * scale * 0.05).to_bits(),
        _ => (d.float(-1.0, 1.0) * scale).to_bits(),
    }
}

//! Tests of the cube's tables against the geometry of a cube in space.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::reference::level::RequestedLevel;

/// A vector of this length along an axis.
fn along(axis: Signed, length: f32) -> [f32; 3] {
    let mut v = [0.0; 3];
    v[axis.axis] = if axis.negative { -length } else { length };
    v
}

/// Point on the plane of a face that has the coordinates sc and tc, which may lie outside -1 to 1.
fn place(face: u32, sc: f32, tc: f32) -> [f32; 3] {
    let Face { major, s, t } = FACES[face as usize];
    let parts = [along(major, 1.0), along(s, sc), along(t, tc)];
    std::array::from_fn(|a| parts[0][a] + parts[1][a] + parts[2][a])
}

/// The coordinate (-1 to 1 on the face) of the centre of texel `k`, which may lie outside the face.
fn centre(k: i64, n: u32) -> f32 {
    (2 * k + 1) as f32 / n as f32 - 1.0
}

#[test]
fn neighbours_are_where_the_directions_say() {
    for n in [1, 2, 3, 4, 8] {
        let last = i64::from(n) - 1;
        for face in 0..6 {
            for k in 0..=last {
                for index in [[-1, k], [last + 1, k], [k, -1], [k, last + 1]] {
                    let p = face_point(place(face, centre(index[0], n), centre(index[1], n)));
                    let texel = |c: Fixed| (c.times(n).floor() as u32).min(n - 1);
                    let expected = FaceTexel { face: p.face, at: [texel(p.s), texel(p.t)] };
                    let got = seamless(face, index, n);
                    assert_eq!(got, Seamless::At(expected), "{n}: face {face}, {index:?}");
                    assert_ne!(p.face, face);
                }
            }
        }
    }
}

#[test]
fn edges_lead_back() {
    for face in 0..6 {
        let mut neighbours = Vec::new();
        for (axis, past_end) in [(0, false), (0, true), (1, false), (1, true)] {
            let e = edge(face, axis, past_end);
            neighbours.push(e.face);
            let back = edge(e.face, e.away, e.from_end);
            assert_eq!((back.face, back.away, back.from_end), (face, axis, past_end));
            assert_eq!(back.reversed, e.reversed);
        }
        neighbours.sort_unstable();
        neighbours.dedup();
        assert_eq!(neighbours.len(), 4, "all faces but itself and the opposite one");
        assert!(!neighbours.contains(&face) && !neighbours.contains(&(face ^ 1)));
    }
}

#[test]
fn one_texel_of_a_corner_is_missing() {
    let n = 4;
    for face in 0..6 {
        for lower in [[-1, -1], [3, -1], [-1, 3], [3, 3]] {
            let texels = [[0, 0], [1, 0], [0, 1], [1, 1]]
                .map(|[x, y]| seamless(face, [lower[0] + x, lower[1] + y], n));
            assert_eq!(texels.iter().filter(|t| matches!(t, Seamless::Missing(_))).count(), 1);
            let mut on: Vec<u32> = texels
                .iter()
                .filter_map(|t| if let Seamless::At(t) = t { Some(t.face) } else { None })
                .collect();
            on.sort_unstable();
            on.dedup();
            assert_eq!(on.len(), 3, "three faces meet");
            // The missing texel must be adjacent to the three other texels.
            for &texel in &texels {
                let Seamless::Missing(three) = texel else { continue };
                let others = texels.iter().filter(|&&t| t != texel);
                assert!(others.into_iter().all(|t| three.iter().any(|&o| *t == Seamless::At(o))));
            }
        }
    }
}

/// Rule 7.7 of docs/numerics.md: texels far past an edge, which taps of an anisotropic fetch read,
/// are rows of the neighbouring face.
#[test]
fn far_texels_are_rows_of_a_neighbour() {
    let n = 4;
    for face in 0..6 {
        for (axis, past_end) in [(0, false), (0, true), (1, false), (1, true)] {
            let there = edge(face, axis, past_end);
            for (behind, row) in [(0, 0), (1, 1), (3, 3), (4, 3), (1 << 30, 3)] {
                let mut index = [2; 2];
                index[axis] = if past_end { 4 + behind } else { -1 - behind };
                let Seamless::At(texel) = seamless(face, index, n) else { panic!("{index:?}") };
                let away = texel.at[there.away];
                assert_eq!(texel.face, there.face);
                assert_eq!(if there.from_end { 3 - away } else { away }, row, "{face} {index:?}");
            }
        }
    }
}

fn level(point: [f32; 3], dpdx: [f32; 3], dpdy: [f32; 3]) -> RequestedLevel {
    gradient(point, dpdx, dpdy, 64).0.level()
}

/// The gradient from one point on the plane of a face to another.
fn step(from: [f32; 3], to: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|a| to[a] - from[a])
}

#[test]
fn gradients_inside_a_face() {
    for face in 0..6 {
        let p = place(face, 0.0, 0.0);
        let d = |sc, tc| step(p, place(face, sc, tc));
        assert_eq!(level(p, d(1.0 / 32.0, 0.0), [0.0; 3]), RequestedLevel::At(0), "one texel");
        assert_eq!(level(p, [0.0; 3], d(0.0, -0.5)), RequestedLevel::At(256 * 4), "16 texels");
        assert_eq!(level(p, p, p), RequestedLevel::Lowest, "further out is the same direction");
        // The gradients are equal and on one face, so that the diagonal counts: 11/16 of twice the
        // step is longer than the step.
        assert_eq!(level(p, d(0.5, 0.0), d(0.5, 0.0)), RequestedLevel::At(256 * 4 + 118));
    }
}

#[test]
fn gradients_unfold_at_edges() {
    for face in 0..6 {
        let Face { major, s, t } = FACES[face as usize];
        for (axis, sign) in [(s, 1.0), (s, -1.0), (t, 1.0), (t, -1.0)] {
            let other = if axis == s { t } else { s };
            let add =
                |v: [f32; 3], w: [f32; 3]| -> [f32; 3] { std::array::from_fn(|a| v[a] + w[a]) };
            // The step goes from 1/8 before the edge to 1/8 after it. That is a quarter, and the
            // face has a width of 2, so that it is 8 of 64 texels.
            let p = add(along(major, 1.0), along(axis, sign * 0.875));
            let q = add(along(axis, sign), along(major, 0.875));
            assert_eq!(level(p, step(p, q), [0.0; 3]), RequestedLevel::At(256 * 3), "{face}");
            // Across faces, diagonals do not count: two equal gradients have the length of one.
            assert_eq!(level(p, step(p, q), step(p, q)), RequestedLevel::At(256 * 3), "{face}");
            // Along the edge, coordinates continue on the neighbouring face: the step has a
            // component of 4 texels beside the one of 8.
            let q = add(q, along(other, 0.125));
            let (Gradient::Slope(slope), false) = gradient(p, step(p, q), [0.0; 3], 64) else {
                panic!("two faces");
            };
            let mut sizes = slope.scaled[0].map(|c| c.magnitude.to_f64());
            sizes.sort_by(f64::total_cmp);
            assert_eq!(sizes, [0.0, 4.0, 8.0]);
            let toward = slope.scaled[0][usize::from(axis == t)];
            assert_eq!(toward.negative, sign < 0.0);
        }
    }
}

/// Rule 4.11 of docs/numerics.md: if the directions of a gradient are on opposite faces, the
/// gradient has a third component of n texels, the size of a face.
#[test]
fn gradients_to_the_other_side() {
    for face in 0..6 {
        let p = place(face, 0.25, 0.0);
        let opposite = p.map(|x| -2.0 * x);
        // The length is 64 + 11/32 of 16 = 69.5 texels.
        let wanted = RequestedLevel::At(256 * 6 + 31);
        assert_eq!(level(p, opposite, [0.0; 3]), wanted);
        assert_eq!(level(p, [0.0; 3], opposite), wanted);
        // The length is 64 + 11/32 of 16 + 1/4 of 8 = 71.5 texels.
        let p = place(face, 0.25, 0.125);
        let opposite = p.map(|x| -2.0 * x);
        assert_eq!(level(p, opposite, [0.0; 3]), RequestedLevel::At(256 * 6 + 42));
    }
}

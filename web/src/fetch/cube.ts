// Cube maps: faces on a cross, and directions.

/** Where the faces +x, -x, +y, -y, +z, -z lie on the cross, in faces. */
export const CROSS: [number, number][] = [
  [2, 1],
  [0, 1],
  [1, 0],
  [1, 2],
  [1, 1],
  [3, 1],
];
export const FACES = ["+x", "-x", "+y", "-y", "+z", "-z"];

/** The direction of a point of a face (docs/numerics.md 7.2, backwards). */
export function direction(face: number, s: number, t: number): [number, number, number] {
  const a = 2 * s - 1;
  const b = 2 * t - 1;
  switch (face) {
    case 0:
      return [1, -b, -a];
    case 1:
      return [-1, -b, a];
    case 2:
      return [a, 1, b];
    case 3:
      return [a, -1, -b];
    case 4:
      return [a, -b, 1];
    default:
      return [-a, -b, -1];
  }
}

/** How the globe is looked at: a little from the right and from above. */
const YAW = -0.6;
const PITCH = 0.45;

/** A direction as the eye sees it: right, up, towards the eye. */
export function seen([x, y, z]: number[]): [number, number, number] {
  const x1 = x * Math.cos(YAW) + z * Math.sin(YAW);
  const z1 = -x * Math.sin(YAW) + z * Math.cos(YAW);
  const y1 = y * Math.cos(PITCH) - z1 * Math.sin(PITCH);
  return [x1, y1, y * Math.sin(PITCH) + z1 * Math.cos(PITCH)];
}

/** The direction under a point of the globe; outside it, that of its rim. */
export function unseen(right: number, up: number): [number, number, number] {
  const length = Math.hypot(right, up);
  const [r, u] = length > 1 ? [right / length, up / length] : [right, up];
  const towards = Math.sqrt(Math.max(0, 1 - r * r - u * u));
  const y = u * Math.cos(PITCH) + towards * Math.sin(PITCH);
  const z1 = -u * Math.sin(PITCH) + towards * Math.cos(PITCH);
  return [r * Math.cos(YAW) - z1 * Math.sin(YAW), y, r * Math.sin(YAW) + z1 * Math.cos(YAW)];
}

export function unit(v: number[]): [number, number, number] {
  const length = Math.hypot(v[0], v[1], v[2]) || 1;
  return [v[0] / length, v[1] / length, v[2] / length];
}

// SPDX-License-Identifier: Apache-2.0
// What the camera should show: the bodies, but not the one that fell off the world, nor the ground
// that is a thousand times as large as what stands on it.

export interface Extents {
  lower: [number, number, number]; // m
  upper: [number, number, number];
}

export interface Ball {
  centre: readonly [number, number, number];
  radius: number;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

const ascending = (a: number, b: number): number => a - b;

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

export function union(balls: readonly Ball[]): Extents | null {
  if (balls.length === 0) return null;
  const lower: [number, number, number] = [Infinity, Infinity, Infinity];
  const upper: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (const { centre, radius } of balls)
    for (let k = 0; k < 3; ++k) {
      lower[k] = Math.min(lower[k], centre[k] - radius);
      upper[k] = Math.max(upper[k], centre[k] + radius);
    }
  return { lower, upper };
}

export function centreOf({ lower, upper }: Extents): [number, number, number] {
  return [0, 1, 2].map((k) => 0.5 * (lower[k] + upper[k])) as [number, number, number];
}

// Half of the diagonal.
export function radiusOf({ lower, upper }: Extents): number {
  return 0.5 * distance(lower, upper);
}

// Without those that are far from the middle of the others: beyond eight times the distance within
// which three quarters lie, and beyond forty typical radii. Of one or two none is the odd one.
export function withoutOutliers(balls: readonly Ball[]): Ball[] {
  const finite = balls.filter(({ centre, radius }) =>
    Number.isFinite(centre[0] + centre[1] + centre[2] + radius),
  );
  if (finite.length < 3) return finite;
  const median = [0, 1, 2].map((k) =>
    quantile(finite.map((ball) => ball.centre[k]).sort(ascending), 0.5),
  );
  const distances = finite.map((ball) => distance(ball.centre, median));
  const spread = quantile([...distances].sort(ascending), 0.6);
  const size = quantile(finite.map((ball) => ball.radius).sort(ascending), 0.5);
  const limit = Math.max(8 * spread, 40 * size);
  return finite.filter((_, i) => distances[i] <= limit);
}

export interface Plane {
  point: readonly [number, number, number];
  normal: readonly [number, number, number]; // out of the ground
}

export interface SceneBalls {
  free: readonly Ball[]; // bodies that move, now
  fixed: readonly Ball[];
  seen: readonly Ball[]; // the free ones, in frames seen so far
  grounds: readonly Plane[]; // that things fall on
  anchors: readonly (readonly [number, number, number])[]; // of elements
}

const seenReach = 15; // radii of what is there now
const groundReach = 40;
const anchorReach = 40;

export function sceneExtents(scene: SceneBalls): Extents | null {
  const free = withoutOutliers(scene.free);
  const balls = free.length > 0 ? free : withoutOutliers(scene.fixed);
  const now = union(balls);
  if (!now) return null;
  const centre = centreOf(now);
  const radius = radiusOf(now);
  const near = (ball: Ball, reach: number): boolean =>
    distance(ball.centre, centre) <= reach * radius && ball.radius <= 5 * radius;
  if (free.length > 0) balls.push(...scene.fixed.filter((ball) => near(ball, 8)));
  balls.push(...scene.seen.filter((ball) => near(ball, seenReach)));
  for (const anchor of scene.anchors) {
    const point = { centre: anchor, radius: 0 };
    if (near(point, anchorReach)) balls.push(point);
  }
  for (const { point, normal } of scene.grounds) {
    const height = normal.reduce((sum, n, k) => sum + n * (centre[k] - point[k]), 0);
    if (height < 0 || height > groundReach * radius) continue;
    const foot = centre.map((c, k) => c - height * normal[k]) as [number, number, number];
    balls.push({ centre: foot, radius: 0 });
  }
  return union(balls);
}

// Where bodies were in some of the frames seen: a bounded number of places, thinned evenly in the
// order of time as more come.
export class SeenPlaces {
  static readonly frames = 64;
  static readonly bodies = 64;
  private readonly places = new Float32Array(SeenPlaces.frames * SeenPlaces.bodies * 3);
  private readonly radii = new Float32Array(SeenPlaces.bodies);
  private readonly indices = new Int32Array(SeenPlaces.frames);
  private chosen: Int32Array = new Int32Array(0);
  private count = 0;
  private stride = 1; // frames whose number is a multiple of it are kept

  // `bodies`: numbers of bodies that are worth seeing, with their radii.
  reset(bodies: readonly number[], radii: readonly number[]): void {
    const step = Math.max(1, Math.ceil(bodies.length / SeenPlaces.bodies));
    const kept = bodies.map((_, i) => i).filter((i) => i % step === 0);
    this.chosen = Int32Array.from(kept, (i) => bodies[i]);
    kept.forEach((i, k) => (this.radii[k] = radii[i]));
    this.count = 0;
    this.stride = 1;
  }

  // `transforms`: 12 numbers per body, the last three its position.
  observe(frame: number, transforms: Float64Array): void {
    if (frame % this.stride !== 0) return;
    for (let i = 0; i < this.count; ++i) if (this.indices[i] === frame) return;
    if (this.count === SeenPlaces.frames) this.thin();
    if (frame % this.stride !== 0 || this.count === SeenPlaces.frames) return;
    const base = this.count * SeenPlaces.bodies * 3;
    for (let i = 0; i < this.chosen.length; ++i)
      for (let k = 0; k < 3; ++k)
        this.places[base + 3 * i + k] = transforms[12 * this.chosen[i] + 9 + k];
    this.indices[this.count++] = frame;
  }

  private thin(): void {
    this.stride *= 2;
    const size = SeenPlaces.bodies * 3;
    let kept = 0;
    for (let i = 0; i < this.count; ++i) {
      if (this.indices[i] % this.stride !== 0) continue;
      this.places.copyWithin(kept * size, i * size, (i + 1) * size);
      this.indices[kept++] = this.indices[i];
    }
    this.count = kept;
  }

  balls(): Ball[] {
    const result: Ball[] = [];
    for (let i = 0; i < this.count; ++i)
      for (let k = 0; k < this.chosen.length; ++k) {
        const p = (i * SeenPlaces.bodies + k) * 3;
        const centre: [number, number, number] = [
          this.places[p],
          this.places[p + 1],
          this.places[p + 2],
        ];
        result.push({ centre, radius: this.radii[k] });
      }
    return result;
  }
}

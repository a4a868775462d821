// SPDX-License-Identifier: Apache-2.0
// The view: in the plane an orthographic camera that pans and zooms at the pointer, in space a
// perspective one that orbits with z up. Both are set by a position and a target.
import { MathUtils, OrthographicCamera, PerspectiveCamera, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

import { centreOf, type Extents, radiusOf } from './extents';
import { PlanarControls, type ViewportAt } from './planar_controls';

const fieldOfView = 35; // degrees, vertical
const slope = Math.tan(MathUtils.degToRad(fieldOfView / 2));
const planarDepth = 100; // m before and behind the plane; an orthographic camera shows the same
const margin = 1.15; // around what fit() shows

export interface Viewport {
  x: number; // CSS pixels from the left and the top of the canvas
  y: number;
  width: number;
  height: number;
}

export class ViewCamera {
  readonly target = new Vector3();
  private readonly orthographic = new OrthographicCamera(-1, 1, 1, -1, 0, 2 * planarDepth);
  private readonly perspective = new PerspectiveCamera(fieldOfView, 1, 0.1, 100);
  private readonly orbit: OrbitControls;
  private readonly pan: PlanarControls;
  private readonly before = new Vector3();
  private height = 2; // m seen in the plane
  private scene: Extents = { lower: [-1, -1, -1], upper: [1, 1, 1] };
  private isPlanar = true;

  constructor(canvas: HTMLCanvasElement, viewportAt: ViewportAt) {
    this.perspective.up.set(0, 0, 1);
    this.perspective.position.set(2, -4, 2.5);
    this.orbit = new OrbitControls(this.perspective, canvas);
    this.orbit.target = this.target;
    this.pan = new PlanarControls(canvas, viewportAt, this);
    this.planar = true;
  }

  get planar(): boolean {
    return this.isPlanar;
  }

  set planar(planar: boolean) {
    this.isPlanar = planar;
    this.pan.enabled = planar;
    this.orbit.enabled = !planar;
  }

  get camera(): OrthographicCamera | PerspectiveCamera {
    return this.isPlanar ? this.orthographic : this.perspective;
  }

  get distance(): number {
    return this.perspective.position.distanceTo(this.target);
  }

  // Metres that one CSS pixel covers, at the target.
  unitsPerPixel(viewport: Viewport): number {
    return (this.isPlanar ? this.height : 2 * slope * this.distance) / Math.max(1, viewport.height);
  }

  // Pixels that a length of `metres` has at a place.
  pixelsAt(place: Vector3, metres: number, viewport: Viewport): number {
    const { elements } = this.camera.projectionMatrix;
    const depth = this.isPlanar
      ? 1
      : -this.before.copy(place).applyMatrix4(this.camera.matrixWorldInverse).z;
    return depth > 0 ? (0.5 * viewport.height * elements[5] * metres) / depth : 0;
  }

  // Metres from the target to the corner of the view.
  reach(viewport: Viewport): number {
    return 0.5 * this.unitsPerPixel(viewport) * Math.hypot(viewport.width, viewport.height);
  }

  // Moves the planar view: the point at (x, y), from −1 to 1 across the viewport, stays where it is
  // while all is seen `factor` times as small.
  zoomAt(x: number, y: number, factor: number, viewport: Viewport): void {
    const height = MathUtils.clamp(this.height * factor, 1e-9, 1e12);
    const change = 0.5 * (this.height - height);
    this.target.x += x * change * (viewport.width / viewport.height);
    this.target.y += y * change;
    this.height = height;
  }

  panBy(pixelsX: number, pixelsY: number, viewport: Viewport): void {
    const size = this.unitsPerPixel(viewport);
    this.target.x -= pixelsX * size;
    this.target.y += pixelsY * size;
  }

  shift(by: Vector3): void {
    this.target.add(by);
    if (!this.isPlanar) this.perspective.position.add(by);
  }

  set(position: Vector3, target: Vector3): void {
    this.target.copy(target);
    const distance = position.distanceTo(target);
    if (!(distance > 0)) return;
    this.height = 2 * slope * distance;
    this.perspective.position.copy(position);
    this.orbit.update();
  }

  // What the depth range has to hold; fit() shows it.
  setScene(scene: Extents): void {
    this.scene = scene;
  }

  fit(viewport: Viewport): void {
    const { lower, upper } = this.scene;
    const aspect = viewport.width / Math.max(1, viewport.height);
    const direction = this.perspective.position.clone().sub(this.target).normalize();
    if (!(direction.lengthSq() > 0.5)) direction.set(0.4, -0.8, 0.45).normalize();
    this.target.set(...centreOf(this.scene));
    const width = Math.max(upper[0] - lower[0], 1e-9);
    this.height = margin * Math.max(upper[1] - lower[1], width / aspect);
    const distance = margin * this.distanceToSee(direction, aspect);
    this.perspective.position.copy(this.target).addScaledVector(direction, distance);
    this.orbit.update();
  }

  // From which all corners of the scene are within the view.
  private distanceToSee(direction: Vector3, aspect: number): number {
    const { lower, upper } = this.scene;
    const right = new Vector3().crossVectors(this.perspective.up, direction);
    if (right.lengthSq() < 1e-9) right.set(1, 0, 0);
    right.normalize();
    const top = new Vector3().crossVectors(direction, right);
    let distance = 1e-9;
    for (let i = 0; i < 8; ++i) {
      const corner = new Vector3(
        (i & 1 ? upper : lower)[0],
        (i & 2 ? upper : lower)[1],
        (i & 4 ? upper : lower)[2],
      ).sub(this.target);
      const across = Math.abs(corner.dot(right)) / (slope * aspect);
      const up = Math.abs(corner.dot(top)) / slope;
      distance = Math.max(distance, corner.dot(direction) + Math.max(across, up));
    }
    return distance;
  }

  // Sets the projection for a viewport.
  apply(viewport: Viewport): void {
    const aspect = viewport.width / Math.max(1, viewport.height);
    if (this.isPlanar) this.applyPlanar(aspect);
    else this.applySpatial(aspect);
    this.camera.updateMatrixWorld();
  }

  private applyPlanar(aspect: number): void {
    const camera = this.orthographic;
    camera.top = 0.5 * this.height;
    camera.bottom = -camera.top;
    camera.right = camera.top * aspect;
    camera.left = -camera.right;
    camera.position.set(this.target.x, this.target.y, planarDepth);
    camera.updateProjectionMatrix();
  }

  // The near plane is as far away as what is there allows, at least a small part of the distance to
  // the target: depth keeps its resolution from micrometres to kilometres.
  private applySpatial(aspect: number): void {
    const camera = this.perspective;
    const away = this.before.set(...centreOf(this.scene)).distanceTo(camera.position);
    const radius = radiusOf(this.scene);
    camera.aspect = aspect;
    camera.near = Math.max(0.5 * (away - 2 * radius), 2e-3 * this.distance);
    camera.far = 1.5 * Math.max(away + 2 * radius, 15 * this.distance);
    camera.lookAt(this.target);
    camera.updateProjectionMatrix();
  }

  dispose(): void {
    this.orbit.dispose();
    this.pan.dispose();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Icons as strokes on a grid of 24 units.
import { svg, html, type TemplateResult } from 'lit';

function icon(content: TemplateResult): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${content}</svg>`;
}

export const icons = {
  play: icon(svg`<path class="solid" d="M8 5v14l11-7z"/>`),
  pause: icon(svg`<path class="solid" d="M7 5h3.5v14H7zM13.5 5H17v14h-3.5z"/>`),
  stepBack: icon(svg`<path class="solid" d="M15 6v12l-8-6z"/><path d="M18 6v12"/>`),
  stepForward: icon(svg`<path class="solid" d="M9 6v12l8-6z"/><path d="M6 6v12"/>`),
  toStart: icon(svg`<path d="M6 6v12"/><path class="solid" d="M19 6v12l-6-6zM13 6v12l-6-6z"/>`),
  toEnd: icon(svg`<path d="M18 6v12"/><path class="solid" d="M5 6v12l6-6zM11 6v12l6-6z"/>`),
  eventBack: icon(svg`<path d="M18 5v14"/><path class="solid" d="M14 7v10l-6-5z"/><circle cx="5" cy="12" r="1.4" class="solid"/>`),
  eventForward: icon(svg`<path d="M6 5v14"/><path class="solid" d="M10 7v10l6-5z"/><circle cx="19" cy="12" r="1.4" class="solid"/>`),
  loop: icon(svg`<path d="M17 3l3 3-3 3M4 11V9a3 3 0 0 1 3-3h13M7 21l-3-3 3-3M20 13v2a3 3 0 0 1-3 3H4"/>`),
  eye: icon(svg`<path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z"/><circle cx="12" cy="12" r="2.8"/>`),
  eyeOff: icon(svg`<path d="M4 4l16 16M9.5 6A9 9 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a16 16 0 0 1-2.8 3.5M6 7.8A16 16 0 0 0 2.5 12S6 18.5 12 18.5a9 9 0 0 0 4-1"/>`),
  solo: icon(svg`<circle cx="12" cy="12" r="3" class="solid"/><circle cx="12" cy="12" r="8"/>`),
  follow: icon(svg`<circle cx="12" cy="12" r="5.5"/><path d="M12 3v5M12 16v5M3 12h5M16 12h5"/>`),
  contacts: icon(svg`<path d="M3 19h18M12 19V6M8.5 9.5L12 6l3.5 3.5"/>`),
  cones: icon(svg`<path d="M12 20L5 6M12 20l7-14"/><ellipse cx="12" cy="6" rx="7" ry="2.4"/>`),
  labels: icon(svg`<path d="M4 5h9l7 7-7 7H4z"/><circle cx="8" cy="12" r="1.2" class="solid"/>`),
  grid: icon(svg`<path d="M4 9h16M4 15h16M9 4v16M15 4v16"/>`),
  fit: icon(svg`<path d="M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5"/>`),
  sun: icon(svg`<circle cx="12" cy="12" r="4"/><path d="M12 2.5V5M12 19v2.5M2.5 12H5M19 12h2.5M5.3 5.3L7 7M17 17l1.7 1.7M18.7 5.3L17 7M7 17l-1.7 1.7"/>`),
  moon: icon(svg`<path d="M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.500z"/>`),
  camera: icon(svg`<path d="M3 8h4l1.5-2.500h7L17 8h4v11H3z"/><circle cx="12" cy="13" r="3.5"/>`),
  film: icon(svg`<rect x="3" y="5" width="18" height="14" rx="1.5"/><path d="M7.5 5v14M16.5 5v14M3 9.500h4.500M3 14.500h4.500M16.5 9.500H21M16.5 14.500H21"/>`),
  help: icon(svg`<circle cx="12" cy="12" r="9"/><path d="M9.5 9.500a2.5 2.5 0 1 1 3.6 2.200c-.8.4-1.1 1-1.1 1.8"/><circle cx="12" cy="16.6" r="0.9" class="solid"/>`),
  panelLeft: icon(svg`<rect x="3" y="4.5" width="18" height="15" rx="1.5"/><path d="M9 4.500v15"/>`),
  panelRight: icon(svg`<rect x="3" y="4.5" width="18" height="15" rx="1.5"/><path d="M15 4.500v15"/>`),
  grasp: icon(svg`<circle cx="12" cy="13.5" r="3.2"/><path d="M4 4v6l4 2.500M20 4v6l-4 2.500M12 21v-4"/>`),
  joints: icon(svg`<circle cx="12" cy="12" r="3"/><path d="M9.5 13.500L3 19M14.500 10.500L21 5M5 6a9.500 9.500 0 0 1 9-2.500"/>`),
  pose: icon(svg`<path d="M4 7h8M18 7h2M4 17h2M12 17h8"/><circle cx="15" cy="7" r="2.600"/><circle cx="9" cy="17" r="2.600"/>`),
  copy: icon(svg`<rect x="8" y="8" width="12" height="12" rx="1.500"/><path d="M16 8V4H4v12h4"/>`),
  close: icon(svg`<path d="M6 6l12 12M18 6L6 18"/>`),
  down: icon(svg`<path d="M7 10l5 5 5-5"/>`),
  warn: icon(svg`<path d="M12 4L2.8 19.500h18.400z"/><path d="M12 10v4.5"/><circle cx="12" cy="17" r="0.8" class="solid"/>`),
};

// SPDX-License-Identifier: Apache-2.0
// Colours and controls that all parts of the page share.
import { css } from 'lit';

// In the document: custom properties reach into the components.
export const pageStyle = `
:root {
  --background: #ffffff; --panel: #f6f7f9; --raised: #ffffff; --line: #dde1e6; --line-strong: #c3c9d1;
  --text: #1b2128; --muted: #5a6571; --accent: #1f5fa6; --accent-soft: #e3edf8; --hover: #eaedf1;
  --event-touch: #1f5fa6; --event-part: #7d8792; --event-slide: #c8602a; --event-stick: #0f7a61;
  --event-transition: #7d5bb0;
  --warn: #9a5b00; --warn-soft: #fdf3e1; --bad: #a82c1f; --bad-soft: #fcebe8; --good: #0f7a61;
  --shadow: 0 2px 12px rgb(20 30 45 / 16%);
  color-scheme: light;
  font-size: clamp(13px, calc(0.34vw + 6.5px), 18px);
}
:root[data-theme='dark'] {
  --background: #13171b; --panel: #191e23; --raised: #20262c; --line: #2c343c; --line-strong: #404a55;
  --text: #e5e9ed; --muted: #9aa6b2; --accent: #82b6ec; --accent-soft: #20344a; --hover: #262d34;
  --event-touch: #82b6ec; --event-part: #8b95a1; --event-slide: #ec9d6d; --event-stick: #58c5a6;
  --event-transition: #b79ce4;
  --warn: #e7b25c; --warn-soft: #33291a; --bad: #f0907f; --bad-soft: #3a211e; --good: #58c5a6;
  --shadow: 0 2px 14px rgb(0 0 0 / 50%);
  color-scheme: dark;
}
html, body { margin: 0; height: 100%; background: var(--background); color: var(--text);
  font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif; }
`;

export const controls = css`
  :host { box-sizing: border-box; color: var(--text); font-size: 1rem; line-height: 1.4; }
  *, *::before, *::after { box-sizing: border-box; }
  button, select, input { font: inherit; color: inherit; }
  button {
    display: inline-flex; align-items: center; justify-content: center; gap: 0.4rem;
    min-height: 2.15rem; min-width: 2.15rem; padding: 0 0.5rem; border: 1px solid transparent;
    border-radius: 0.4rem; background: none; cursor: pointer; white-space: nowrap;
  }
  button:hover:not(:disabled) { background: var(--hover); }
  button:disabled { opacity: 0.4; cursor: default; }
  button[aria-pressed='true'] { background: var(--accent-soft); color: var(--accent); }
  button.primary { background: var(--accent); color: var(--background); padding: 0 1rem; }
  button.primary:hover:not(:disabled) { background: var(--accent); filter: brightness(1.1); }
  button.plain { border-color: var(--line-strong); padding: 0 0.9rem; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; border-radius: 0.3rem; }
  svg.icon { width: 1.25rem; height: 1.25rem; fill: none; stroke: currentcolor; stroke-width: 1.6;
    stroke-linecap: round; stroke-linejoin: round; flex: none; }
  svg.icon .solid { fill: currentcolor; stroke: none; }
  select, input[type='text'], input[type='search'], input[type='number'] {
    min-height: 2.15rem; padding: 0 0.5rem; border: 1px solid var(--line-strong); border-radius: 0.4rem;
    background: var(--raised); min-width: 0;
  }
  h2 { margin: 0; font-size: 0.85rem; font-weight: 600; color: var(--muted); letter-spacing: 0.01em; }
  .number { font-variant-numeric: tabular-nums; }
  .muted { color: var(--muted); }
  .clip { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
  dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.2rem 0.9rem; margin: 0; }
  dt { color: var(--muted); }
  dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
`;

// SPDX-License-Identifier: Apache-2.0
// Light or dark: what the reader chose last, else what the system says. Where the browser gives no
// storage, as for some files opened from disk, the choice lasts as long as the page.
import type { Theme } from '../palette';
import type { Viewer } from './viewer';

const storageKey = 'vinci-theme';

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(storageKey);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

export function startTheme(viewer: Viewer): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen = stored();
  const apply = () => viewer.setTheme(chosen ?? (system.matches ? 'dark' : 'light'));
  system.addEventListener('change', apply);
  viewer.addEventListener('theme-chosen', () => {
    chosen = viewer.options.theme;
  });
  apply();
}

export function toggleTheme(viewer: Viewer): void {
  const theme = viewer.options.theme === 'dark' ? 'light' : 'dark';
  viewer.setTheme(theme);
  viewer.dispatchEvent(new Event('theme-chosen'));
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // no storage: the choice lasts as long as the page
  }
}

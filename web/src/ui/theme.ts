// SPDX-License-Identifier: Apache-2.0
// Light or dark: what the reader chose last, else what the system says. Where the browser gives no
// storage, as for some files opened from disk, the choice lasts as long as the page.
import type { Theme } from '../palette';

// What has colours: the state of a page.
export interface Themed extends EventTarget {
  readonly options: { readonly theme: Theme };
  setTheme(theme: Theme): void;
}

const storageKey = 'vinci-theme';

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(storageKey);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

export function startTheme(page: Themed): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen = stored();
  const apply = () => page.setTheme(chosen ?? (system.matches ? 'dark' : 'light'));
  system.addEventListener('change', apply);
  page.addEventListener('theme-chosen', () => {
    chosen = page.options.theme;
  });
  apply();
}

export function toggleTheme(page: Themed): void {
  const theme = page.options.theme === 'dark' ? 'light' : 'dark';
  page.setTheme(theme);
  page.dispatchEvent(new Event('theme-chosen'));
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // no storage: the choice lasts as long as the page
  }
}

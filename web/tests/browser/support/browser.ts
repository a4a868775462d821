// SPDX-License-Identifier: Apache-2.0
// Pages of the shared browser. Each notes what it asks for and what goes wrong in it.
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, expect, inject } from 'vitest';
import { patience } from '../../support/patience';
import { Workshop } from './workshop';

export const work = new Workshop(inject('folder'));

let connected: Promise<Browser> | null = null;

async function browser(): Promise<Browser> {
  connected ??= chromium.connect(inject('endpoint'));
  return connected;
}

afterAll(async () => {
  await (await connected)?.close();
  connected = null;
});

export interface Sight {
  page: Page;
  requests: string[]; // addresses, but for the page itself and what it holds
  errors: string[]; // on the console, and exceptions
  close(): Promise<void>;
}

export interface SightOptions extends BrowserContextOptions {
  theme?: 'light' | 'dark';
}

export function open(address: string, options: SightOptions = {}): Promise<Sight> {
  return opened(address, options, (page) => page.evaluate(() => window.vinci.ready));
}

// The page of a study.
export function openStudy(address: string, options: SightOptions = {}): Promise<Sight> {
  return opened(address, options, (page) => page.evaluate(() => window.vinciStudy.ready));
}

async function opened(
  address: string,
  options: SightOptions,
  ready: (page: Page) => Promise<void>,
): Promise<Sight> {
  const { theme = 'light', ...others } = options;
  const context = await (
    await browser()
  ).newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: theme,
    locale: 'en',
    ...others,
  });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => {
    if (request.url() !== address && !/^(blob|data):/.test(request.url()))
      requests.push(request.url());
  });
  page.on('console', (entry) => {
    if (entry.type() === 'error') errors.push(entry.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(address);
  await ready(page);
  return { page, requests, errors, close: () => context.close() };
}

// Opens a page, lets the test use it, and closes it; nothing may have gone wrong in it.
export async function withPage(
  address: string,
  use: (page: Page, sight: Sight) => Promise<void>,
  options: SightOptions = {},
): Promise<void> {
  const sight = await open(address, options);
  try {
    await use(sight.page, sight);
    expect(sight.errors).toEqual([]);
  } finally {
    await sight.close();
  }
}

export const state = (page: Page) => page.evaluate(() => window.vinci.state());
export const show = (page: Page, time: number) => page.evaluate((t) => window.vinci.show(t), time);

// The index of the shown frame, as the page says it.
export async function shownFrame(page: Page): Promise<number> {
  const text = await page.locator('vinci-timeline .frame').innerText();
  return Number(text.match(/frame ([\d,]+) of/)?.[1].replace(/,/g, '')) - 1;
}

// Where points of the world are seen in the window.
export function places(
  page: Page,
  points: number[][],
  run = 0,
): Promise<({ x: number; y: number } | null)[]> {
  return page.evaluate(
    ([list, which]) => list.map((point) => window.vinci.view!.place(point, which)),
    [points, run] as const,
  );
}

// Rows of the inspector by name.
export async function inspected(page: Page): Promise<Record<string, string>> {
  return page.locator('vinci-inspector').evaluate((element) => {
    const root = element.shadowRoot!;
    const texts = (selector: string) =>
      [...root.querySelectorAll(selector)].map((e) => e.textContent ?? '');
    const values = texts('dd');
    return Object.fromEntries(texts('dt').map((name, i) => [name, values[i]]));
  });
}

// A number as the page writes it: "−1.23×10⁻⁵ m" is -1.23e-5.
export function parsed(text: string): number {
  const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  const plain = text
    .replace(/−/g, '-')
    .replace(/[\u202f\s].*$/, '')
    .replace('×10', 'e')
    .replace(/⁻/g, '-')
    .replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (digit) => String(digits.indexOf(digit)));
  return Number(plain);
}

import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from './chromium.ts';

/** @param args further settings of the browser */
export async function openBrowser(args: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null)
    throw new Error('There is no Chromium. Install it (apt-get install chromium) or name it in CHROMIUM.');
  return await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
}

/** The browser tells of each answer that says no, though the page does so too. */
const EXPECTED = /^Failed to load resource: the server responded with a status of 4/;

/** Gathers what must never happen on a page: broken script, and anything that the policy had to refuse. */
export function watchTrouble(page: Page): string[] {
  const trouble: string[] = [];
  page.on('pageerror', (error) => trouble.push(`script: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text())) trouble.push(`console: ${message.text()}`);
  });
  return trouble;
}

import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from './chromium.ts';

/** Time for an element to appear; less than a test has, so that its error says what was missing. */
const WAIT_MS_MAX = 90_000;

/** Opens Chromium. @param args additional command-line arguments */
export async function openBrowser(args: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null)
    throw new Error('There is no Chromium. Install it (apt-get install chromium) or name it in CHROMIUM.');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
  browser.on('context', (context) => context.setDefaultTimeout(WAIT_MS_MAX));
  return browser;
}

/** The browser logs every error response, which the page also shows. */
const EXPECTED = /^Failed to load resource: the server responded with a status of 4/;

/** Collects script errors and violations of the content security policy. */
export function watchProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !EXPECTED.test(message.text())) problems.push(`console: ${message.text()}`);
  });
  return problems;
}

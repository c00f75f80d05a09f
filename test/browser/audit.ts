import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { waitForAnimations } from './animations.ts';

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** Returns serious and critical findings of axe: the rule and the element. */
async function findings(page: Page, part: string, rules: readonly string[] | null): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(`${axe.source};undefined`);
  const found = await page.evaluate<readonly Finding[]>(
    `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' … ')}`);
}

/**
 * Audits the page in light and dark mode.
 * @param part selector of a part that is audited alone
 */
export async function audit(page: Page, part = 'html'): Promise<string[]> {
  return [...(await inScheme(page, part, 'light', null)), ...(await inScheme(page, part, 'dark', ['color-contrast']))];
}

async function inScheme(
  page: Page,
  part: string,
  scheme: 'light' | 'dark',
  rules: readonly string[] | null,
): Promise<string[]> {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor({ state: 'attached' });
  await page.evaluate(waitForAnimations('document.getAnimations()'));
  // Pages are alive: what was caught while a row changed is not there when one looks again.
  const passing = await findings(page, part, rules);
  const lasting = passing.length === 0 ? [] : await findings(page, part, rules);
  return lasting.map((finding) => `${scheme}: ${finding}`);
}

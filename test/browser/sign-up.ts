import type { Page } from 'playwright-core';
import type { Service } from '../service.ts';

/** Follows the link that the first start printed, and makes the owner. Returns the address that sessions are of. */
export async function signUp(page: Page, service: Pick<Service, 'output'>): Promise<string> {
  const link = /\S+\/claim#\S+/.exec(service.output())?.[0];
  if (link === undefined) throw new Error(`No link was printed:\n${service.output()}`);
  await page.goto(link);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
  await page.getByRole('button', { name: 'Make my account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return new URL(link).origin;
}

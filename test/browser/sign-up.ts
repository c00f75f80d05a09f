import type { Page } from 'playwright-core';
import type { Service } from '../service.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery';

/** Follows the link that the first start printed, and makes the owner. Returns the address that sessions are of. */
export async function signUp(page: Page, service: Pick<Service, 'output'>): Promise<string> {
  const link = /\S+\/claim#\S+/.exec(service.output())?.[0];
  if (link === undefined) throw new Error(`No link was printed:\n${service.output()}`);
  await page.goto(link);
  await makeAccount(page, 'Ada', EMAIL, 'Make my account');
  return new URL(link).origin;
}

/** Fills the form that a link leads to, up to the overview. */
export async function makeAccount(page: Page, name: string, email: string, deed: string): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: deed }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

/** The owner whom `signUp` made comes back. */
export async function signIn(page: Page, service: Pick<Service, 'output'>): Promise<string> {
  const home = /serves on (\S+)/.exec(service.output())?.[1] ?? '';
  await page.goto(`${home}/sign-in`);
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return home;
}

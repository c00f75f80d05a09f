import type { Page } from 'playwright-core';
import type { Service } from '../service.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery';

/** Follows the printed owner link and creates the owner. Returns the address of the service. */
export async function signUp(page: Page, service: Pick<Service, 'output'>): Promise<string> {
  const link = /\S+\/claim#\S+/.exec(service.output())?.[0];
  if (link === undefined) throw new Error(`No link was printed:\n${service.output()}`);
  await page.goto(link);
  await makeAccount(page, 'Ada', EMAIL, 'Create account');
  return new URL(link).origin;
}

/** Fills the form of an owner or invitation link, up to the overview. */
export async function makeAccount(page: Page, name: string, email: string, action: string): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: action }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

/** Signs in the owner that `signUp` created. */
export async function signIn(page: Page, service: Pick<Service, 'output'>): Promise<string> {
  const home = /serves on (\S+)/.exec(service.output())?.[1] ?? '';
  await page.goto(`${home}/sign-in`);
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return home;
}

import type { Page } from 'playwright-core';
import { waitForAnimations } from './animations.ts';

/** Records usable elements, elements that get the focus, and whether the focus is visible. */
const WATCH = `(() => {
  const usable = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea, summary, [tabindex="0"]';
  const isOne = (it) => it.checkVisibility({ visibilityProperty: true }) && it.tabIndex >= 0 && it.closest('[inert]') === null;
  // One of a set of radio buttons stands for them all: arrows move between them.
  const stands = (it) => it.type !== 'radio' || it.checked;
  const around = (it) => [it, it.parentElement, it.closest('label'), it.nextElementSibling].filter(Boolean);
  const look = (it) => around(it).map((each) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor } = getComputedStyle(each);
    return [outlineStyle === 'none' ? '' : outlineWidth + outlineColor, boxShadow, borderColor, backgroundColor].join();
  }).join(';');
  document.activeElement?.blur();
  const looks = new Map([...document.querySelectorAll(usable)].filter((it) => isOne(it) && stands(it)).map((it) => [it, look(it)]));
  globalThis.walk = { around, looks, look, reached: new Set(), unseen: new Set() };
})()`;

/** Waits for focus styles to apply, then records them. */
const STEP = `(async () => {
  const { around, looks, look, reached, unseen } = walk;
  const it = document.activeElement;
  if (reached.has(it)) return false;
  reached.add(it);
  await ${waitForAnimations('around(it).flatMap((each) => each.getAnimations())')};
  if (looks.has(it) && look(it) === looks.get(it)) unseen.add(it);
  return true;
})()`;

const RESULT = `(() => {
  const { looks, reached, unseen } = walk;
  const missed = [...looks.keys()].filter((it) => it.isConnected && !reached.has(it));
  return [
    ...missed.map((it) => 'not reached: ' + it.outerHTML.slice(0, 160)),
    ...[...unseen].map((it) => 'focus not seen: ' + it.outerHTML.slice(0, 160)),
  ];
})()`;

/** Maximum number of Tab presses, more than any page needs. */
const PRESSES_MAX = 500;

/** Tabs through the page once. Returns elements that the focus does not reach or does not show on. */
export async function walk(page: Page): Promise<string[]> {
  await page.evaluate(WATCH);
  for (let press = 0; press < PRESSES_MAX; press += 1) {
    await page.keyboard.press('Tab');
    if (!(await page.evaluate<boolean>(STEP))) break;
  }
  return await page.evaluate<string[]>(RESULT);
}

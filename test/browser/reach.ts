import type { Page } from 'playwright-core';

/** Notes what can be used on the page, what the focus comes to, and whether that can be seen. */
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

/** Looks once what changes with the focus has changed. */
const STEP = `(async () => {
  const { around, looks, look, reached, unseen } = walk;
  const it = document.activeElement;
  if (reached.has(it)) return false;
  reached.add(it);
  await Promise.all(around(it).flatMap((each) => each.getAnimations()).map(({ finished }) => finished.catch(() => null)));
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

/** More than any page has; whoever needs as many presses does not use the keyboard for it. */
const PRESSES_MAX = 500;

/** Goes once round the page by Tab: what can't be come to, and what doesn't show that it has the focus. */
export async function walk(page: Page): Promise<string[]> {
  await page.evaluate(WATCH);
  for (let press = 0; press < PRESSES_MAX; press += 1) {
    await page.keyboard.press('Tab');
    if (!(await page.evaluate<boolean>(STEP))) break;
  }
  return await page.evaluate<string[]>(RESULT);
}

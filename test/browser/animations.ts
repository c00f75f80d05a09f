/**
 * Returns a script that waits until the listed animations have ended. Their own promises don't say so: Chromium never
 * keeps those of elements in a closed `<details>`, because nothing there is drawn.
 * @param list script that lists animations
 */
export function waitForAnimations(list: string): string {
  return `(async () => {
    const runs = (it) => it.playState === 'running' && it.effect.getComputedTiming().endTime !== Infinity;
    while (${list}.some(runs)) await new Promise(requestAnimationFrame);
  })()`;
}

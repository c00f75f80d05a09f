/**
 * Shares of what many use: a holder may take as much as it leaves free, or a multiple of that. It gets half where it is
 * alone, and less the fuller it is: none fills it alone, nor do a few together.
 */
export const KEY_TIMES_FREE = 1;
/** Many keys and people may share one address. */
export const ADDRESS_TIMES_FREE = 3;

/** Says whether a holder of `mine` places may take another one of the `max`, of which `taken` are in use. */
export function hasFreeShare(mine: number, taken: number, max: number, timesFree: number): boolean {
  return mine < timesFree * (max - taken);
}

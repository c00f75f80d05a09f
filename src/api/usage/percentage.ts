/** `part` of `whole` in percent with one decimal, 0 to 100; a half goes up. Of nothing: 0. */
export function percentage(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 2_000n + whole) / (whole * 2n)) / 10;
}

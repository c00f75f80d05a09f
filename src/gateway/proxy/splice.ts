import type { Splice } from '../../providers/provider.ts';

/** The body with its few edits made; the body itself when there are none. */
export function applySplices(body: Uint8Array, splices: readonly Splice[]): Uint8Array {
  if (splices.length === 0) return body;
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { start, end, text } of splices) {
    parts.push(body.subarray(from, start), Buffer.from(text));
    from = end;
  }
  parts.push(body.subarray(from));
  return Buffer.concat(parts);
}

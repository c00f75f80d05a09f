import type { MuteShape } from '../contract/anomalies.ts';
import { plainText } from './table.ts';
import { textLines } from './text-lines.ts';

/** `COST_SPIKE, key key_…` and below it until when, and the mute's id. */
export function describeMute({ id, type, scope, until }: MuteShape): string {
  const end = until === null ? 'until it is removed' : `until ${until.slice(0, 16).replace('T', ' ')} UTC`;
  const what = textLines(`${type ?? 'all that can be muted'}, ${scopeText(scope)}`);
  return [...what, `${end} (${id})`].map(plainText).join('\n  ');
}

export function scopeText(scope: MuteShape['scope']): string {
  const parts = Object.entries(scope).map(([name, value]) =>
    name.startsWith('tag:') ? `${name.slice('tag:'.length)}=${value}` : `${name} ${value}`,
  );
  return parts.length === 0 ? 'whatever it is about' : parts.join(', ');
}

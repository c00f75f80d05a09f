import type { ReactNode } from 'react';

/** Where a price comes from: its first word is enough beside a figure; the rest is in its title. */
export function SourceText({ source }: { readonly source: string }): ReactNode {
  const [first = source] = source.split(/;\s*/);
  return (
    <span className="clamped" title={source}>
      {first}
    </span>
  );
}

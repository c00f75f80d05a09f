import type { ReactNode } from 'react';
import type { WrappedKeyDetail } from '../../../../src/contract/keys.ts';
import { Ago } from '../../shared/theme/instant.tsx';
import { FirstCall } from './first-call.tsx';

/** When a key was used last; until its first call, that it is waited for. */
export function LastCall({ of }: { readonly of: WrappedKeyDetail }): ReactNode {
  if (of.lastCallAt === null) return <FirstCall keyId={of.id} />;
  return (
    <p className="soft">
      Last used <Ago at={of.lastCallAt} />.
    </p>
  );
}

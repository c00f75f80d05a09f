import type { ReactNode } from 'react';
import { Ago } from '../../shared/look/instant.tsx';
import { PageLink } from '../../shared/look/page-link.tsx';
import { FirstCall } from './first-call.tsx';
import { useLastCall } from './use-last-call.ts';

/** When a key was used last; until its first call, that it is waited for. */
export function LastCall({ keyId }: { readonly keyId: string }): ReactNode {
  const call = useLastCall(keyId);
  if (call === undefined) return null;
  if (call === null) return <FirstCall keyId={keyId} />;
  return (
    <p className="soft">
      Last used <Ago at={call.beganAt} />: <PageLink to={`/calls/${call.id}`}>{call.model ?? call.id}</PageLink>
    </p>
  );
}

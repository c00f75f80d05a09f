import type { ReactNode } from 'react';
import { shortSession } from '../../../../src/domain/text/limits.ts';
import { isolated } from '../format/isolated.ts';
import { PageLink } from '../ui/links.tsx';

/** A link to a session: a hash is shortened, with the full name in the title. */
export function SessionLink({ session }: { readonly session: string }): ReactNode {
  return (
    <PageLink to="/session" search={{ name: session }} title={session}>
      {isolated(shortSession(session))}
    </PageLink>
  );
}

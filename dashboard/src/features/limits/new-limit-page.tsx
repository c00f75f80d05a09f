import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAddress } from '../../shared/filter/address.ts';
import { readText } from '../../shared/filter/usage-filter.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { NEW_DRAFT } from './limit-draft.ts';
import { LimitForm } from './limit-form.tsx';

/** Creates a limit; the `key` search parameter preselects a key. */
export function NewLimitPage(): ReactNode {
  const navigate = useNavigate();
  const mayChange = useMay('manage');
  const { search } = useAddress((text) => ({ key: readText(text, 'key') }));
  const first = search.key === undefined ? NEW_DRAFT : { ...NEW_DRAFT, kind: 'key' as const, keyId: search.key };
  return (
    <Page title="Create limit" lead="Takes effect immediately. Usage so far in its window counts.">
      {mayChange ? (
        <Card>
          <LimitForm first={first} of={null} onSaved={({ id }) => void navigate({ to: `/limits/${id}` })} />
        </Card>
      ) : (
        <Note kind="info">Only admins can create limits.</Note>
      )}
    </Page>
  );
}

import { type ReactNode, useState } from 'react';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { useMay } from '../../shared/session/session.ts';
import { KeyCreated } from './made-key.tsx';
import { NewKeyForm } from './new-key-form.tsx';
import type { NewKeyResult } from './use-create-key.ts';
import { useProviders } from '../../shared/names/use-providers.ts';

/** From a provider's key to a wrapped one, its lines for every client, and the first call. */
export function NewKeyPage(): ReactNode {
  const providers = useProviders();
  const mayCreate = useMay('work');
  const [made, setMade] = useState<NewKeyResult | null>(null);
  if (made) return <KeyCreated made={made} />;
  return (
    <Page title="Create API key" lead="You get a wrapped key that stands for the provider’s own.">
      {mayCreate ? (
        <Card>
          <Loaded of={providers} rows={6}>
            {(list) => <NewKeyForm providers={list} onMade={setMade} />}
          </Loaded>
        </Card>
      ) : (
        <Note kind="info">Viewers make no keys. Ask a member or an admin for one.</Note>
      )}
    </Page>
  );
}

import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { isolated } from '../../shared/format/isolated.ts';
import { useProviders } from '../../shared/names/queries.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { ButtonLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { TestCallDialog } from '../../shared/providers/test-call.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { ClientLines } from './client-lines.tsx';
import { FirstCall } from './first-call.tsx';
import { NewKeyForm } from './new-key-form.tsx';
import { type NewKeyResult, useKey } from './queries.ts';
import { FieldsPlaceholder } from '../../shared/ui/placeholders.tsx';

/** Creates a wrapped key, then shows how to set up a client and waits for the first call. */
export function NewKeyPage(): ReactNode {
  const providers = useProviders();
  const mayCreate = useMay('work');
  const [made, setMade] = useState<NewKeyResult | null>(null);
  if (made) return <KeyCreated made={made} />;
  return (
    <Page title="Create key" lead="Your program uses the wrapped key instead of a provider key.">
      {mayCreate ? (
        <Card>
          <Loaded of={providers} placeholder={<FieldsPlaceholder rows={3} />}>
            {(list) => <NewKeyForm providers={list} onMade={setMade} />}
          </Loaded>
        </Card>
      ) : (
        <Note kind="info">Viewers can’t create keys. Ask a member or an admin.</Note>
      )}
    </Page>
  );
}

/** Shows a new key, once. */
function KeyCreated({ made }: { readonly made: NewKeyResult }): ReactNode {
  const { id, name, key, provider, warnings = [], rulesProblem } = made;
  return (
    <Page title={`Key “${isolated(name)}” created`} lead="Two steps to your first call.">
      {warnings.map((warning) => (
        <Note key={warning} kind="warn">
          {warning}
        </Note>
      ))}
      {rulesProblem !== null && (
        <Note kind="bad">The key was created without its policy: {rulesProblem} Set the policy on the key’s page.</Note>
      )}
      <Card title="1. Copy your key now">
        <p className="soft">Tollbook shows this key only once. It works only with this Tollbook.</p>
        <CopyBlock first name="wrapped key" text={key} />
      </Card>
      <Card title="2. Set up a client">
        <ClientLines keyId={id} secret={key} />
      </Card>
      <Card>
        <FirstCall keyId={id} />
        <SendTestCall keyId={id} provider={provider} />
      </Card>
      <div className="row">
        <ButtonLink to={`/keys/${id}`} variant="default">
          View key
        </ButtonLink>
        <ButtonLink to="/limits/new" search={{ key: id }} variant="default">
          Create limit
        </ButtonLink>
      </div>
    </Page>
  );
}

/** The first call, sent by Tollbook itself; not for a key whose client sends its login. */
function SendTestCall({ keyId, provider }: { readonly keyId: string; readonly provider: string }): ReactNode {
  const [open, setOpen] = useState(false);
  const { data: key } = useKey(keyId);
  const { data: providers = [] } = useProviders();
  const name = providers.find(({ id }) => id === provider)?.name ?? provider;
  if (key?.credential !== 'provider_key') return null;
  return (
    <div className="row">
      <Button variant="default" onClick={() => setOpen(true)}>
        Send test call
      </Button>
      {open && <TestCallDialog provider={{ id: provider, name }} keyId={keyId} onClose={() => setOpen(false)} />}
    </div>
  );
}

import { type ReactNode, useState } from 'react';
import { isolated } from '../../shared/format/isolated.ts';
import { useProviders } from '../../shared/names/queries.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { ButtonLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { ClientLines } from './client-lines.tsx';
import { FirstCall } from './first-call.tsx';
import { NewKeyForm } from './new-key-form.tsx';
import type { NewKeyResult } from './queries.ts';

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

/** The one moment at which a wrapped key is shown. */
function KeyCreated({ made }: { readonly made: NewKeyResult }): ReactNode {
  const { id, name, key, warnings = [], rulesProblem } = made;
  return (
    <Page title={`Key ${isolated(name)}`} lead="Two steps to the first call.">
      {warnings.map((warning) => (
        <Note key={warning} kind="warn">
          {warning}
        </Note>
      ))}
      {rulesProblem !== null && (
        <Note kind="bad">The key works, but its rules were not taken: {rulesProblem} Set them on its page.</Note>
      )}
      <Card title="1. Keep the wrapped key">
        <p className="soft">It is shown only now. It works at this gate and nowhere else.</p>
        <CopyBlock first name="wrapped key" text={key} />
      </Card>
      <Card title="2. Give it to a program">
        <ClientLines keyId={id} secret={key} />
      </Card>
      <Card>
        <FirstCall keyId={id} />
      </Card>
      <div className="row">
        <ButtonLink to={`/keys/${id}`} variant="default">
          To the key
        </ButtonLink>
        <ButtonLink to="/limits/new" search={{ key: id }} variant="default">
          Set a limit
        </ButtonLink>
      </div>
    </Page>
  );
}

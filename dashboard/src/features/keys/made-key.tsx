import type { ReactNode } from 'react';
import { ButtonLink } from '../../shared/theme/button-link.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { CopyBlock } from '../../shared/ui/copy-block.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { ClientLines } from './client-lines.tsx';
import { FirstCall } from './first-call.tsx';
import type { NewKeyResult } from './use-create-key.ts';
import { isolated } from '../../shared/format/isolated.ts';

/** The one moment at which a wrapped key is shown. */
export function KeyCreated({ made }: { readonly made: NewKeyResult }): ReactNode {
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

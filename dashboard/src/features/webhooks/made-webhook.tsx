import type { ReactNode } from 'react';
import { ButtonLink } from '../../shared/theme/button-link.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { NewSecretNote } from './secret-once.tsx';
import type { NewWebhookResult } from './use-create-webhook.ts';
import { isolated } from '../../shared/format/isolated.ts';

export function WebhookCreated({ made }: { readonly made: NewWebhookResult }): ReactNode {
  const { id, name, secret, secretProblem } = made;
  return (
    <Page title={`Webhook ${isolated(name)}`} lead="It is there; alerts go to it from the next one on.">
      {secretProblem !== null && <Note kind="bad">It has no secret, and is not signed: {secretProblem}</Note>}
      {secret !== null && (
        <Card title="Keep its secret">
          <NewSecretNote secret={secret} />
        </Card>
      )}
      <div className="row">
        <ButtonLink to={`/webhooks/${id}`}>To the webhook: test it</ButtonLink>
      </div>
    </Page>
  );
}

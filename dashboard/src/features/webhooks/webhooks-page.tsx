import type { ReactNode } from 'react';
import { ButtonLink } from '../../shared/theme/button-link.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { useMay } from '../../shared/session/session.ts';
import { DigestPreview } from './digest-preview.tsx';
import { NoWebhooks } from './no-webhooks.tsx';
import { useWebhooks } from './use-webhooks.ts';
import { WebhookTable } from './webhook-table.tsx';

/** Where alerts go. */
export function WebhooksPage(): ReactNode {
  const webhooks = useWebhooks();
  const mayChange = useMay('manage');
  return (
    <Page
      title="Webhooks"
      lead="Where alerts go."
      actions={
        <>
          <DigestPreview />
          {mayChange && <ButtonLink to="/webhooks/new">Add a webhook</ButtonLink>}
        </>
      }
    >
      <Card>
        <Loaded of={webhooks} rows={5}>
          {(all) => (all.length === 0 ? <NoWebhooks mayChange={mayChange} /> : <WebhookTable webhooks={all} />)}
        </Loaded>
      </Card>
    </Page>
  );
}

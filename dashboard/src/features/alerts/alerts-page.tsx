import type { ReactNode } from 'react';
import { useAddress } from '../../shared/filter/use-address.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { AlertFilters } from './alert-filters.tsx';
import { AlertList } from './alert-list.tsx';
import { AlertPager } from './alert-pager.tsx';
import { readAlertsAddress } from './alerts-address.ts';
import { MarkPageRead } from './mark-page-read.tsx';
import { MutedAlerts } from './mutes.tsx';
import { NoAlerts } from './no-alerts.tsx';
import { useAlerts } from './use-alerts.ts';

/** What happened that somebody should know of, newest first. */
export function AlertsPage(): ReactNode {
  const { search, change } = useAddress(readAlertsAddress);
  const alerts = useAlerts(search);
  const { unreadOnly, type, severity, before } = search;
  const narrowed = unreadOnly || type !== undefined || severity !== undefined || before !== undefined;
  return (
    <Page
      title="Alerts"
      lead="What happened that somebody should know of. Webhooks carry them to where you are."
      actions={<MarkPageRead alerts={alerts.data ?? []} />}
    >
      <AlertFilters search={search} onChange={(changes) => change({ ...changes, before: undefined })} />
      <Card>
        <Loaded of={alerts} rows={8}>
          {(shown) => (
            <>
              {shown.length === 0 ? <NoAlerts narrowed={narrowed} /> : <AlertList alerts={shown} />}
              <AlertPager alerts={shown} before={before} onMove={(to) => change({ before: to })} />
            </>
          )}
        </Loaded>
      </Card>
      <MutedAlerts />
    </Page>
  );
}

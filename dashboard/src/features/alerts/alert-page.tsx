import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { usePathParameter } from '../../shared/filter/address.ts';
import { isolatedQuotes } from '../../shared/format/isolated.ts';
import { useMay, useWorkspace } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { ButtonLink, PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { ErrorNote } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { StateBadge } from '../../shared/ui/values.tsx';
import { AlertChart } from './alert-chart.tsx';
import { AlertEvidence, AlertFacts } from './alert-details.tsx';
import { SeverityBadge } from './alert-list.tsx';
import { ALERT_ADVICE } from './alert-text.ts';
import { MoversCard } from './movers.tsx';
import { mutableType, MuteDialog } from './mutes.tsx';
import { useAlert, useMarkRead } from './queries.ts';
import { findRelatedPages } from './related-pages.ts';
import { RecordPlaceholder } from '../../shared/ui/placeholders.tsx';

/** One alert with its details, evidence and advice. Opening it does not mark it as read. */
export function AlertPage(): ReactNode {
  const alert = useAlert(usePathParameter('alertId'));
  const found = alert.data;
  return (
    <Page
      title={found ? isolatedQuotes(found.title) : 'Alert'}
      lead={<PageLink to="/alerts">All alerts</PageLink>}
      actions={found && <AlertActions alert={found} />}
    >
      <Loaded of={alert} placeholder={<RecordPlaceholder hasFigures={false} />}>
        {(shown) => <AlertContent alert={shown} />}
      </Loaded>
    </Page>
  );
}

/** Links to related pages. */
function AlertLinks({ alert }: { readonly alert: AlertShape }): ReactNode {
  const { timeZone } = useWorkspace();
  return (
    <div className="row">
      {findRelatedPages(alert, timeZone).map(({ name, to, search }) => (
        <ButtonLink key={name} to={to} search={search} variant="default">
          {name}
        </ButtonLink>
      ))}
    </div>
  );
}

function AlertActions({ alert }: { readonly alert: AlertShape }): ReactNode {
  const mayMark = useMay('work');
  const mayMute = useMay('manage') && mutableType(alert.type) !== null;
  const mark = useMarkRead();
  const [muting, setMuting] = useState(false);
  if (mark.error) return <ErrorNote error={mark.error} />;
  return (
    <>
      {mayMark && !alert.read && (
        <Button loading={mark.isPending} onClick={() => mark.mutate([alert.id])}>
          Mark as read
        </Button>
      )}
      {mayMute && (
        <Button variant="default" onClick={() => setMuting(true)}>
          Mute
        </Button>
      )}
      {muting && <MuteDialog alert={alert} onClose={() => setMuting(false)} />}
    </>
  );
}

function AlertContent({ alert }: { readonly alert: AlertShape }): ReactNode {
  return (
    <>
      <Card>
        <div className="row">
          <SeverityBadge of={alert} />
          <StateBadge color={alert.resolvedAt === null ? 'yellow' : 'gray'}>
            {alert.resolvedAt === null ? 'Ongoing' : 'Resolved'}
          </StateBadge>
        </div>
        <p>{isolatedQuotes(alert.message)}</p>
      </Card>
      <AlertChart alert={alert} />
      <MoversCard alert={alert} />
      <div className="halves">
        <Card title="What to do">
          <p>{ALERT_ADVICE[alert.type]}</p>
          <AlertLinks alert={alert} />
        </Card>
        <Card title="Details">
          <AlertFacts alert={alert} />
        </Card>
      </div>
      <AlertEvidence alert={alert} />
    </>
  );
}

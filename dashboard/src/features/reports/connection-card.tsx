import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AdminKeyShape } from '../../../../src/contract/admin-keys.ts';
import { Ago } from '../../shared/theme/instant.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { useMay } from '../../shared/session/session.ts';
import { ConnectionActions } from './connection-actions.tsx';

interface ConnectionProps {
  readonly connection: AdminKeyShape;
}

const CONNECTION_STATES: Readonly<Record<AdminKeyShape['state'], { readonly word: string; readonly color: string }>> = {
  reading: { word: 'reading', color: 'teal' },
  waiting: { word: 'up to date', color: 'teal' },
  paused: { word: 'paused', color: 'gray' },
  failing: { word: 'in trouble', color: 'red' },
};

/** One organization: whose it is, how far its reports were read, and what is wrong. */
export function ConnectionCard({ connection }: ConnectionProps): ReactNode {
  const { name, provider, organization, fingerprint, lastFour, state, problem, readAt, readElsewhere } = connection;
  const mayChange = useMay('manage');
  const { word, color } = CONNECTION_STATES[state];
  return (
    <Card
      title={name}
      aside={
        <Badge variant="light" color={color} tt="none">
          {word}
        </Badge>
      }
    >
      {problem !== null && <Note kind="warn">{problem}</Note>}
      {readElsewhere && (
        <Note kind="warn">
          Another workspace reads the same organization: what did not pass the gate is in the sums of both.
        </Note>
      )}
      <Facts
        of={[
          ['Organization', organization.name ?? organization.id ?? `of ${provider}`],
          ['Admin key', `ends in ${lastFour}, fingerprint ${fingerprint}`],
          ['Last read', readAt === null ? 'not yet' : <Ago key="read" at={readAt} />],
          ['History', <HistoryProgress key="history" connection={connection} />],
        ]}
      />
      {mayChange && <ConnectionActions connection={connection} />}
    </Card>
  );
}

function HistoryProgress({ connection: { backfill, name } }: ConnectionProps): ReactNode {
  const { days, of } = backfill;
  if (days >= of) return `${of} days, complete`;
  return (
    <>
      {days} of {of} days <progress aria-label={`Days of ${name} that were read`} value={days} max={of} />
    </>
  );
}

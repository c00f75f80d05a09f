import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AuditPage } from '../../../../src/contract/audit.ts';
import { useRead } from '../../shared/api/use-api.ts';
import { useAddress } from '../../shared/filter/address.ts';
import { type SearchParameters, readText } from '../../shared/filter/usage-filter.ts';
import { fieldTitle } from '../../shared/names/display-names.ts';
import { Actor } from '../../shared/names/actor.tsx';
import { Card } from '../../shared/ui/card.tsx';
import { type TableColumn, DataTable } from '../../shared/ui/data-table.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { More } from '../../shared/ui/more.tsx';
import { Breakable, Instant } from '../../shared/ui/values.tsx';
import { listChanges, type FieldChange, isShort } from './audit-changes.ts';
import { TablePlaceholder } from '../../shared/ui/placeholders.tsx';

type AuditRow = AuditPage['rows'][number];

/** Audit log: who changed what, with old and new values. */
export function AuditPart(): ReactNode {
  const { search: before, change } = useAddress(readBefore);
  const page = useRead('GET /api/manage/audit', { query: { cursor: before } });
  return (
    <Card title="Audit log">
      <p className="soft">
        All changes, newest first. Rows are chained by hashes: <code>npx tollbook doctor</code> reports altered or
        missing rows.
      </p>
      <Loaded of={page} placeholder={<TablePlaceholder rows={10} />}>
        {({ rows, nextCursor }) => (
          <>
            <DataTable name="Audit log" columns={auditColumns} rows={rows} rowKey={({ seq }) => String(seq)} />
            <div className="row">
              {before !== undefined && (
                <Button variant="default" onClick={() => change({ before: undefined })}>
                  Newest
                </Button>
              )}
              {nextCursor !== null && (
                <Button variant="default" onClick={() => change({ before: String(nextCursor) })}>
                  Older
                </Button>
              )}
            </div>
          </>
        )}
      </Loaded>
    </Card>
  );
}

function readBefore(search: SearchParameters): string | undefined {
  return readText(search, 'before');
}

const auditColumns: readonly TableColumn<AuditRow>[] = [
  { id: 'at', name: 'Time', cell: ({ at }) => <Instant at={at} /> },
  { id: 'who', name: 'User', cell: ({ actor, actorName }) => <AuditActor actor={actor} name={actorName} /> },
  { id: 'what', name: 'Action', cell: ({ action, subject }) => <AuditAction action={action} subject={subject} /> },
  { id: 'changes', name: 'Changes', wideOnly: true, cell: (row) => <ChangedFields of={row} /> },
];

function AuditActor({ actor, name }: { readonly actor: string; readonly name: string | null }): ReactNode {
  return (
    <span title={actor}>
      <Actor id={actor} name={name} />
    </span>
  );
}

function AuditAction({ action, subject }: Pick<AuditRow, 'action' | 'subject'>): ReactNode {
  return (
    <>
      <Breakable text={action} /> <span className="soft">{subject}</span>
    </>
  );
}

function ChangedFields({ of }: { readonly of: AuditRow }): ReactNode {
  const changes = listChanges(of);
  const list = <ChangeList changes={changes} />;
  return isShort(changes) ? list : <More title={`${changes.length} fields`}>{list}</More>;
}

function ChangeList({ changes }: { readonly changes: readonly FieldChange[] }): ReactNode {
  return changes.map(({ field, before, after }) => (
    <div key={field}>
      <span className="soft">{fieldTitle(field)}</span> {before !== null && <del>{before}</del>}{' '}
      {after !== null && <ins>{after}</ins>}
    </div>
  ));
}

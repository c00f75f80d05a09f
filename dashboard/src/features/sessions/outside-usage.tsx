import type { ReactNode } from 'react';
import type { SessionDetail } from '../../../../src/contract/sessions.ts';
import { shortSession } from '../../../../src/domain/text/limits.ts';
import { USAGE_COLUMNS } from '../../shared/assistants/usage-columns.tsx';
import { isolated } from '../../shared/format/isolated.ts';
import { assistantName } from '../../shared/names/display-names.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { Facts } from '../../shared/ui/facts.tsx';

type OutsideSums = NonNullable<SessionDetail['outside']>;
type ModelRow = OutsideSums['models'][number];

/** Usage of a session that did not go through the gateway, from its synced file and telemetry. */
export function OutsideUsage({ outside }: { readonly outside: OutsideSums }): ReactNode {
  const { assistant, people, project, models } = outside;
  return (
    <Card title="Outside the gateway">
      <Facts
        of={[
          ['Assistant', assistantName(assistant)],
          ['Person', isolated(people.map(({ name }) => name).join(', '))],
          ['Project', project === null ? 'Not attributed' : <code key="project">{shortSession(project)}</code>],
        ]}
      />
      <DataTable
        name="Models outside the gateway"
        columns={[MODEL, ...USAGE_COLUMNS]}
        rows={models}
        rowKey={({ value }) => value}
      />
    </Card>
  );
}

const MODEL: TableColumn<ModelRow> = { id: 'value', name: 'Model', cell: ({ value }) => value };

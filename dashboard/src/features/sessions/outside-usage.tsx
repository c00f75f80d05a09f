import type { ReactNode } from 'react';
import type { SessionDetail } from '../../../../src/contract/sessions.ts';
import { shortSession } from '../../../../src/domain/text/limits.ts';
import { PlanCoverage, retailSum } from '../../shared/assistants/plan-coverage.tsx';
import { USAGE_COLUMNS } from '../../shared/assistants/usage-columns.tsx';
import { isolated } from '../../shared/format/isolated.ts';
import { assistantName } from '../../shared/names/display-names.ts';
import { Card } from '../../shared/ui/card.tsx';
import { DataTable, type TableColumn } from '../../shared/ui/data-table.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { Ago, Count, Money } from '../../shared/ui/values.tsx';
import { knownCost } from '../../shared/usage/cost-sum.ts';

type OutsideSums = NonNullable<SessionDetail['outside']>;
type ModelRow = OutsideSums['models'][number];

/** Usage of a session that did not go through the gateway, from its synced file and telemetry. */
export function OutsideUsage({ outside }: { readonly outside: OutsideSums }): ReactNode {
  const { assistant, people, project, models } = outside;
  return (
    <Card title="Reported by the assistant">
      <Facts
        of={[
          ['Assistant', assistantName(assistant)],
          ['Person', isolated(people.map(({ name }) => name).join(', '))],
          ['Project', project === null ? 'Not attributed' : <code key="project">{shortSession(project)}</code>],
        ]}
      />
      <DataTable
        name="Models by the assistant’s reports"
        columns={[MODEL, ...USAGE_COLUMNS]}
        rows={models}
        rowKey={({ value }) => value}
      />
    </Card>
  );
}

/** Main figures of a session without calls through the gateway. */
export function OutsideFigures({ outside }: { readonly outside: OutsideSums }): ReactNode {
  const { calls, inputTokens, outputTokens, firstAt, lastAt } = outside;
  return (
    <div className="cards">
      <Figure
        name="Usage"
        value={<Money usd={knownCost(retailSum(outside))} />}
        note={
          <>
            At pay-as-you-go prices <PlanCoverage {...outside} />
          </>
        }
      />
      <Figure name="Calls" value={<Count of={calls} />} note="Reported by the assistant" />
      <Figure name="Tokens" value={<Count of={inputTokens + outputTokens} unit="tokens" />} note="input and output" />
      <Figure
        name="Last use"
        value={<Ago at={lastAt} />}
        note={
          <>
            First use <Ago at={firstAt} />
          </>
        }
      />
    </div>
  );
}

const MODEL: TableColumn<ModelRow> = { id: 'value', name: 'Model', cell: ({ value }) => value };

import type { ReactNode } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { usePathParameter } from '../../shared/filter/use-path-text.ts';
import { PageLink } from '../../shared/theme/page-link.tsx';
import { useKeyNames } from '../../shared/names/use-key-names.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { useWorkspace } from '../../shared/session/session.ts';
import { LimitActions } from './limit-actions.tsx';
import { LimitFacts } from './limit-facts.tsx';
import { LimitFigures } from './limit-figures.tsx';
import { limitSentence, rateText } from '../../shared/limits/limit-words.ts';
import { Refusals } from './refusals.tsx';
import { useLimit } from './use-limit.ts';
import { ValueTable } from './value-table.tsx';

/** One limit: what it does, how it stands, whom it refused. */
export function LimitPage(): ReactNode {
  const limitId = usePathParameter('limitId');
  const limit = useLimit(limitId);
  const found = limit.data;
  return (
    <Page
      title={found ? (found.label ?? rateText(found)) : 'One limit'}
      lead={<PageLink to="/limits">All limits</PageLink>}
      actions={found && <LimitActions limit={found} />}
    >
      <Loaded of={limit} rows={10}>
        {(shown) => <LimitContent limit={shown} />}
      </Loaded>
    </Page>
  );
}

function LimitContent({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const { timeZone } = useWorkspace();
  const keyNames = useKeyNames();
  return (
    <>
      <p>{limitSentence(limit, (id) => keyNames.get(id) ?? id, timeZone)}</p>
      {limit.values ? (
        <Card title={`Values of ${limit.scope.kind === 'each_tag' ? limit.scope.key : 'the tag'}, the fullest first`}>
          <ValueTable limit={limit} values={limit.values} />
        </Card>
      ) : (
        <LimitFigures limit={limit} />
      )}
      <div className="halves">
        <Card title="How it is set">
          <LimitFacts limit={limit} />
        </Card>
        <Card title="Who was refused lately">
          <Refusals limit={limit} />
        </Card>
      </div>
    </>
  );
}

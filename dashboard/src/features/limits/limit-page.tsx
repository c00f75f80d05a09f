import type { ReactNode } from 'react';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { usePathParameter } from '../../shared/filter/address.ts';
import { isMonthlyBudget, limitName, limitSentence, scopeText } from '../../shared/limits/limit-text.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { Figure } from '../../shared/ui/figure.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { Ago, Instant } from '../../shared/ui/values.tsx';
import { BurnDown } from './burn-down.tsx';
import { uncertainRuleText } from './limit-draft.ts';
import { LimitActions } from './limit-actions.tsx';
import { Amount, AmountLeft, LimitMeter } from '../../shared/limits/limit-amount.tsx';
import { useLimit } from '../../shared/limits/use-limits.ts';
import { Refusals } from './refusals.tsx';
import { ValueTable } from './value-table.tsx';
import { describeRate, describeShownAmount } from '../../../../src/domain/text/limits.ts';
import { RecordPlaceholder } from '../../shared/ui/placeholders.tsx';

/** One limit: effect, current figures, settings and recent refusals. */
export function LimitPage(): ReactNode {
  const limitId = usePathParameter('limitId');
  const limit = useLimit(limitId);
  const keyNames = useKeyNames();
  const found = limit.data;
  return (
    <Page
      title={found ? limitName(found, (id) => keyNames.get(id) ?? id) : 'Limit'}
      lead={<PageLink to="/limits">All limits</PageLink>}
      actions={found && <LimitActions limit={found} />}
    >
      <Loaded of={limit} placeholder={<RecordPlaceholder />}>
        {(shown) => <LimitContent limit={shown} />}
      </Loaded>
    </Page>
  );
}

/** Current figures of a limit. */
function LimitFigures({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const { unit, remaining, counted, held, heldAsOf, projected, resetsAt, effectiveAmount, isPartial } = limit;
  const passes = projected !== null && projected > effectiveAmount;
  return (
    <div className="cards">
      <Figure
        name="Left"
        value={isPartial ? '–' : <AmountLeft unit={unit} of={remaining} />}
        note={isPartial ? 'Counting usage so far' : <LimitMeter of={limit} unit={unit} />}
      />
      {unit !== 'concurrency' && (
        <Figure
          name="Used"
          value={isPartial ? '–' : <Amount unit={unit} of={counted} />}
          note={isPartial ? 'Counting usage so far' : <UsedNote limit={limit} />}
        />
      )}
      <Figure
        name="Reserved"
        value={<Amount unit={unit} of={held} />}
        note={
          heldAsOf === undefined ? (
            'For running calls'
          ) : (
            <>
              For running calls, on a silent node as of <Ago at={heldAsOf} />
            </>
          )
        }
      />
      {unit !== 'concurrency' && (
        <Figure
          name="At this pace"
          value={projected === null ? '–' : <Amount unit={unit} of={projected} />}
          note={projectionNote(resetsAt, projected, passes)}
        />
      )}
    </div>
  );
}

/** Says which calls are counted, and how much of them is uncertain or observed. */
function UsedNote({ limit: { unit, uncertain, observed = 0 } }: { readonly limit: LimitStanding }): ReactNode {
  const calls = observed > 0 ? 'Ended calls' : 'Ended calls through the gateway';
  if (uncertain <= 0 && observed <= 0) return calls;
  return (
    <>
      {calls}, including{' '}
      {observed > 0 && (
        <>
          <Amount unit={unit} of={observed} /> of observed ones
        </>
      )}
      {observed > 0 && uncertain > 0 && ', '}
      {uncertain > 0 && (
        <>
          <Amount unit={unit} of={uncertain} /> uncertain
        </>
      )}
    </>
  );
}

function projectionNote(resetsAt: string | null, projection: number | null, passes: boolean): ReactNode {
  if (resetsAt === null) return 'Never resets';
  return (
    <>
      {projection === null ? 'Too early to tell' : passes ? 'Exceeds the limit' : 'A straight line'}. Resets{' '}
      <Ago at={resetsAt} />
    </>
  );
}

function LimitFacts({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const { id, scope, action, thresholds, unit, raise, amount, resetsAt, uncertainRule, countsObserved } = limit;
  const keyNames = useKeyNames();
  const counts = scopeText(scope, (keyId) => keyNames.get(keyId) ?? keyId);
  return (
    <Facts
      of={[
        ['Scope', scope.kind === 'key' ? <PageLink to={`/keys/${scope.keyId}`}>{counts}</PageLink> : counts],
        ['Amount', describeRate(limit)],
        [
          'Raised',
          raise && raise.amount > amount ? (
            <span key="raise">
              To {describeShownAmount(unit, raise.amount)} until <Instant at={raise.until} />
            </span>
          ) : null,
        ],
        ['When reached', action === 'block' ? 'Shortens or refuses calls' : 'Alerts only'],
        ['Resets', resetsAt === null ? 'Never' : <Instant key="resets" at={resetsAt} />],
        ['Alerts at', [...new Set([...thresholds, 100])].map((one) => `${one}%`).join(', ')],
        ['Uncertain calls', uncertainRuleText(uncertainRule)],
        ['Observed calls', countsObserved ? 'Counted' : null],
        ['ID', <code key="id">{id}</code>],
      ]}
    />
  );
}

function valuesTitle(scope: LimitStanding['scope']): string {
  if (scope.kind === 'each') return `${scope.of.charAt(0).toUpperCase()}${scope.of.slice(1)}s, highest use first`;
  return `Values of ${scope.kind === 'each_tag' ? scope.key : 'the tag'}, highest use first`;
}

function LimitContent({ limit }: { readonly limit: LimitStanding }): ReactNode {
  const { timeZone } = useWorkspace();
  const keyNames = useKeyNames();
  return (
    <>
      <p>
        {limitSentence(limit, (id) => keyNames.get(id) ?? id, timeZone)}
        {isMonthlyBudget(limit) && (
          <>
            {' '}
            <PageLink to="/">Overview</PageLink> has the forecast of all usage, with what limits don’t count.
          </>
        )}
      </p>
      {limit.values ? (
        <Card title={valuesTitle(limit.scope)}>
          <ValueTable limit={limit} values={limit.values} />
        </Card>
      ) : (
        <LimitFigures limit={limit} />
      )}
      <BurnDown limit={limit} />
      <Card title="Recent refusals">
        <Refusals limit={limit} />
      </Card>
      <Card title="Settings">
        <LimitFacts limit={limit} />
      </Card>
    </>
  );
}

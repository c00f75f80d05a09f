import type { ReactNode } from 'react';
import type { EntryDetail } from '../../../../src/contract/usage.ts';
import { usePathParameter } from '../../shared/filter/use-path-text.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { useMay } from '../../shared/session/session.ts';
import { CallFacts, TimingFacts } from './call-facts.tsx';
import { CostFigures, PriceLines } from './call-cost.tsx';
import { TouchedLimits } from './touched-limits.tsx';
import { uncertaintyText } from './doubt-words.ts';
import { ResolveButton } from './resolve-button.tsx';
import { useCall } from './use-call.ts';

/** One call: what it cost and why, what it was, how long it took, and which limits it counted under. */
export function CallPage(): ReactNode {
  const callId = usePathParameter('callId');
  const call = useCall(callId);
  return (
    <Page title="One call" lead={<code>{callId}</code>}>
      <Loaded of={call} rows={12}>
        {(found) => <CallContent call={found} />}
      </Loaded>
    </Page>
  );
}

function CallContent({ call }: { readonly call: EntryDetail }): ReactNode {
  const mayChange = useMay('manage');
  return (
    <>
      {call.doubt !== null && (
        <Note kind="warn">
          <p>{uncertaintyText(call)}</p>
          {mayChange && call.uncertainUpTo !== undefined && <ResolveButton call={call} />}
        </Note>
      )}
      <CostFigures call={call} />
      <Card title="How the cost came about">
        <PriceLines call={call} />
      </Card>
      <div className="halves">
        <Card title="What it was">
          <CallFacts call={call} />
        </Card>
        <div className="stack">
          <Card title="How long it took">
            <TimingFacts call={call} />
          </Card>
          <Card title="Limits it counted under">
            <TouchedLimits limits={call.limits} />
          </Card>
        </div>
      </div>
    </>
  );
}

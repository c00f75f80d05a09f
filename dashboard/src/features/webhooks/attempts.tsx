import type { ReactNode } from 'react';
import type { DeliveryShape } from '../../../../src/contract/webhooks.ts';
import { formatDuration } from '../../shared/format/duration.ts';
import { Instant } from '../../shared/theme/instant.tsx';
import { More } from '../../shared/ui/more.tsx';
import { requestText } from './request-text.ts';

type DeliveryAttempt = DeliveryShape['attempts'][number];

export function Attempts({ attempts }: { readonly attempts: readonly DeliveryAttempt[] }): ReactNode {
  const last = attempts.at(-1);
  const tries = attempts.length === 1 ? 'One try' : `${attempts.length} tries`;
  const outcome = last?.status === null ? '' : `, last answered ${last?.status ?? ''}`;
  return (
    <More title={`${tries}${outcome}`}>
      {attempts.map((attempt) => (
        <AttemptView key={attempt.at} attempt={attempt} />
      ))}
    </More>
  );
}

function AttemptView({ attempt }: { readonly attempt: DeliveryAttempt }): ReactNode {
  const { at, ms, status, error, request, response } = attempt;
  return (
    <div>
      <p>
        <Instant at={at} />: {status === null ? 'no answer' : `status ${status}`} after {formatDuration(ms)}
      </p>
      {error !== null && <p className="soft">{error}</p>}
      <pre className="plain" tabIndex={0} role="group" aria-label="What was sent, and what came back">
        {requestText(request)}
        {response !== null && response !== '' && `\n\n${response}`}
      </pre>
    </div>
  );
}

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DeliveryShape } from '../../../../src/contract/webhooks.ts';
import { Ago, Instant } from '../../shared/theme/instant.tsx';
import { PageLink } from '../../shared/theme/page-link.tsx';
import { StateBadge } from '../../shared/theme/state-badge.tsx';
import { ErrorNote } from '../../shared/ui/trouble.tsx';
import { useMay } from '../../shared/session/session.ts';
import { useNow } from '../../shared/time/use-now.ts';
import { Attempts } from './attempts.tsx';
import styles from './delivery.module.css';
import { useReplayDelivery } from './use-replay-delivery.ts';

const NEXT_ATTEMPT_REFRESH_MS = 1_000;

const DELIVERY_KINDS: Readonly<Record<DeliveryShape['kind'], string>> = {
  alert: 'Alert',
  resolved: 'End of an alert',
  test: 'Test',
  digest: 'Weekly digest',
};

const DELIVERY_STATES = {
  waiting: ['yellow', 'waiting'],
  delivered: ['teal', 'delivered'],
  given_up: ['red', 'given up'],
} as const;

/** One message: how it stands, and every attempt to bring it there. */
export function Delivery({ delivery }: { readonly delivery: DeliveryShape }): ReactNode {
  const { kind, state, createdAt, nextAttemptAt, alertId, attempts } = delivery;
  const [color, name] = DELIVERY_STATES[state];
  return (
    <li className={styles.delivery}>
      <div className={styles.head}>
        <StateBadge color={color}>{name}</StateBadge>
        <span>
          {alertId === null ? (
            DELIVERY_KINDS[kind]
          ) : (
            <PageLink to={`/alerts/${alertId}`}>{DELIVERY_KINDS[kind]}</PageLink>
          )}
        </span>
        <span className="soft">
          <Instant at={createdAt} />
          {nextAttemptAt !== null && <NextAttempt at={nextAttemptAt} />}
        </span>
        <ReplayDeliveryButton delivery={delivery} />
      </div>
      {attempts.length > 0 && <Attempts attempts={attempts} />}
    </li>
  );
}

/** One that is due goes out within moments, after those before it. */
function NextAttempt({ at }: { readonly at: string }): ReactNode {
  const now = useNow(NEXT_ATTEMPT_REFRESH_MS);
  if (Date.parse(at) <= now) return ', due now';
  return (
    <>
      , next try <Ago at={at} />
    </>
  );
}

function ReplayDeliveryButton({ delivery }: { readonly delivery: DeliveryShape }): ReactNode {
  const mayChange = useMay('manage');
  const replay = useReplayDelivery(delivery.webhookId);
  if (!mayChange || delivery.state === 'waiting') return null;
  return (
    <>
      <Button
        className="row-end"
        size="compact-sm"
        variant="default"
        loading={replay.isPending}
        onClick={() => replay.mutate(delivery.id)}
      >
        Send again
      </Button>
      {replay.error && <ErrorNote error={replay.error} />}
    </>
  );
}

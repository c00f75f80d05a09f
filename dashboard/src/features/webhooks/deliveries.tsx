import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { readText } from '../../shared/filter/usage-filter.ts';
import { useAddress } from '../../shared/filter/use-address.ts';
import { Loaded } from '../../shared/ui/loaded.tsx';
import styles from './delivery.module.css';
import { Delivery } from './delivery.tsx';
import { useDeliveries } from './use-deliveries.ts';

export function Deliveries({ webhookId }: { readonly webhookId: string }): ReactNode {
  const { search, change } = useAddress((text) => ({ before: readText(text, 'before') }));
  const page = useDeliveries(webhookId, search.before);
  return (
    <Loaded of={page} rows={5}>
      {({ deliveries, next }) => (
        <>
          {deliveries.length === 0 ? (
            <p className="soft">Nothing was sent yet. Send a test to see it arrive.</p>
          ) : (
            <ul className={styles.list} aria-label="Deliveries">
              {deliveries.map((delivery) => (
                <Delivery key={delivery.id} delivery={delivery} />
              ))}
            </ul>
          )}
          {(next !== null || search.before !== undefined) && (
            <nav className="row" aria-label="Pages of deliveries">
              {search.before !== undefined && (
                <Button variant="default" onClick={() => change({ before: undefined })}>
                  Newest
                </Button>
              )}
              {next !== null && (
                <Button variant="default" onClick={() => change({ before: next })}>
                  Older
                </Button>
              )}
            </nav>
          )}
        </>
      )}
    </Loaded>
  );
}

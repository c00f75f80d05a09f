import type { ReactNode } from 'react';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { ButtonLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { LimitTable } from './limit-table.tsx';

/** All limits and how they stand. */
export function LimitsPage(): ReactNode {
  const limits = useLimits();
  const mayChange = useMay('manage');
  return (
    <Page
      title="Limits"
      lead="What may be spent, and what is left of it now."
      actions={mayChange && <ButtonLink to="/limits/new">Set a limit</ButtonLink>}
    >
      <Card>
        <Loaded of={limits} rows={6}>
          {({ limits: shown, next }) =>
            shown.length === 0 ? (
              <NoLimits mayChange={mayChange} />
            ) : (
              <>
                <LimitTable limits={shown} />
                {next !== null && (
                  <p className="soft">
                    These are the first {shown.length.toLocaleString('en')}; <code>tollbook limits list --json</code>{' '}
                    prints all.
                  </p>
                )}
              </>
            )
          }
        </Loaded>
      </Card>
    </Page>
  );
}

function NoLimits({ mayChange }: { readonly mayChange: boolean }): ReactNode {
  return (
    <EmptyState
      icon="limits"
      title="No limit yet"
      action={mayChange ? <ButtonLink to="/limits/new">Set a limit</ButtonLink> : undefined}
    >
      A limit caps dollars, calls or tokens: of everything, a key, a provider, models, a tag, or each user apart. A call
      that could pass one is refused before it is sent, so that the cap holds to the cent. It counts what its window has
      seen already.
      {!mayChange && ' Ask an admin to set one.'}
    </EmptyState>
  );
}

import type { ReactNode } from 'react';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { CoverageCard } from './coverage-card.tsx';
import { CustomPrices, SetPriceButton } from './custom-prices.tsx';
import { PriceList } from './price-list.tsx';

/** What a token costs, where that is known from, and what has no price yet. */
export function PricesPage(): ReactNode {
  const mayChange = useMay('manage');
  return (
    <Page
      title="Prices"
      lead="A model without a price is never counted as free: its calls are listed here until they have one."
      actions={mayChange && <SetPriceButton />}
    >
      <CoverageCard />
      <Card title="Your own prices">
        <CustomPrices />
      </Card>
      <PriceList />
    </Page>
  );
}

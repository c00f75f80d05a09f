import type { ReactNode } from 'react';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { CoverageCard } from './coverage-card.tsx';
import { CustomPrices, SetPriceButton } from './custom-prices.tsx';
import { PriceList } from './price-list.tsx';

/** Prices with their sources, and models without a price. */
export function PricesPage(): ReactNode {
  const mayChange = useMay('manage');
  return (
    <Page
      title="Prices"
      lead="Prices per model and their sources. Calls without a price have an unknown cost and are never counted as free."
      actions={mayChange && <SetPriceButton />}
    >
      <CoverageCard />
      <Card title="Custom prices">
        <CustomPrices />
      </Card>
      <PriceList />
    </Page>
  );
}

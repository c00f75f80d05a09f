import type { ReactNode } from 'react';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { AddContractButton, ContractPrices } from './contract-prices.tsx';
import { CoverageCard } from './coverage-card.tsx';
import { CustomPrices, SetPriceButton } from './custom-prices.tsx';
import { PriceUpdateCard } from './price-update.tsx';
import { PriceList } from './price-list.tsx';

/** Prices with their sources, and models without a price. */
export function PricesPage(): ReactNode {
  const mayChange = useMay('manage');
  return (
    <Page
      title="Prices"
      lead="Model prices and their sources. A call without a price has an unknown cost, not a cost of 0."
      actions={mayChange && <SetPriceButton />}
    >
      <PriceUpdateCard />
      <CoverageCard />
      <Card title="Custom prices">
        <CustomPrices />
      </Card>
      <Card title="Contract prices" aside={mayChange && <AddContractButton />}>
        <ContractPrices />
      </Card>
      <PriceList />
    </Page>
  );
}

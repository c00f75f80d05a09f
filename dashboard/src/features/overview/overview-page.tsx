import type { ReactNode } from 'react';
import { Page } from '../../shared/parts/page.tsx';

export function OverviewPage(): ReactNode {
  return <Page title="Overview">…</Page>;
}

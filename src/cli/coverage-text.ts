import type { CoverageShape } from '../contract/coverage.ts';
import type { TextLayout } from './cli.ts';
import { plainText, table } from './table.ts';
import { usdColumn } from '../domain/text/money.ts';
import { formatPercent } from '../domain/text/percent.ts';

type OrganizationCoverage = CoverageShape['organizations'][number];

/** Returns for example `83.0%`, or nothing without spend. */
export function shareText(share: number | null): string {
  return share === null ? '' : formatPercent(share);
}

export function coverageText({ organizations, step }: CoverageShape, { width }: TextLayout): string {
  if (organizations.length === 0)
    return `No admin keys yet, so spend outside the gateway is unknown:
  tollbook admin-keys add --provider anthropic --name main --key-stdin`;
  return organizations.map((one) => organizationText(one, step, width)).join('\n\n');
}

function organizationText(
  { name, provider, share, points }: OrganizationCoverage,
  step: CoverageShape['step'],
  width: number,
): string {
  const usd = usdColumn(
    points.flatMap(({ total, throughGateway, outsideGateway, unknown }) => [
      total,
      throughGateway,
      outsideGateway,
      unknown,
    ]),
  );
  const title = `${plainText(name)} (${provider})`;
  if (share === null) return `${title}: no final day with spend in this period.`;
  const rows = points.map((point) => [
    point.start,
    usd(point.total),
    usd(point.throughGateway),
    usd(point.outsideGateway),
    usd(point.unknown),
    shareText(point.share),
  ]);
  return `${title}: ${shareText(share)} of spend goes through the gateway.
At list price, final days only. As the provider charges: tollbook reconcile.

${table([step.toUpperCase(), 'SPEND', 'THROUGH', 'OUTSIDE', 'UNKNOWN', 'SHARE'], rows, width)}`;
}

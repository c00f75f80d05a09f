import type { CoverageShape } from '../contract/coverage.ts';
import type { TextLayout } from './cli.ts';
import { plainText, table } from './table.ts';
import { usdColumn } from './usd-text.ts';

type OrganizationCoverage = CoverageShape['organizations'][number];

/** `83.0 %`; nothing where there was no spend. */
export function shareText(share: number | null): string {
  return share === null ? '' : `${(share * 100).toFixed(1)} %`;
}

export function coverageText({ organizations, step }: CoverageShape, { width }: TextLayout): string {
  if (organizations.length === 0)
    return `There is no admin key yet, so that nothing is known of what does not pass the gate:
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
  if (share === null) return `${title}: no day with spend is closed yet in this time.`;
  const rows = points.map((point) => [
    point.start,
    usd(point.total),
    usd(point.throughGateway),
    usd(point.outsideGateway),
    usd(point.unknown),
    shareText(point.share),
  ]);
  return `${title}: ${shareText(share)} of the spend passes the gate.
At list price, of days that change no more. As the provider charges: tollbook reconcile.

${table([step.toUpperCase(), 'SPEND', 'PASSED', 'BESIDE', 'UNCLEAR', 'SHARE'], rows, width)}`;
}

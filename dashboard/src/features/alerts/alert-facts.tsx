import type { ReactNode } from 'react';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { Instant } from '../../shared/theme/instant.tsx';
import { useKeyNames } from '../../shared/names/use-key-names.ts';
import { Facts } from '../../shared/ui/facts.tsx';
import { ALERT_TYPE_NAMES } from '../../shared/names/alert-types.ts';
import { alertAmountText } from './alert-words.ts';

export function AlertFacts({ alert }: { readonly alert: AlertShape }): ReactNode {
  const { id, type, createdAt, resolvedAt, readAt, period, scope, value, threshold, evidence } = alert;
  const keyNames = useKeyNames();
  const { unit, baseline } = evidence;
  return (
    <Facts
      of={[
        ['Type', ALERT_TYPE_NAMES[type]],
        ['Seen', alertAmountText(unit, value)],
        ['Usual', alertAmountText(unit, typeof baseline === 'number' ? baseline : null)],
        ['Passed', alertAmountText(unit, threshold)],
        [
          'Time',
          period && (
            <span key="period">
              <Instant at={period.start} />
              {period.end !== null && (
                <>
                  {' to '}
                  <Instant at={period.end} />
                </>
              )}
            </span>
          ),
        ],
        ...Object.entries(scope).map(([name, of]) => [alertScopeName(name), keyNames.get(of) ?? of] as const),
        ['Raised', <Instant key="raised" at={createdAt} />],
        ['Over', resolvedAt === null ? null : <Instant key="over" at={resolvedAt} />],
        ['Read', readAt === null ? 'not yet' : <Instant key="read" at={readAt} />],
        ['Id', <code key="id">{id}</code>],
      ]}
    />
  );
}

const SCOPE_NAMES: Readonly<Record<string, string>> = {
  key: 'Key',
  model: 'Model',
  provider: 'Provider',
  limit: 'Limit',
  value: 'Value',
  webhook: 'Webhook',
  adminKey: 'Connection',
};

function alertScopeName(name: string): string {
  return SCOPE_NAMES[name] ?? name.replace(/^tag:/, 'Tag ');
}

import type { AlertShape } from '../../../../src/contract/usage.ts';
import { oneOf, type SearchText, textIn } from '../../shared/filter/usage-filter.ts';
import { ALERT_TYPES } from '../../shared/names/alert-types.ts';
import { SEVERITIES } from './alert-words.ts';

export interface AlertsAddress {
  readonly unreadOnly: boolean;
  readonly type: AlertShape['type'] | undefined;
  readonly severity: AlertShape['severity'] | undefined;
  /** Id of the last alert on the page before; undefined = the newest ones. */
  readonly before: string | undefined;
}

/** What stands in the address of this page. */
export function readAlerts(search: SearchText): AlertsAddress {
  return {
    unreadOnly: textIn(search, 'show') === 'unread',
    type: oneOf(ALERT_TYPES, textIn(search, 'type')),
    severity: oneOf(SEVERITIES, textIn(search, 'severity')),
    before: textIn(search, 'before'),
  };
}

import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { findChoice, type SearchParameters, readText } from '../../shared/filter/usage-filter.ts';
import { ALERT_TYPES } from '../../shared/names/display-names.ts';
import { SEVERITIES } from './alert-text.ts';

export interface AlertsAddress {
  readonly unreadOnly: boolean;
  readonly type: AlertShape['type'] | undefined;
  readonly severity: AlertShape['severity'] | undefined;
  /** ID of the last alert on the previous page; undefined = the newest alerts. */
  readonly before: string | undefined;
}

/** Reads the search parameters of the page. */
export function readAlertsAddress(search: SearchParameters): AlertsAddress {
  return {
    unreadOnly: readText(search, 'show') === 'unread',
    type: findChoice(ALERT_TYPES, readText(search, 'type')),
    severity: findChoice(SEVERITIES, readText(search, 'severity')),
    before: readText(search, 'before'),
  };
}

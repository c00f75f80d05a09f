import type { AlertSeverity } from '../../domain/alerts/alert.ts';
import { breakTags, cut } from './shown-text.ts';
import { dedupKey } from './dedup-key.ts';
import type { WebhookDestination, WebhookNotice, WebhookTarget } from './destination.ts';
import { httpAddress, invalid, jsonPost, judgeHttp } from './http.ts';
import { toPlainNotice } from './plain-notice.ts';

const ALERTS_PATH = '/v2/alerts';
const SOURCE = 'Tollbook';
const MESSAGE_MAX = 130;
const DESCRIPTION_MAX = 5_000;
const ENTITY_MAX = 512;
/** All details together may have 8,000 characters, and there are at most ten facts. */
const DETAIL_NAME_MAX = 100;
const DETAIL_VALUE_MAX = 500;

const PRIORITY: Readonly<Record<AlertSeverity, string>> = { critical: 'P1', warning: 'P3', info: 'P5' };

/**
 * Opsgenie's alert API in the US, the EU or Jira Service Management, for integrations of the type "API":
 * https://docs.opsgenie.com/docs/alert-api. The alias identifies the alert to close.
 */
export const opsgenie: WebhookDestination = {
  type: 'OPSGENIE',

  check(target) {
    alertsUrl(target);
    if (!/^[\x21-\x7e]+$/.test(target.secrets[0] ?? ''))
      throw invalid('secret', 'secret must be the API key of an Opsgenie integration of the type "API".');
  },

  message(notice, target) {
    const url = alertsUrl(target);
    const authorization = { authorization: `GenieKey ${target.secrets[0] ?? ''}` };
    if (notice.kind !== 'resolved') return jsonPost(url, buildAlert(notice), authorization);
    const close = `${url}/${encodeURIComponent(dedupKey(notice))}/close?identifierType=alias`;
    return jsonPost(close, { source: SOURCE, note: alertText(notice) }, authorization);
  },

  judge: judgeHttp,
};

function alertsUrl(target: WebhookTarget): string {
  const { origin, pathname } = httpAddress(target, 'Opsgenie');
  const path = pathname === '/' ? ALERTS_PATH : pathname.replace(/\/$/, '');
  if (!path.endsWith(ALERTS_PATH))
    throw invalid(
      'url',
      'url must be https://api.opsgenie.com/v2/alerts, https://api.eu.opsgenie.com/v2/alerts, or https://api.atlassian.com/jsm/ops/integration/v2/alerts.',
    );
  return origin + path;
}

function buildAlert(notice: WebhookNotice): unknown {
  const { title, facts, workspace } = toPlainNotice(notice);
  const details = facts.map(({ name, value }): [string, string] => [
    cut(name, DETAIL_NAME_MAX, breakTags),
    cut(value, DETAIL_VALUE_MAX, breakTags),
  ]);
  return {
    message: cut(title, MESSAGE_MAX, breakTags),
    alias: dedupKey(notice),
    description: alertText(notice),
    details: Object.fromEntries(details),
    entity: cut(workspace, ENTITY_MAX, breakTags),
    source: SOURCE,
    tags: [notice.type],
    priority: PRIORITY[notice.severity],
  };
}

function alertText(notice: WebhookNotice): string {
  return `${cut(toPlainNotice(notice).message, DESCRIPTION_MAX, breakTags)}\n\n${notice.link}`;
}

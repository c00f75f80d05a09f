import { cut } from './shown-text.ts';
import { dedupKey } from './dedup-key.ts';
import type { WebhookDestination, WebhookNotice, WebhookTarget } from './destination.ts';
import { httpAddress, invalid, jsonPost, judgeHttp } from './http.ts';
import { toPlainNotice } from './plain-notice.ts';

const ENQUEUE_PATH = '/v2/enqueue';
const SUMMARY_MAX = 1_024;
const TEXT_MAX = 255;
const MESSAGE_MAX = 5_000;
const KEY_PARAMETERS = ['routing_key', 'integration_key'] as const;
/** Loose form of an integration key: rejects only secrets that are clearly meant for something else. */
const KEY = /^(?!whsec_)[\w-]{1,255}$/;

interface PagerDutyEndpoint {
  /** Without the key. */
  readonly url: string;
  readonly routingKey: string;
}

/** PagerDuty's Events API v2 in the US, the EU or behind a relay. Its severities have the same names as ours. */
export const pagerduty: WebhookDestination = {
  type: 'PAGERDUTY',

  check(target) {
    const { routingKey } = parseEndpoint(target);
    if (routingKey === '')
      throw invalid(
        'secret',
        'The integration key is missing. Enter it as secret, as ?routing_key=KEY in url, or with a url of the form https://events.pagerduty.com/integration/KEY/enqueue.',
      );
    if (!KEY.test(routingKey))
      throw invalid(
        'secret',
        'secret must be the integration key of an "Events API v2" integration: 32 letters and digits.',
      );
  },

  message(notice, target) {
    const { url, routingKey } = parseEndpoint(target);
    const event = notice.kind === 'resolved' ? { event_action: 'resolve' } : trigger(notice);
    return jsonPost(url, { routing_key: routingKey, dedup_key: dedupKey(notice), ...event });
  },

  judge: judgeHttp,
};

/** Finds the key in the path (as PagerDuty shows it for vendor integrations), in the query, or in the secret. */
function parseEndpoint(target: WebhookTarget): PagerDutyEndpoint {
  const url = httpAddress(target, 'PagerDuty');
  const inPath = /^\/integration\/([^/]+)\/enqueue\/?$/.exec(url.pathname)?.[1];
  const inQuery = KEY_PARAMETERS.map((name) => url.searchParams.get(name)).find((key) => key !== null);
  for (const name of KEY_PARAMETERS) url.searchParams.delete(name);
  if (inPath !== undefined || url.pathname === '/') url.pathname = ENQUEUE_PATH;
  return { url: url.href, routingKey: inPath ?? inQuery ?? target.secrets[0] ?? '' };
}

function trigger(notice: WebhookNotice): object {
  const { title, message, facts, workspace, time } = toPlainNotice(notice);
  const details = facts.map(({ name, value }): [string, string] => [cut(name, TEXT_MAX), cut(value, TEXT_MAX)]);
  return {
    event_action: 'trigger',
    client: 'Tollbook',
    client_url: notice.link,
    links: [{ href: notice.link, text: 'Open in Tollbook' }],
    payload: {
      summary: cut(`${title}: ${message.replaceAll('\n', ' ')}`, SUMMARY_MAX),
      source: URL.parse(notice.link)?.hostname || 'tollbook',
      severity: notice.severity,
      timestamp: time,
      group: cut(workspace, TEXT_MAX),
      class: notice.type,
      custom_details: { ...Object.fromEntries(details), message: cut(message, MESSAGE_MAX) },
    },
  };
}

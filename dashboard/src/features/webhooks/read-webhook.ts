import type { RouteRequest } from '../../../../src/contract/routes.ts';
import { WEBHOOK_KINDS, type WebhookType } from '../../../../src/domain/alerts/webhook-kinds.ts';
import { splitList } from '../../shared/format/tags-text.ts';
import { ALERT_TYPES } from '../../shared/names/display-names.ts';
import type { FormFields } from '../../shared/ui/fields.ts';

export type NewWebhook = RouteRequest<'POST /api/mcp/webhooks'>['body'];

/** Reads the form of a new webhook. */
export function readWebhook(fields: FormFields, type: WebhookType): NewWebhook {
  const secret = fields('secret');
  return { ...readWebhookChange(fields, type), type, ...(secret !== '' && { secret }) };
}

/** Reads the fields that can be changed later. */
export function readWebhookChange(fields: FormFields, type: WebhookType): Omit<NewWebhook, 'type' | 'secret'> {
  return {
    name: fields('name'),
    url: writeWebhookUrl(fields('address'), type),
    events: ALERT_TYPES.filter((event) => fields(event) === 'yes'),
    ...(WEBHOOK_KINDS[type].takesDigest && { digest: fields('digest') === 'yes' ? 'weekly' : 'off' }),
  };
}

/** Turns typed mailboxes into a `mailto:` address. */
function writeWebhookUrl(address: string, type: WebhookType): string {
  if (!WEBHOOK_KINDS[type].isMail) return address;
  return `mailto:${splitList(address.replace(/^mailto:/, '')).join(',')}`;
}

/** Returns the address as shown in the form. */
export function readWebhookAddress(url: string, type: WebhookType): string {
  return WEBHOOK_KINDS[type].isMail ? url.replace(/^mailto:/, '').replaceAll(',', ', ') : url;
}

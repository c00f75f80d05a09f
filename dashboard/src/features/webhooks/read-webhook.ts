import { WEBHOOK_KINDS, type WebhookType } from '../../../../src/domain/alerts/webhook-kinds.ts';
import { splitList } from '../../shared/format/tags-text.ts';
import { ALERT_TYPES } from '../../shared/names/display-names.ts';
import type { FormFields } from '../../shared/ui/fields.ts';

/** What the form asks for, as the API takes it. */
export function readWebhook(fields: FormFields, type: WebhookType): Readonly<Record<string, unknown>> {
  const secret = fields('secret');
  return { ...readWebhookChange(fields, type), type, ...(secret !== '' && { secret }) };
}

/** The part that can be changed later. */
export function readWebhookChange(fields: FormFields, type: WebhookType): Readonly<Record<string, unknown>> {
  return {
    name: fields('name'),
    url: writeWebhookUrl(fields('address'), type),
    events: ALERT_TYPES.filter((event) => fields(event) === 'yes'),
    ...(WEBHOOK_KINDS[type].takesDigest && { digest: fields('digest') === 'yes' ? 'weekly' : 'off' }),
  };
}

/** Mailboxes are written as people write them. */
function writeWebhookUrl(address: string, type: WebhookType): string {
  if (!WEBHOOK_KINDS[type].isMail) return address;
  return `mailto:${splitList(address.replace(/^mailto:/, '')).join(',')}`;
}

/** As it stands in the form. */
export function readWebhookAddress(url: string, type: WebhookType): string {
  return WEBHOOK_KINDS[type].isMail ? url.replace(/^mailto:/, '').replaceAll(',', ', ') : url;
}

import { TollbookError } from '../../core/errors.ts';
import { parseName } from '../../core/name.ts';
import { parseEvents, parseWebhookType } from '../../core/webhook.ts';
import type { Webhook } from '../../storage/records/records.ts';
import type { Change, DeclaredWebhook } from '../contract-apply.ts';
import { checkWebhookUrl } from '../webhooks/check-webhook-url.ts';
import { compare, create, type Ground, type Step, within } from './step.ts';

/** One whose name is there already is left as it is; the plan says where it differs. */
export function planWebhooks(
  declared: readonly DeclaredWebhook[],
  existing: readonly Webhook[],
  { workspaceId }: Ground,
): Step[] {
  const names = new Set<string>();
  return declared.map((written, index) =>
    within(`webhooks.${index}`, () => {
      const name = parseName(written.name);
      if (names.has(name)) throw new TollbookError('invalid', `There are two webhooks called "${name}".`, 'name');
      names.add(name);
      const wanted = {
        url: checkWebhookUrl(written.url),
        type: parseWebhookType(written.type),
        events: parseEvents(written.events),
      };
      const there = existing.find((one) => one.name === name);
      if (there) {
        const { url, type, events } = there;
        return { change: { ...shown(compare('webhook', name, { url, type, events }, wanted)), action: 'leave' } };
      }
      const { secretEnv } = written;
      return {
        change: shown(create('webhook', name, wanted, {})),
        ...(secretEnv !== undefined && { needs: { variable: secretEnv, field: `webhooks.${index}.secretEnv` } }),
        run: async ({ caller, services, environment }) => {
          const secret = secretEnv === undefined ? null : (environment[secretEnv] ?? null);
          await services.records.webhooks.create({ workspaceId, name, ...wanted, secret }, caller.actor);
        },
      };
    }),
  );
}

/** What comes after the host may be a secret, and plans are printed in logs. */
function shown(change: Change): Change {
  const hostOf = (url: unknown): unknown => (typeof url === 'string' ? `https://${URL.parse(url)?.host}/…` : url);
  const fields = change.fields.map((one) =>
    one.field === 'url' ? { field: 'url', from: hostOf(one.from), to: hostOf(one.to) } : one,
  );
  return { ...change, fields };
}

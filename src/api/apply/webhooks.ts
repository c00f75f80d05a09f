import { TollbookError } from '../../domain/errors.ts';
import { parseName } from '../../domain/identity/name.ts';
import { type DigestSchedule, parseEvents, parseWebhookType } from '../../domain/alerts/webhook.ts';
import type { WebhookType } from '../../domain/alerts/webhook-kinds.ts';
import type { AlertType } from '../../domain/alerts/alert.ts';
import type { AppliedChange, DeclaredWebhook } from '../../contract/apply.ts';
import { checkDigest, checkMove, checkTarget, checkWritten } from '../webhooks.ts';
import { awaitWithin, compare, create, type ApplyContext, remove, type ApplyStep, within } from './apply-step.ts';
import type { Webhook } from '../../storage/records/webhooks.ts';

/** Placeholder for a secret from the environment, which is unknown while planning. */
const SECRET_TO_COME = '0'.repeat(32);

interface WantedWebhook {
  readonly url: string;
  readonly type: WebhookType;
  readonly events: readonly AlertType[];
  readonly digest: DigestSchedule;
}

/**
 * Plans the declared webhooks by name. The secret of an existing webhook is not changed, because plans don't know it.
 */
export async function planWebhooks(
  declared: readonly DeclaredWebhook[],
  existing: readonly Webhook[],
  { workspaceId, services, prune }: ApplyContext,
): Promise<ApplyStep[]> {
  const names = new Set<string>();
  const steps = declared.map((written, index) =>
    within(`webhooks.${index}`, () => {
      const there = existing.find((one) => one.name === written.name.trim());
      const name = there?.name ?? parseName(written.name);
      if (names.has(name))
        throw new TollbookError(
          'invalid',
          `Two webhooks have the name "${name}". Rename or remove one of them.`,
          'name',
        );
      names.add(name);
      const { url, digest } = written;
      const wanted = { url, type: parseWebhookType(written.type), events: parseEvents(written.events), digest };
      checkDigest(wanted.type, digest);
      return there
        ? changeWebhookStep(there, wanted)
        : createWebhookStep(name, wanted, written.secretEnv, workspaceId, index);
    }),
  );
  await Promise.all(
    declared.map(async (written, index) => {
      const there = existing.find(({ name }) => name === written.name.trim());
      if (there?.url === written.url) return;
      const secrets = there
        ? (await services.records.webhooks.target(workspaceId, there.id)).secrets
        : [SECRET_TO_COME].slice(written.secretEnv === undefined ? 1 : 0);
      const target = { url: written.url, secrets };
      await awaitWithin(`webhooks.${index}`, checkTarget(services, parseWebhookType(written.type), target));
    }),
  );
  const gone = prune ? existing.filter(({ name }) => !names.has(name)) : [];
  return [...steps, ...gone.map(removeWebhookStep)];
}

function createWebhookStep(
  name: string,
  wanted: WantedWebhook,
  secretEnv: string | undefined,
  workspaceId: string,
  index: number,
): ApplyStep {
  const field = `webhooks.${index}.secretEnv`;
  return {
    change: shown(create('webhook', name, { ...wanted }, { digest: 'off' })),
    ...(secretEnv !== undefined && {
      needs: { variable: secretEnv, field },
      checkValue: (secret) => checkWritten(wanted.type, { url: wanted.url, secrets: [secret] }),
    }),
    run: async ({ caller, services, environment }) => {
      const secret = secretEnv === undefined ? null : (environment[secretEnv] ?? null);
      await checkTarget(services, wanted.type, { url: wanted.url, secrets: secret === null ? [] : [secret] });
      await services.records.webhooks.create({ workspaceId, name, ...wanted, secret }, caller.actor);
    },
  };
}

function changeWebhookStep(there: Webhook, { type, ...wanted }: WantedWebhook): ApplyStep {
  if (type !== there.type)
    throw new TollbookError(
      'unprocessable',
      `The webhook "${there.name}" has the type ${there.type}, which can't change. Give the new one another name.`,
      'type',
    );
  checkMove(there, wanted.url);
  const { url, events, digest } = there;
  return {
    change: shown(compare('webhook', there.name, { url, events, digest }, wanted)),
    run: async ({ caller: { workspaceId, actor }, services }) => {
      const { secrets } = await services.records.webhooks.target(workspaceId, there.id);
      if (wanted.url !== url) await checkTarget(services, type, { url: wanted.url, secrets });
      await services.records.webhooks.update(workspaceId, there.id, wanted, actor);
    },
  };
}

function removeWebhookStep({ id, name }: Webhook): ApplyStep {
  return {
    change: remove('webhook', name),
    run: async ({ caller: { workspaceId, actor }, services }) =>
      services.records.webhooks.remove(workspaceId, id, actor),
  };
}

/** Hides the path of a webhook's address in a change: it may be a secret, and plans are printed in logs. */
function shown(change: AppliedChange): AppliedChange {
  const fields = change.fields.map((one) =>
    one.field === 'url' ? { field: 'url', from: webhookHost(one.from), to: webhookHost(one.to) } : one,
  );
  return { ...change, fields };
}

function webhookHost(url: unknown): unknown {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  if (!parsed) return url;
  return parsed.host === '' ? `${parsed.protocol}…` : `${parsed.protocol}//${parsed.host}/…`;
}

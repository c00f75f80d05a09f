import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { WEBHOOK_KINDS, type WebhookType } from '../../../../src/domain/alerts/webhook-kinds.ts';
import { ALERT_TYPES, type AlertType, ALERT_TYPE_NAMES } from '../../shared/names/display-names.ts';
import { readWebhookAddress } from './read-webhook.ts';
import { PasswordField, TextField } from '../../shared/ui/form-inputs.tsx';

interface WebhookFieldsProps {
  readonly type: WebhookType;
  /** null = a new one. */
  readonly webhook: WebhookDetailsShape | null;
}

/** Fields of a webhook; each type has the fields of its receiver. */
export function WebhookFields({ type, webhook }: WebhookFieldsProps): ReactNode {
  const { address, key, takesDigest } = WEBHOOK_KINDS[type];
  return (
    <>
      <TextField
        name="address"
        label={address.label}
        description={address.help}
        placeholder={readWebhookAddress(address.example, type)}
        defaultValue={webhook ? readWebhookAddress(webhook.url, type) : address.usual}
        spellCheck={false}
        autoComplete="off"
        required
      />
      {key && !webhook && (
        <PasswordField
          name="secret"
          label={key.label}
          description={key.help}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': 'Show key' }}
          required
        />
      )}
      <TextField name="name" label="Name" defaultValue={webhook?.name} required />
      <EventFields chosen={webhook?.events ?? USUAL_EVENTS} />
      {takesDigest && (
        <Checkbox
          name="digest"
          value="yes"
          defaultChecked={webhook?.digest === 'weekly'}
          label="Weekly digest, every Monday morning"
        />
      )}
    </>
  );
}

const USUAL_EVENTS: readonly AlertType[] = [
  'BUDGET_EXCEEDED',
  'BUDGET_WARNING',
  'COST_SPIKE',
  'UNUSUAL_ACTIVITY',
  'ERROR_SPIKE',
  'UNPRICED_MODEL',
  'OVERRUN',
  'JOURNAL_PROBLEM',
  'LEDGER_PROBLEM',
];

function EventFields({ chosen }: { readonly chosen: readonly AlertType[] }): ReactNode {
  return (
    <fieldset className="plain stack">
      <legend>Events</legend>
      <div className="checks">
        {ALERT_TYPES.map((event) => (
          <Checkbox
            key={event}
            name={event}
            value="yes"
            label={ALERT_TYPE_NAMES[event]}
            defaultChecked={chosen.includes(event)}
          />
        ))}
      </div>
    </fieldset>
  );
}

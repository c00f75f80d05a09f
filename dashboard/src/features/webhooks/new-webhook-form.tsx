import { Button, Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ButtonLink } from '../../shared/theme/button-link.tsx';
import { ChoiceCards } from '../../shared/ui/choice-cards.tsx';
import { useFields } from '../../shared/ui/fields.ts';
import { ErrorNote } from '../../shared/ui/trouble.tsx';
import { readWebhook } from './read-webhook.ts';
import { type NewWebhookResult, useCreateWebhook } from './use-create-webhook.ts';
import { WebhookFields } from './webhook-fields.tsx';
import { WEBHOOK_KINDS, WEBHOOK_TYPES, type WebhookType } from '../../../../src/domain/alerts/webhook-kinds.ts';

export function NewWebhookForm({ onMade }: { readonly onMade: (made: NewWebhookResult) => void }): ReactNode {
  const [type, setType] = useState<WebhookType>('SLACK');
  const create = useCreateWebhook();
  const submit = useFields((fields) =>
    create.mutate({ body: readWebhook(fields, type), sign: fields('sign') === 'yes' }, { onSuccess: onMade }),
  );
  return (
    <form className="stack form" onSubmit={submit}>
      <ChoiceCards
        legend="Kind"
        choices={WEBHOOK_TYPES.map((value) => ({
          value,
          name: WEBHOOK_KINDS[value].name,
          note: WEBHOOK_KINDS[value].note,
        }))}
        value={type}
        onChange={setType}
      />
      {/* Another kind has other fields: what stood in them is not meant for it. */}
      <WebhookFields key={type} type={type} webhook={null} />
      {WEBHOOK_KINDS[type].signs && (
        <Checkbox
          name="sign"
          value="yes"
          defaultChecked
          label="Make a secret, and sign what is sent"
          description="It is shown once, after this. With it your program knows that a message is from here."
        />
      )}
      {create.error && <ErrorNote error={create.error} />}
      <div className="row">
        <Button type="submit" loading={create.isPending}>
          Add webhook
        </Button>
        <ButtonLink to="/webhooks" variant="default">
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
}

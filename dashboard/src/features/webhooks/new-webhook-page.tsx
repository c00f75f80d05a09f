import { Button, Checkbox } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { WEBHOOK_KINDS, WEBHOOK_TYPES, type WebhookType } from '../../../../src/domain/alerts/webhook-kinds.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { ChoiceCards } from '../../shared/ui/choice-cards.tsx';
import { Form, FormError } from '../../shared/ui/form.tsx';
import { ButtonLink } from '../../shared/ui/links.tsx';
import { Note } from '../../shared/ui/note.tsx';
import { Page } from '../../shared/ui/page.tsx';
import { type NewWebhookResult, useCreateWebhook } from './queries.ts';
import { readWebhook } from './read-webhook.ts';
import { NewSecretNote } from './webhook-dialogs.tsx';
import { WebhookFields } from './webhook-fields.tsx';

/** Adds a webhook, then shows its new secret. */
export function NewWebhookPage(): ReactNode {
  const navigate = useNavigate();
  const mayChange = useMay('manage');
  const [made, setMade] = useState<NewWebhookResult | null>(null);
  if (made) return <WebhookCreated made={made} />;
  const done = (webhook: NewWebhookResult): void => {
    if (webhook.secret === null && webhook.secretProblem === null) void navigate({ to: `/webhooks/${webhook.id}` });
    else setMade(webhook);
  };
  return (
    <Page title="Add webhook" lead="New alerts will be sent here.">
      {mayChange ? (
        <Card>
          <NewWebhookForm onMade={done} />
        </Card>
      ) : (
        <Note kind="info">Only admins can add webhooks.</Note>
      )}
    </Page>
  );
}

function WebhookCreated({ made }: { readonly made: NewWebhookResult }): ReactNode {
  const { id, name, secret, secretProblem } = made;
  return (
    <Page title={`Webhook “${isolated(name)}” added`} lead="New alerts will be sent here.">
      {secretProblem !== null && (
        <Note kind="bad">The webhook was added without a secret, so requests are not signed: {secretProblem}</Note>
      )}
      {secret !== null && (
        <Card title="Copy the secret now">
          <NewSecretNote secret={secret} />
        </Card>
      )}
      <div className="row">
        <ButtonLink to={`/webhooks/${id}`}>View webhook</ButtonLink>
      </div>
    </Page>
  );
}

function NewWebhookForm({ onMade }: { readonly onMade: (made: NewWebhookResult) => void }): ReactNode {
  const [type, setType] = useState<WebhookType>('SLACK');
  const create = useCreateWebhook();
  return (
    <Form
      className="stack form"
      error={create.error}
      onSubmit={(fields) =>
        create.mutate({ body: readWebhook(fields, type), sign: fields('sign') === 'yes' }, { onSuccess: onMade })
      }
    >
      <ChoiceCards
        legend="Type"
        choices={WEBHOOK_TYPES.map((value) => ({
          value,
          name: WEBHOOK_KINDS[value].name,
          note: WEBHOOK_KINDS[value].note,
        }))}
        value={type}
        onChange={setType}
      />
      {/* Reset the fields for another type. */}
      <WebhookFields key={type} type={type} webhook={null} />
      {WEBHOOK_KINDS[type].signs && (
        <Checkbox
          name="sign"
          value="yes"
          defaultChecked
          label="Sign requests with a new secret"
          description="The secret is shown once after this step. Your program verifies requests with it."
        />
      )}
      <FormError />
      <div className="row">
        <Button type="submit" loading={create.isPending}>
          Add webhook
        </Button>
        <ButtonLink to="/webhooks" variant="default">
          Cancel
        </ButtonLink>
      </div>
    </Form>
  );
}

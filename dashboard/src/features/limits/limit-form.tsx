import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { LimitShape } from '../../../../src/contract/limits.ts';
import { ApiError } from '../../shared/api/api-error.ts';
import { limitName, limitSentence } from '../../shared/limits/limit-text.ts';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { ChoiceCards } from '../../shared/ui/choice-cards.tsx';
import { Form, FormError } from '../../shared/ui/form.tsx';
import { ButtonLink, PageLink } from '../../shared/ui/links.tsx';
import { More } from '../../shared/ui/more.tsx';
import { ErrorNote, Note } from '../../shared/ui/note.tsx';
import { toDescribedLimit, type DraftProps, type LimitDraft, findTwin, uncertainRuleText } from './limit-draft.ts';
import { AmountFields, ScopeFields } from './limit-fields.tsx';
import { LimitNeeds } from './limit-needs.tsx';
import { useSaveLimit } from './queries.ts';
import { CheckboxField, SelectField, TextField } from '../../shared/ui/form-inputs.tsx';

interface LimitFormProps {
  readonly first: LimitDraft;
  /** The edited limit; null = a new one. */
  readonly of: LimitShape | null;
  readonly onSaved: (limit: LimitShape) => void;
}

const ACTIONS = [
  { value: 'block', name: 'Block', note: 'shortens or refuses calls that would exceed it' },
  { value: 'warn', name: 'Warn', note: 'raises alerts only' },
] as const;

export function LimitForm({ first, of, onSaved }: LimitFormProps): ReactNode {
  const [draft, setDraft] = useState(first);
  // Keep the values from when the form opened: the page refreshes.
  const [before] = useState(of);
  const change = (part: Partial<LimitDraft>): void => setDraft({ ...draft, ...part });
  const save = useSaveLimit(before);
  return (
    <Form className="stack form" error={save.error} onSubmit={() => save.mutate(draft, { onSuccess: onSaved })}>
      <ScopeFields draft={draft} onChange={change} />
      <AmountFields draft={draft} onChange={change} />
      <LimitNeeds draft={draft} />
      <ChoiceCards
        legend="When the limit is reached"
        choices={ACTIONS}
        value={draft.action}
        onChange={(action) => change({ action })}
      />
      {draft.action === 'warn' && (
        <CheckboxField
          name="countsObserved"
          label="Count observed calls"
          description="Calls that telemetry and usage events report, and that don’t go through the gateway"
          checked={draft.countsObserved}
          onChange={({ currentTarget }) => change({ countsObserved: currentTarget.checked })}
        />
      )}
      <AdvancedFields draft={draft} onChange={change} />
      <LimitPreview draft={draft} />
      <FormError>{(error) => <SaveLimitError error={error} draft={save.variables ?? draft} />}</FormError>
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          {before ? 'Save changes' : 'Create limit'}
        </Button>
        <ButtonLink to={before ? `/limits/${before.id}` : '/limits'} variant="default">
          Cancel
        </ButtonLink>
      </div>
    </Form>
  );
}

/** Reason why the limit was not saved, with a link if the same limit already exists. */
function SaveLimitError({ error, draft }: { readonly error: unknown; readonly draft: LimitDraft }): ReactNode {
  const { data } = useLimits();
  const keyNames = useKeyNames();
  const isTwin = error instanceof ApiError && error.status === 409 && error.param === 'scope';
  const twin = isTwin && findTwin(draft, data?.limits ?? []);
  if (!twin) return <ErrorNote error={error} />;
  return (
    <Note kind="bad">
      <p>
        This limit already exists:{' '}
        <PageLink to={`/limits/${twin.id}`}>{limitName(twin, (id) => keyNames.get(id) ?? id)}</PageLink>. Edit it
        instead.
      </p>
    </Note>
  );
}

/** Describes the effect of the limit while it is edited. */
function LimitPreview({ draft }: Pick<DraftProps, 'draft'>): ReactNode {
  const { timeZone } = useWorkspace();
  const keyNames = useKeyNames();
  const limit = toDescribedLimit(draft);
  return (
    <div className="stack" aria-live="polite">
      {limit && <Note kind="info">{limitSentence(limit, (id) => keyNames.get(id) ?? id, timeZone)}</Note>}
      {limit && (draft.kind === 'tag' || draft.kind === 'each_tag') && draft.action === 'block' && (
        <p className="soft">
          Clients can avoid this limit with another tag value. To prevent this, set the tag on the wrapped key, or
          require fixed values in its policy.
        </p>
      )}
    </div>
  );
}

const UNCERTAIN_CHOICES = ['keep', 'release-after 1h', 'release-after 1d'];

function AdvancedFields({ draft, onChange }: DraftProps): ReactNode {
  const { label, thresholds, uncertainRule } = draft;
  return (
    <More title="Advanced">
      <TextField
        name="label"
        label="Name"
        description="Optional"
        value={label}
        onChange={({ currentTarget }) => onChange({ label: currentTarget.value })}
      />
      <TextField
        name="thresholds"
        label="Alert at"
        description="Percent of the limit. You are always alerted at 100%."
        value={thresholds}
        onChange={({ currentTarget }) => onChange({ thresholds: currentTarget.value })}
      />
      <SelectField
        name="uncertainRule"
        label="Uncertain calls"
        description="After a crash or a lost connection, a call counts with its maximum cost"
        value={uncertainRule}
        onChange={({ currentTarget }) => onChange({ uncertainRule: currentTarget.value })}
        data={[...new Set([...UNCERTAIN_CHOICES, uncertainRule])].map((rule) => ({
          value: rule,
          label: uncertainRuleText(rule),
        }))}
      />
    </More>
  );
}

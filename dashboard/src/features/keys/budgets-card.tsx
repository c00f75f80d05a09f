import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { WrappedKeyShape } from '../../../../src/contract/keys.ts';
import { isolated } from '../../shared/format/isolated.ts';
import { useLimits } from '../../shared/limits/use-limits.ts';
import { useMay } from '../../shared/session/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { FormDialog } from '../../shared/ui/dialog.tsx';
import { Facts } from '../../shared/ui/facts.tsx';
import { PageLink } from '../../shared/ui/links.tsx';
import { Loaded } from '../../shared/ui/loaded.tsx';
import { Money } from '../../shared/ui/values.tsx';
import { budgetText, BUDGETS, findBudgets, type KeyBudgets, readBudgetChanges } from './key-budgets.ts';
import { useSetBudgets } from './queries.ts';
import { TextField } from '../../shared/ui/form-inputs.tsx';
import { FactsPlaceholder } from '../../shared/ui/placeholders.tsx';

interface BudgetsCardProps {
  readonly of: WrappedKeyShape;
}

/** Budgets of each session, agent and run of a key. */
export function BudgetsCard({ of }: BudgetsCardProps): ReactNode {
  const limits = useLimits();
  const mayChange = useMay('manage') && of.revokedAt === null;
  const [editing, setEditing] = useState(false);
  const budgets = findBudgets(limits.data?.limits ?? [], of.id);
  return (
    <Card
      title="Budgets"
      aside={
        mayChange && (
          <Button size="xs" variant="default" onClick={() => setEditing(true)} disabled={!limits.data}>
            Edit budgets
          </Button>
        )
      }
    >
      <Loaded of={limits} placeholder={<FactsPlaceholder rows={3} />}>
        {() => <BudgetFacts budgets={budgets} />}
      </Loaded>
      {editing && <BudgetsDialog of={of} budgets={budgets} onClose={() => setEditing(false)} />}
    </Card>
  );
}

function BudgetFacts({ budgets }: BudgetFieldsProps): ReactNode {
  const facts = BUDGETS.map(({ part, label }) => {
    const limit = budgets[part];
    const fact = limit ? (
      <PageLink key={part} to={`/limits/${limit.id}`}>
        <Money usd={limit.amount} />
      </PageLink>
    ) : (
      'None'
    );
    return [label, fact] as const;
  });
  return <Facts of={facts} />;
}

interface BudgetsDialogProps extends BudgetsCardProps {
  readonly budgets: KeyBudgets;
  readonly onClose: () => void;
}

function BudgetsDialog({ of, budgets: shown, onClose }: BudgetsDialogProps): ReactNode {
  // Keep the values from when the dialog opened: the page behind it refreshes.
  const [budgets] = useState(shown);
  const set = useSetBudgets(of.id, budgets);
  return (
    <FormDialog
      title={`Budgets of ${isolated(of.name)}`}
      actionLabel="Save budgets"
      busy={set.isPending}
      error={set.error}
      onClose={onClose}
      onSubmit={(fields) => set.mutate(readBudgetChanges(fields, budgets), { onSuccess: onClose })}
    >
      <BudgetFields budgets={budgets} />
    </FormDialog>
  );
}

interface BudgetFieldsProps {
  readonly budgets: KeyBudgets;
}

/** Fields for the budgets of a key; an empty one is no budget. */
export function BudgetFields({ budgets }: BudgetFieldsProps): ReactNode {
  return (
    <>
      <p className="soft">The most that each session, agent or run of this key may cost. Leave empty for no budget.</p>
      <div className="row row-fields">
        {BUDGETS.map(({ part, field, label }) => (
          <TextField
            key={part}
            name={field}
            label={label}
            inputMode="decimal"
            leftSection="$"
            w="9rem"
            defaultValue={budgetText(budgets[part])}
          />
        ))}
      </div>
    </>
  );
}

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ProviderTest } from '../../../../src/contract/providers.ts';
import { countNoun } from '../../../../src/domain/text/counts.ts';
import { exactDollars } from '../../../../src/domain/text/money.ts';
import { isolated } from '../format/isolated.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Facts } from '../ui/facts.tsx';
import { Form, FormError } from '../ui/form.tsx';
import { TextField } from '../ui/form-inputs.tsx';
import { PageLink } from '../ui/links.tsx';
import { Note } from '../ui/note.tsx';
import { useTestProvider } from './queries.ts';

interface TestCallProps {
  readonly provider: { readonly id: string; readonly name: string };
  /** Wrapped key of the call; absent = the newest one for the provider. */
  readonly keyId?: string | undefined;
  readonly onClose: () => void;
}

/** Sends one small call to a provider, and shows what came back. */
export function TestCallDialog({ provider, keyId, onClose }: TestCallProps): ReactNode {
  const test = useTestProvider(provider.id);
  return (
    <Dialog title={`Test ${isolated(provider.name)}`} onClose={onClose}>
      <Form error={test.error} onSubmit={(fields) => test.mutate({ model: fields('model').trim(), keyId })}>
        <p className="soft">
          One small call with {keyId === undefined ? 'the newest wrapped key of this provider' : 'this key'}. Policy and
          limits apply. It is recorded, and costs what it costs.
        </p>
        <TextField name="model" label="Model" description="A model that the provider serves" required />
        <FormError />
        {test.data && <TestResult test={test.data} />}
        <div className="row">
          <Button type="submit" loading={test.isPending}>
            Send test call
          </Button>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function TestResult({ test }: { readonly test: ProviderTest }): ReactNode {
  const { problem, reached, status, callId } = test;
  return (
    <div className="stack" role="status">
      {problem === null ? (
        <Note kind="info">The provider answered with status {status}.</Note>
      ) : (
        <Note kind="bad">
          {reached && `The provider answered with status ${status}: `}
          {isolated(problem)}
        </Note>
      )}
      {problem === null && <Facts of={listFacts(test)} />}
      {callId !== null && <PageLink to={`/calls/${callId}`}>View call</PageLink>}
    </div>
  );
}

function listFacts({ model, inputTokens, outputTokens, cost, requestId }: ProviderTest) {
  const hasUsage = inputTokens !== null && outputTokens !== null;
  const usage = hasUsage
    ? `${countNoun(inputTokens, 'input token')}, ${countNoun(outputTokens, 'output token')}`
    : 'Not in the answer';
  return [
    ['Model', model ?? 'Not in the answer'],
    ['Usage', usage],
    ['Cost', cost === null ? <UnknownCost key="cost" hasUsage={hasUsage} /> : exactDollars(cost)],
    ['Request ID', requestId ?? 'Not in the answer'],
  ] as const;
}

function UnknownCost({ hasUsage }: { readonly hasUsage: boolean }): ReactNode {
  if (!hasUsage) return 'Unknown, because the answer states no usage';
  return (
    <>
      Unknown: no price. <PageLink to="/prices">Set a price</PageLink>
    </>
  );
}

import type { UseMutationResult } from '@tanstack/react-query';
import type { RepricePreview } from '../../../../src/contract/prices.ts';

interface ConfirmedReprice<New> {
  readonly preview: UseMutationResult<RepricePreview, Error, New>;
  /** Sets the price or contract. */
  readonly set: (wanted: New) => void;
}

/**
 * Shows what a form changes about recorded calls before it is sent. The first click reads it, and sets the price if no
 * call has another cost; a second click on the same input sets it.
 */
export function useConfirmedReprice<New>({ preview, set }: ConfirmedReprice<New>): {
  readonly shown: RepricePreview | undefined;
  readonly submit: (wanted: New) => void;
} {
  const { data, variables, mutate } = preview;
  return {
    shown: data !== undefined && data.calls > 0 ? data : undefined,
    submit(wanted) {
      if (data !== undefined && JSON.stringify(variables) === JSON.stringify(wanted)) set(wanted);
      else mutate(wanted, { onSuccess: ({ calls }) => calls === 0 && set(wanted) });
    },
  };
}

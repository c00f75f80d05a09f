import { useRef } from 'react';
import type { UseMutationResult } from '@tanstack/react-query';
import type { RepricePreview } from '../../../../src/contract/prices.ts';

/** Time that is too short to read what is shown. */
const DOUBLE_CLICK_MS = 500;

interface ConfirmedReprice<New> {
  readonly preview: UseMutationResult<RepricePreview, Error, New>;
  /** Sets the price or contract. */
  readonly set: (wanted: New) => void;
}

/**
 * Shows what a form changes about recorded calls before it is sent. The first click reads it, and sets the price if no
 * call has another cost; a second click on the same input sets it, unless it is the other half of a double click.
 */
export function useConfirmedReprice<New>({ preview, set }: ConfirmedReprice<New>): {
  readonly shown: RepricePreview | undefined;
  readonly submit: (wanted: New) => void;
} {
  const { data, variables, mutate } = preview;
  const readAt = useRef(0);
  const isHarmless = ({ calls, isComplete, missingClasses }: RepricePreview): boolean =>
    calls === 0 && isComplete && missingClasses.length === 0;
  return {
    shown: data !== undefined && !isHarmless(data) ? data : undefined,
    submit(wanted) {
      if (data !== undefined && JSON.stringify(variables) === JSON.stringify(wanted)) {
        if (Date.now() - readAt.current > DOUBLE_CLICK_MS) set(wanted);
        return;
      }
      mutate(wanted, {
        onSuccess(found) {
          readAt.current = Date.now();
          if (isHarmless(found)) set(wanted);
        },
      });
    },
  };
}

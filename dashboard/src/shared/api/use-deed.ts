import { hashKey, useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';
import { useCallback, useLayoutEffect, useRef } from 'react';

/**
 * What a person asks for by a button or by Enter. Until its end is shown, the same is not begun again: a second press
 * comes sooner than the page can disable its button, and would make two of what is made, the first one's secret unseen.
 */
export function useSingleFlightMutation<Input, Answer = unknown>(
  options: UseMutationOptions<Answer, Error, Input>,
): UseMutationResult<Answer, Error, Input> {
  const mutation = useMutation(options);
  const { isPending, mutate } = mutation;
  const begun = useRef<string | null>(null);
  // After every rendering: what ends before it was ever shown as under way has ended too.
  useLayoutEffect(() => {
    if (!isPending) begun.current = null;
  });
  const begin = useCallback<typeof mutate>(
    (...args) => {
      const asked = hashKey([args[0]]);
      if (begun.current === asked) return;
      begun.current = asked;
      mutate(...args);
    },
    [mutate],
  );
  return { ...mutation, mutate: begin };
}

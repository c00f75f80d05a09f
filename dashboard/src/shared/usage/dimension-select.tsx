import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { DIMENSION_NAMES, DIMENSIONS, readTagKey } from './dimensions.ts';
import { useTagKeys } from './queries.ts';

interface DimensionSelectProps {
  readonly dimension: string;
  readonly onChange: (dimension: string) => void;
}

interface SecondDimensionSelectProps {
  /** The first dimension, which can't be the second as well. */
  readonly first: string;
  readonly second: string | undefined;
  readonly onChange: (dimension: string | undefined) => void;
}

/** Selects a second dimension, or none. */
export function SecondDimensionSelect({ first, second, onChange }: SecondDimensionSelectProps): ReactNode {
  return (
    <NativeSelect
      aria-label="Second group"
      value={second ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
      data={[
        { value: '', label: 'Second group' },
        ...DIMENSIONS.filter((each) => each !== first).map((each) => ({
          value: each,
          label: `and ${DIMENSION_NAMES[each].toLowerCase()}`,
        })),
      ]}
    />
  );
}

/** Selects a dimension: a field of every call, or one of the existing tags. */
export function DimensionSelect({ dimension, onChange }: DimensionSelectProps): ReactNode {
  const tagKeys = new Set([...useTagKeys(), ...[readTagKey(dimension) ?? []].flat()]);
  return (
    <NativeSelect
      aria-label="Group by"
      value={dimension}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        ...DIMENSIONS.map((each) => ({ value: each, label: `By ${DIMENSION_NAMES[each].toLowerCase()}` })),
        ...[...tagKeys].map((key) => ({ value: `tag:${key}`, label: `By tag ${key}` })),
      ]}
    />
  );
}

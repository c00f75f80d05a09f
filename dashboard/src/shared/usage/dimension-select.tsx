import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { DIMENSION_NAMES, DIMENSIONS, readTagKey } from './dimensions.ts';
import { useTagKeys } from './queries.ts';

interface DimensionSelectProps {
  readonly dimension: string;
  readonly onChange: (dimension: string) => void;
}

/** What usage is told apart by: what every call has, and the tags that there are. */
export function DimensionSelect({ dimension, onChange }: DimensionSelectProps): ReactNode {
  const tagKeys = new Set([...useTagKeys(), ...[readTagKey(dimension) ?? []].flat()]);
  return (
    <NativeSelect
      aria-label="Group by"
      value={dimension}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        ...DIMENSIONS.map((each) => ({ value: each, label: `by ${DIMENSION_NAMES[each].toLowerCase()}` })),
        ...[...tagKeys].map((key) => ({ value: `tag:${key}`, label: `by tag ${key}` })),
      ]}
    />
  );
}

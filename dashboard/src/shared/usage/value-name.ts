import { OTHER_VALUES } from '../chart/stack.ts';
import { sourceName } from '../names/source-names.ts';
import { readTagKey } from './dimensions.ts';

/** A value of a dimension as people know it. */
export function valueName(dimension: string, value: string | null, keyNames: ReadonlyMap<string, string>): string {
  if (value === null) return noValueName(dimension);
  if (value === OTHER_VALUES) return 'all others';
  if (dimension === 'key') return keyNames.get(value) ?? value;
  if (dimension === 'source') return sourceName(value);
  if (dimension === 'status' && value === '0') return 'no answer';
  return value;
}

/** Usage of reports and sessions passes no key and carries no tag. */
function noValueName(dimension: string): string {
  if (readTagKey(dimension) !== null) return 'without the tag';
  return dimension === 'key' ? 'without a key' : 'not known';
}

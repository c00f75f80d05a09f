import { NO_VALUE, type AssistantDimension } from '../../../../src/contract/assistants.ts';
import { shortSession } from '../../../../src/domain/text/limits.ts';
import { OTHER_VALUES } from '../../shared/chart/stack.ts';
import { assistantName } from '../../shared/names/display-names.ts';

/** Display names of the properties by which usage is grouped. */
export const DIMENSION_TITLES: Readonly<Record<AssistantDimension, string>> = {
  assistant: 'Assistant',
  person: 'Person',
  credential: 'Token or key',
  project: 'Project',
  model: 'Model',
};

/** Returns the display name of a value. Projects are hashes, which are shortened. */
export function describeAssistantValue(by: AssistantDimension, value: string | null, name: string | null): string {
  if (value === null || value === NO_VALUE) return by === 'model' ? 'Unknown' : 'Not attributed';
  if (value === OTHER_VALUES) return 'All others';
  if (by === 'assistant') return assistantName(value);
  if (by === 'project') return shortSession(value);
  return name ?? value;
}

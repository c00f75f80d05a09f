import { ASSISTANT_DIMENSIONS, type AssistantDimension } from '../../../../src/contract/assistants.ts';
import { findChoice, readText, readUsageFilter, type SearchParameters } from '../../shared/filter/usage-filter.ts';
import type { PeriodChoice } from '../../shared/time/period.ts';

/** Filter of usage of assistants. Every field is a search parameter. */
export interface AssistantFilter extends PeriodChoice {
  readonly assistant?: string;
  readonly person?: string;
  readonly credential?: string;
  readonly project?: string;
  readonly model?: string;
  /** `true` or `false` */
  readonly covered?: string;
}

export const SESSION_ORDERS = ['recent', 'cost'] as const;

export interface AssistantsAddress {
  readonly filter: AssistantFilter;
  readonly by: AssistantDimension;
  readonly order: (typeof SESSION_ORDERS)[number];
}

/** Reads the search parameters of the page. */
export function readAssistantsAddress(search: SearchParameters): AssistantsAddress {
  const { range, from, to } = readUsageFilter(search);
  const fields = [...ASSISTANT_DIMENSIONS, 'covered'].map((field) => [field, readText(search, field)] as const);
  return {
    filter: {
      ...(range && { range }),
      ...(from && to && { from, to }),
      ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
    },
    by: findChoice(ASSISTANT_DIMENSIONS, readText(search, 'by')) ?? 'person',
    order: findChoice(SESSION_ORDERS, readText(search, 'order')) ?? 'recent',
  };
}

import fc from 'fast-check';

/** Returns the number of runs of a property. `fc.configureGlobal({ numRuns })` of a test file lowers it. */
export function propertyRuns(usual: number): { readonly numRuns: number } {
  return { numRuns: Math.min(usual, fc.readConfigureGlobal().numRuns ?? usual) };
}

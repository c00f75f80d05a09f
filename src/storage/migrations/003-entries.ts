/** Names of models that no roll-up keeps apart stay in their entry, so that retention takes them away with it. */
export const entries003: readonly string[] = [
  'ALTER TABLE entries ADD COLUMN asked_model_text TEXT',
  'ALTER TABLE entries ADD COLUMN model_text TEXT',
];

/** Where a row may name its model, the first that does; of `metadata`, its `model`. */
export const MODEL_FIELDS = ['model', 'model_name', 'metadata'] as const;

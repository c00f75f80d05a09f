/**
 * Request headers in which client libraries and providers put a key. Wrapped keys are read from them, they end at the gateway,
 * and logs hide them. `authorization` has its key after the word `Bearer`.
 */
export const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

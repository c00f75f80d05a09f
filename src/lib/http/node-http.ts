/**
 * Node's HTTP by a look-up: an `import` of the module evaluates all that it exports, and with it Node's own `fetch` and
 * `WebSocket`, which are 12 MB and 25 ms that the gate has no use for.
 */
export const { createServer, request } = process.getBuiltinModule('node:http');

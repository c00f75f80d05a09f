/**
 * Node's HTTP by a look-up: an `import` of the module evaluates all that it exports, and with it Node's own `fetch` and
 * `WebSocket`, which are 12 MB and 25 ms that the gateway does not need.
 */
export const { createServer, request, ServerResponse } = process.getBuiltinModule('node:http');

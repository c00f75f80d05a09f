/**
 * Byte behind each message of a WebSocket where messages pass as a stream of bytes. It occurs in no JSON text (RFC 8259 §2, §7:
 * control characters in strings are escaped).
 */
export const MESSAGE_END = 0x1e;

/** Takes the place of a media type for an answer of such messages, each a JSON document. */
export const MESSAGES = 'websocket';

import { isUtf8 } from 'node:buffer'
import { parseMessage } from '../rpc/index.js'
import type { Message } from './answer-message.js'
import type { Limits } from './limits.js'

/**
 * Reads a body as a message: JSON within the limits of nesting and of values (RFC 8259, section 8.1).
 * @param body bytes in UTF-8, or text
 */
export function readBody(
  body: Uint8Array | string,
  { nestingDepth, bodyValues }: Pick<Limits, 'nestingDepth' | 'bodyValues'>,
): Message {
  if (typeof body === 'string') return parseMessage(body, nestingDepth, bodyValues)
  if (!isUtf8(body)) return 'parseError'
  const buffer = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return parseMessage(buffer.toString('utf8'), nestingDepth, bodyValues)
}

import type { AnswerBody, FetchAnswer } from './client-options.js'

/**
 * Reads the body of an answer as text.
 * @param answer the fetch response
 * @param maxBytes maximum size; the stream is cancelled beyond it
 * @returns the text without a byte-order mark, or a problem
 */
export async function readText(
  answer: FetchAnswer,
  maxBytes: number,
): Promise<string | { readonly problem: string }> {
  const tooLarge = {
    problem: `answered more than ${maxBytes} bytes. Request less data, or increase maxAnswerBytes.`,
  }
  const { body } = answer
  if (!body) {
    const text = await answer.text()
    return new TextEncoder().encode(text).length > maxBytes ? tooLarge : text
  }
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  let text = ''
  for await (const chunk of chunksOf(body)) {
    const piece = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
    bytes += piece.length
    if (bytes > maxBytes) return tooLarge
    const decoded = decode(() => decoder.decode(piece, { stream: true }))
    if (decoded === undefined) return notUtf8
    text += decoded
  }
  const end = decode(() => decoder.decode())
  return end === undefined ? notUtf8 : text + end
}

const notUtf8 = { problem: 'answered bytes that are not UTF-8.' }

function decode(work: () => string): string | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/**
 * Iterates the chunks of a body. Web streams are read with a reader, because not all browsers can iterate
 * them.
 */
async function* chunksOf(body: AnswerBody): AsyncIterable<Uint8Array | string> {
  if (!('getReader' in body)) return yield* body
  const reader = body.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    // Cancelling after the end has no effect. It is not awaited, because a broken stream may never finish
    // cancelling.
    reader.cancel().catch(() => undefined)
  }
}

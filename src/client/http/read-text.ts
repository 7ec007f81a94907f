import type { FetchAnswer } from '../client-options.js'

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
  const { body } = answer
  if (!body) {
    const text = await answer.text()
    return encoded(text).length > maxBytes ? tooLarge(maxBytes) : text
  }
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const { next, cancel } = chunksOf(body)
  let bytes = 0
  let text = ''
  for (;;) {
    const { done, value = '' } = await next()
    const chunk = typeof value === 'string' ? encoded(value) : value
    bytes += chunk.length
    try {
      if (bytes <= maxBytes) text += decoder.decode(chunk, { stream: !done })
    } catch {
      bytes = Number.NaN
    }
    if (!(bytes <= maxBytes)) {
      // Not awaited, because a broken stream may never finish cancelling.
      cancel().catch(() => undefined)
      return bytes > maxBytes ? tooLarge(maxBytes) : { problem: 'answered bytes that are not UTF-8.' }
    }
    if (done) return text
  }
}

const tooLarge = (maxBytes: number) => ({
  problem: `answered more than ${maxBytes} bytes. Request less data, or increase maxAnswerBytes.`,
})

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** One chunk of a body, as readers and iterators return it. */
interface Chunk {
  readonly done?: boolean | undefined
  readonly value?: Uint8Array | string | undefined
}

/** Web streams are read with a reader, because not all browsers can iterate them. */
function chunksOf(body: NonNullable<FetchAnswer['body']>): {
  readonly next: () => Promise<Chunk>
  readonly cancel: () => Promise<unknown>
} {
  if ('getReader' in body) {
    const reader = body.getReader()
    return { next: () => reader.read(), cancel: () => reader.cancel() }
  }
  const chunks = body[Symbol.asyncIterator]()
  return { next: () => chunks.next(), cancel: async () => chunks.return?.() }
}

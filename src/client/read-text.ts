import type { AnswerBody, FetchAnswer } from './client-options.js'

/**
 * The body of an answer as text.
 * @param maxBytes reading stops beyond it, and the stream is cancelled
 * @returns the text without a byte-order mark, or why there is none
 */
export async function readText(
  answer: FetchAnswer,
  maxBytes: number,
): Promise<string | { readonly problem: string }> {
  const tooLarge = {
    problem: `answered more than ${maxBytes} bytes. Ask for less, or raise maxAnswerBytes.`,
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

/** The pieces of a body. A web stream is read by its reader: not every browser can iterate one. */
async function* chunksOf(body: AnswerBody): AsyncIterable<Uint8Array | string> {
  if (!('getReader' in body)) return yield* body
  const reader = body.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    // It does nothing after the end. Nothing waits for it: a broken stream may never finish cancelling.
    reader.cancel().catch(() => undefined)
  }
}

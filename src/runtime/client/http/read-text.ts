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
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const { next, cancel } = chunksOf(answer)
  const refused = (problem: string) => {
    cancel()
    return { problem }
  }
  let bytes = 0
  let text = ''
  for (;;) {
    const { done, value = '' } = await next()
    const chunk = typeof value === 'string' ? new TextEncoder().encode(value) : value
    bytes += chunk.length
    if (bytes > maxBytes)
      return refused(`answered more than ${maxBytes} bytes. Request less data, or increase maxAnswerBytes.`)
    try {
      text += decoder.decode(chunk, { stream: !done })
    } catch {
      return refused('answered bytes that are not UTF-8.')
    }
    if (done) return text
  }
}

/** One chunk of a body, as readers and iterators return it. */
interface Chunk {
  readonly done?: boolean | undefined
  readonly value?: Uint8Array | string | undefined
}

/** Releases the connection of an answer whose body is not read. */
export function cancelBody(answer: FetchAnswer): void {
  chunksOf(answer).cancel()
}

/** Web streams are read with a reader, because not all browsers can iterate them. */
function chunksOf(answer: FetchAnswer): {
  readonly next: () => Promise<Chunk>
  readonly cancel: () => void
} {
  const { body } = answer
  // Not awaited, because a broken stream may never finish cancelling.
  const ignoring = (cancelled: Promise<unknown> | undefined) => void cancelled?.catch(() => undefined)
  if (body && 'getReader' in body) {
    const reader = body.getReader()
    return { next: () => reader.read(), cancel: () => ignoring(reader.cancel()) }
  }
  const chunks = (body ?? wholeText(answer))[Symbol.asyncIterator]()
  // An iterator that was not started does not destroy its stream.
  const cancel = () => (body?.destroy ? void body.destroy() : ignoring(chunks.return?.()))
  return { next: () => chunks.next(), cancel }
}

async function* wholeText(answer: FetchAnswer): AsyncGenerator<string> {
  yield answer.text()
}

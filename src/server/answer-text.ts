import type { JsonSource } from '../rpc/index.js'

/** The text of an answer, in UTF-8 where it is bytes: whole, or read piece by piece while it is made. */
export type AnswerText = string | Uint8Array | JsonSource

/** Tells a text that is read piece by piece from one that is whole. */
export const isSource = (text: AnswerText | null): text is JsonSource =>
  typeof text === 'object' && text !== null && 'next' in text

/** Puts texts one behind the other: in one piece where all are whole. */
export function joinTexts(texts: readonly AnswerText[]): AnswerText {
  if (texts.every((text) => typeof text === 'string')) return texts.join('')
  if (texts.some(isSource)) return new JoinedSource(texts)
  return Buffer.concat(texts.map(bytesOf))
}

const nothing = new Uint8Array(0)

function bytesOf(text: AnswerText): Uint8Array {
  if (isSource(text)) return nothing
  return typeof text === 'string' ? Buffer.from(text) : text
}

/** Reads texts one after the other. */
class JoinedSource implements JsonSource {
  readonly #texts: AnswerText[]

  constructor(texts: readonly AnswerText[]) {
    this.#texts = [...texts]
  }

  async next(): Promise<Uint8Array | undefined> {
    for (let text = this.#texts[0]; text !== undefined; text = this.#texts[0]) {
      if (!isSource(text)) {
        this.#texts.shift()
        return bytesOf(text)
      }
      const piece = await text.next()
      if (piece !== undefined) return piece
      this.#texts.shift()
    }
    return undefined
  }

  cancel(): void {
    for (const text of this.#texts.splice(0)) if (isSource(text)) text.cancel()
  }
}

/** Reads a text to its end: for where nothing can be sent before all is known. */
export async function wholeText(text: AnswerText): Promise<string | Uint8Array> {
  if (!isSource(text)) return text
  const pieces: Uint8Array[] = []
  for (let piece = await text.next(); piece !== undefined; piece = await text.next())
    pieces.push(Uint8Array.from(piece))
  return Buffer.concat(pieces)
}

/** Tells once how the reading of a source ended: with what it rejected, or with nothing. */
export function toldAtEnd(
  source: JsonSource,
  told: (failure?: { readonly reason: unknown }) => void,
): JsonSource {
  let hasEnded = false
  const end = (failure?: { readonly reason: unknown }) => {
    if (hasEnded) return
    hasEnded = true
    told(failure)
  }
  return {
    async next() {
      try {
        const piece = await source.next()
        if (piece === undefined) end()
        return piece
      } catch (reason) {
        end({ reason })
        throw reason
      }
    },
    cancel() {
      source.cancel()
      end()
    },
  }
}

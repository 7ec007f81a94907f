import { createGzip, type Gzip } from 'node:zlib'
import type { JsonSource } from '@concordat/rpc'
import { type Answer, isSource } from '../protocol/encode-answer.js'
import type { HttpSource } from '../protocol/http-source.js'
import type { Limits } from '../protocol/limits.js'
import { FairLimiter, Holder } from './fair-limiter.js'

/** Returns the answer of a caller, compressed if the request accepts gzip and a compression may start. */
export type CompressAnswer = (
  request: Pick<HttpSource, 'headers' | 'response'>,
  answer: Answer,
  callerId: string,
) => Answer

/** Size of the pieces of an answer that is compressed, in bytes. */
const pieceBytes = 65_536

const vary = 'vary'
const ignore = (): void => undefined

/**
 * Creates the compression of large answers: gzip at level 1, in the thread pool of zlib. A caller has one compression at
 * a time, so that nobody uses all of them. Further answers go out uncompressed.
 * @param atOnce the compressions of all callers at once; 0 turns compression off
 */
export function createCompressAnswer(
  atOnce: number,
  limits: Pick<Limits, 'compressedAnswerBytes'>,
): CompressAnswer {
  const places = new FairLimiter({ units: atOnce, unitsPerKey: 1 }, () => new Holder())

  return (request, answer, callerId) => {
    const { body, headers } = answer
    if (atOnce === 0 || body === null) return answer
    if (!isSource(body) && body.length <= limits.compressedAnswerBytes) return answer
    const varying = { ...headers, [vary]: [headers[vary], 'Accept-Encoding'].filter(Boolean).join(', ') }
    const uncompressed = { ...answer, headers: varying }
    if (request.response.destroyed || !acceptsCoding(request.headers['accept-encoding'], 'gzip'))
      return uncompressed
    const caller = places.of(callerId)
    if (!places.take(caller)) return uncompressed
    request.response.once('close', () => places.give(caller))
    return { ...answer, headers: { ...varying, 'content-encoding': 'gzip' }, body: gzipped(body) }
  }
}

/**
 * Compresses a text while it is read. The rest of a text that fails is missing, and so is the end of the gzip format.
 */
function gzipped(body: string | Uint8Array | JsonSource): JsonSource {
  const source = isSource(body) ? body : piecesOf(typeof body === 'string' ? Buffer.from(body) : body)
  const gzip = createGzip({ level: 1, chunkSize: pieceBytes })
  const pieces: AsyncIterator<Uint8Array> = gzip[Symbol.asyncIterator]()
  // The reader receives the error. Without a listener, it would be thrown after the reader has left.
  gzip.on('error', ignore)
  void feed(gzip, source)
  return {
    async next() {
      const { done, value } = await pieces.next()
      return done === true ? undefined : value
    },
    cancel() {
      gzip.destroy()
      source.cancel()
    },
  }
}

/** Compresses a text to its end. Its failure becomes that of the compressed text. */
async function feed(gzip: Gzip, source: JsonSource): Promise<void> {
  try {
    for (let piece = await source.next(); piece !== undefined; piece = await source.next()) {
      if (gzip.destroyed) return
      await written(gzip, piece)
    }
    gzip.end()
  } catch (reason) {
    gzip.destroy(reason instanceof Error ? reason : new Error('the answer is incomplete', { cause: reason }))
  }
}

/** Resolves when a piece is compressed, because a source may use its memory again. */
function written(gzip: Gzip, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    gzip.write(piece, (error) => (error ? reject(error) : resolve()))
  })
}

function piecesOf(bytes: Uint8Array): JsonSource {
  let at = 0
  return {
    async next() {
      if (at >= bytes.length) return undefined
      at += pieceBytes
      return bytes.subarray(at - pieceBytes, at)
    },
    cancel() {
      at = bytes.length
    },
  }
}

/**
 * True if a request accepts a coding at least as much as no encoding (RFC 9110, section 12.5.3).
 * @param header the value of `Accept-Encoding`
 */
export function acceptsCoding(
  header: string | readonly string[] | undefined,
  coding: 'gzip' | 'br',
): boolean {
  if (header === undefined) return false
  const weights = new Map(String(header).split(',').map(codingWeight))
  const own = weights.get(coding) ?? (coding === 'gzip' ? weights.get('x-gzip') : undefined)
  const weight = own ?? weights.get('*') ?? 0
  return weight > 0 && weight >= (weights.get('identity') ?? 0)
}

/** Reads a coding and its weight; a weight that is not from 0 to 1 counts as 0. */
function codingWeight(text: string): readonly [coding: string, weight: number] {
  const [coding = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
  return [coding, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 0]
}

import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { sendDefaults } from './send-defaults.js'

/** Why a body could not be decoded. */
export type DecodeProblem = 'unknown-coding' | 'broken' | 'too-large'

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>

const unzip = promisify(gunzip) as Decode
const inflated = promisify(inflate) as Decode
const inflatedRaw = promisify(inflateRaw) as Decode

/**
 * Some servers send raw deflate instead of the zlib format (RFC 9110, section 8.4.1.2). The first byte tells
 * them apart.
 */
const deflated: Decode = (bytes, options) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 ? inflated(bytes, options) : inflatedRaw(bytes, options)

const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: unzip,
  'x-gzip': unzip,
  deflate: deflated,
  'x-deflate': deflated,
  br: promisify(brotliDecompress) as Decode,
}

/**
 * Decodes a body by its `content-encoding`. Truncated streams are errors.
 * @param maximumBytes maximum size of the decoded body and of each intermediate stage, in bytes
 */
export async function decodeBody(
  bytes: Uint8Array,
  contentEncoding: string,
  maximumBytes: number,
): Promise<Uint8Array | DecodeProblem> {
  const codings = codingsOf(contentEncoding)
  if (codings.length > sendDefaults.codings || codings.some((coding) => !Object.hasOwn(DECODERS, coding))) {
    return 'unknown-coding'
  }
  let decoded = bytes
  // Codings are listed in the order in which they were applied (RFC 9110, section 8.4).
  for (const coding of codings.reverse()) {
    const decode = DECODERS[coding]
    if (decode === undefined) return 'unknown-coding'
    try {
      decoded = await decode(decoded, { maxOutputLength: maximumBytes })
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'broken'
    }
  }
  return decoded
}

/** Returns the codings in a `content-encoding` header, without `identity`. */
export function codingsOf(contentEncoding: string): string[] {
  return contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
}

/** Decodes UTF-8 and keeps a byte-order mark. Returns undefined for invalid UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

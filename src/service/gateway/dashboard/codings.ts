import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A content coding that pages and assets are sent in. */
export type Coding = 'br' | 'gzip'

/** At this level, brotli takes the time of gzip, and the reference is a sixth smaller. */
const level = { [constants.BROTLI_PARAM_QUALITY]: 5 }
const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)]

/**
 * Returns the coding for a request; undefined if the body is sent as it is. Browsers accept brotli over HTTPS alone.
 * @param accepted its header `Accept-Encoding`
 */
export function codingFor(accepted = ''): Coding | undefined {
  return /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined
}

/** Compresses a body in the thread pool. */
export const encode = (coding: Coding, body: Buffer): Promise<Buffer> =>
  coding === 'br' ? brotli(body, { params: level }) : gzipped(body)

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { acceptsCoding } from '@concordat/server'

/** The content codings of pages and assets, the preferred one first. */
const codings = ['br', 'gzip'] as const
export type Coding = (typeof codings)[number]

/** At this level, Brotli takes the time of gzip, and the reference is a sixth smaller. */
const level = { [constants.BROTLI_PARAM_QUALITY]: 5 }
const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)]

/**
 * Returns the content coding for a response; undefined to send the body uncompressed. Most browsers accept Brotli over
 * HTTPS only.
 * @param accepted the `Accept-Encoding` header of the request
 */
export const codingFor = (accepted: string | undefined): Coding | undefined =>
  codings.find((coding) => acceptsCoding(accepted, coding))

/** Compresses a body in the thread pool. */
export const encode = (coding: Coding, body: Buffer): Promise<Buffer> =>
  coding === 'br' ? brotli(body, { params: level }) : gzipped(body)

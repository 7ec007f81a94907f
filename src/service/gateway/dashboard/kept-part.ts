import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'

/** A large part of a page that is the same for every visitor. It is compressed once. */
export interface KeptPart {
  readonly html: string
  /** Compresses a page that contains the part with gzip. */
  pack(page: string): Promise<Buffer>
}

/** Magic number, deflate, no flags, no time, no extra flags, unknown system (RFC 1952, 2.3). */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
const lengths = 2 ** 32
const deflate = promisify(deflateRaw)
/** Blocks that end at a byte and are not the last ones, so that others can follow (RFC 1951, 3.2.3 and 3.2.4). */
const open = { finishFlush: constants.Z_SYNC_FLUSH }

/** Creates the part. The first visit compresses it, at the highest level. */
export function keepPart(html: string): KeptPart {
  let kept: Promise<Buffer> | undefined
  return {
    html,
    async pack(page) {
      const at = page.indexOf(html)
      kept ??= deflate(html, { ...open, level: constants.Z_BEST_COMPRESSION })
      const [before, part, after] = await Promise.all([
        deflate(page.slice(0, at), open),
        kept,
        deflate(page.slice(at + html.length)),
      ])
      const trailer = Buffer.alloc(8)
      trailer.writeUInt32LE(crc32(page), 0)
      trailer.writeUInt32LE(Buffer.byteLength(page) % lengths, 4)
      return Buffer.concat([header, before, part, after, trailer])
    },
  }
}

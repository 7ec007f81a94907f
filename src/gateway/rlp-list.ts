import { RLP } from '@ethereumjs/rlp'

/** The members of a list in RLP, the encoding of transactions; undefined for bytes that are none. */
export function rlpList(bytes: Uint8Array): readonly unknown[] | undefined {
  try {
    const decoded = RLP.decode(bytes)
    return Array.isArray(decoded) ? decoded : undefined
  } catch {
    return undefined
  }
}

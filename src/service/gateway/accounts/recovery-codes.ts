import { createHash } from 'node:crypto'
import { randomText } from '../store/index.js'

/** Without characters that look alike, because people type the codes. */
const RECOVERY_ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
/** 80 random bits, too many to be found by their digest. */
const RECOVERY_CHARACTERS = 16
const codeGroups = /.{4}/g
/** Marks a stored recovery code, to tell it from a new one. */
const DIGEST_MARK = 'sha256:'

/** How recovery codes are made and stored. */
export interface RecoveryCodes {
  generate(): string[]
  /** Returns what is stored of a list of codes and digests: digests alone. */
  digestAll(codes: readonly string[]): string[]
  /** Returns the digest of a typed code, in any case and with any separators. */
  digestOf(typed: string): string
}

/**
 * Creates the functions for recovery codes. Their digests have no key, so that the codes outlive a change of the secret.
 * @param count codes of an account
 */
export function createRecoveryCodes(count: number): RecoveryCodes {
  const digestOf = (typed: string) =>
    DIGEST_MARK +
    createHash('sha256')
      .update(typed.toLowerCase().replace(/[^a-z0-9]/g, ''))
      .digest('base64url')
  return {
    generate: () =>
      Array.from({ length: count }, () =>
        (randomText(RECOVERY_ALPHABET, RECOVERY_CHARACTERS).match(codeGroups) ?? []).join('-'),
      ),
    digestAll: (codes) => codes.map((code) => (code.startsWith(DIGEST_MARK) ? code : digestOf(code))),
    digestOf,
  }
}

import { codingsOf, decodeBody, utf8Text } from '../decode-body.js'
import { looseForm } from '../method-names.js'
import { sendDefaults } from '../send-defaults.js'
import { escapeViews } from './escapes.js'

/** Charsets that are inspected. A server can read bytes of other charsets as different text. */
const CHARSETS =
  /^(?:utf-?8|utf-?16(?:[lb]e)?|utf-?32(?:[lb]e)?|us-ascii|ascii|iso-8859-1|latin-?1|windows-1252)$/

/** Returns the bodies that a server can read from bytes: the bytes themselves and their decompressed form. */
export async function sentBodies(
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<readonly Uint8Array[] | undefined> {
  const stated = header(headers, 'content-encoding') ?? ''
  const bodies = [body]
  for (const coding of codingsOf(stated).length > 0 ? [stated] : guessedCodings(body)) {
    const decoded = await decodeBody(body, coding, sendDefaults.inspectedBytes)
    if (decoded instanceof Uint8Array) bodies.push(decoded)
    // Valid UTF-8 is no gzip, zlib or zstd stream, whatever the header says, so a server sees at most these
    // bytes. Anything else can hide content, or is too large to inspect.
    else if (decoded === 'too-large' || utf8Text(body) === undefined) return undefined
  }
  return bodies
}

/** Guesses the coding of a compressed body without header from its first bytes, as some servers do. */
function guessedCodings(body: Uint8Array): readonly string[] {
  if (body[0] === 0x1f && body[1] === 0x8b) return ['gzip']
  return body[0] === 0x78 && ((body[0] << 8) | (body[1] ?? 0)) % 31 === 0 ? ['deflate'] : []
}

/** Returns true if the charset of the media type is one that is inspected. */
export function isKnownCharset(headers: Readonly<Record<string, string>>): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(header(headers, 'content-type') ?? '')?.[1]
  return charset === undefined || CHARSETS.test(charset.toLowerCase())
}

/**
 * Returns true if bytes contain one of the words in any encoding and escaping.
 * @param words in `looseForm`
 */
export function occursIn(bytes: Uint8Array, words: readonly string[]): boolean {
  return textsOf(bytes).some((text) => occursInText(text, words))
}

/**
 * Returns true if a text contains one of the words in any escaping.
 * @param words in `looseForm`
 */
function occursInText(text: string, words: readonly string[]): boolean {
  for (const view of escapeViews(text)) {
    const loose = looseForm(view)
    if (words.some((word) => loose.includes(word))) return true
  }
  return false
}

/**
 * Returns the possible texts of bytes. ASCII in UTF-16 and UTF-32 of either byte order is found by removing
 * zero bytes.
 */
function textsOf(bytes: Uint8Array): readonly string[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const texts = [buffer.toString('utf8')]
  if (!bytes.some((byte) => byte === 0 || byte >= 0x80)) return texts
  texts.push(buffer.toString('latin1'), buffer.toString('latin1').replaceAll('\0', ''))
  for (const shift of [0, 1]) {
    const little = buffer.subarray(shift, buffer.length - ((buffer.length - shift) % 2))
    texts.push(little.toString('utf16le'), Buffer.from(little).swap16().toString('utf16le'))
  }
  return texts
}

/** Returns a header by its case-insensitive name. */
function header(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1]
}

import { codingsOf, decodeBody, utf8Text } from './decode-body.js'
import { escapeViews } from './escape-views.js'
import { looseForm } from './method-names.js'
import { sendDefaults } from './send-defaults.js'

/** Media types' charsets that are looked into; a server may read bytes of any other one as something else. */
const CHARSETS =
  /^(?:utf-?8|utf-?16(?:[lb]e)?|utf-?32(?:[lb]e)?|us-ascii|ascii|iso-8859-1|latin-?1|windows-1252)$/

/** The bodies that a server may see in bytes: as they are, and with their compression undone. */
export async function sentBodies(
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<readonly Uint8Array[] | undefined> {
  const stated = header(headers, 'content-encoding') ?? ''
  const bodies = [body]
  for (const coding of codingsOf(stated).length > 0 ? [stated] : guessedCodings(body)) {
    const decoded = await decodeBody(body, coding, sendDefaults.inspectedBytes)
    if (decoded instanceof Uint8Array) bodies.push(decoded)
    // Text is not compressed, whatever the header says: no gzip, zlib or zstd stream is valid UTF-8. Then the bytes
    // are what a server can see at most; else something is hidden, or more than can be looked into.
    else if (decoded === 'too-large' || utf8Text(body) === undefined) return undefined
  }
  return bodies
}

/** A compressed body that does not say so: some servers look at its first bytes. */
function guessedCodings(body: Uint8Array): readonly string[] {
  if (body[0] === 0x1f && body[1] === 0x8b) return ['gzip']
  return body[0] === 0x78 && ((body[0] << 8) | (body[1] ?? 0)) % 31 === 0 ? ['deflate'] : []
}

/** The charset that the media type states is one of those that are looked into. */
export function isKnownCharset(headers: Readonly<Record<string, string>>): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(header(headers, 'content-type') ?? '')?.[1]
  return charset === undefined || CHARSETS.test(charset.toLowerCase())
}

/** Whether one of the words occurs in bytes, however they are encoded and escaped; words are given in `looseForm`. */
export function occursIn(bytes: Uint8Array, words: readonly string[]): boolean {
  return textsOf(bytes).some((text) => occursInText(text, words))
}

/** Whether one of the words occurs in a text, however it is escaped; words are given in `looseForm`. */
function occursInText(text: string, words: readonly string[]): boolean {
  for (const view of escapeViews(text)) {
    const loose = looseForm(view.text)
    if (words.some((word) => loose.includes(word))) return true
  }
  return false
}

/** The texts that bytes may be. In UTF-16 and UTF-32 of either order ASCII is itself with zeros between. */
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

/** The value of a header, its name in any case. */
function header(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1]
}

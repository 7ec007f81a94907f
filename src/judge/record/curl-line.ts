import type { Session } from '../../toolkit/contract/index.js'
import { transportOf } from '../send/connection-url.js'
import { utf8Text } from '../send/decode-body.js'
import type { Outgoing } from '../send/exchange.js'

/** Bytes of the longest body written into a command line. */
const LONGEST_BODY = 8 * 1024

/** Seconds for which the standard input of the program stays open, so that it can answer. */
const OPEN_SECONDS = 2

/**
 * Builds a shell command that repeats a request: curl for HTTP, wscat for WebSockets, and a pipe to a program. The caller
 * must redact secrets.
 * @param own URL that the variable holds
 * @param variable name of the shell variable
 * @param session how a connection to a program is used
 */
export function curlLine(
  { verb, url, headers, body }: Outgoing,
  own: string,
  variable = 'RPC_URL',
  session: Pick<Session, 'framing' | 'open'> = { framing: 'newline', open: [] },
): string {
  const transport = transportOf(url)
  if (transport !== 'http') {
    const text = argumentText(body ?? new Uint8Array())
    const message = text === undefined || text.length > LONGEST_BODY ? '"$(cat body)"' : shellWord(text)
    if (transport === 'program')
      return programLine({ word: message, bytes: body?.length ?? 0 }, session, variable)
    return `npx wscat -c ${url === own ? `"$${variable}"` : urlWord(url, own)} -w 2 -x ${message}`
  }
  const words = ['curl', '-s', url === own ? `"$${variable}"` : urlWord(url, own)]
  const hasBody = body !== undefined && body.length > 0
  if (verb !== (hasBody ? 'POST' : 'GET')) words.push(...verbWords(verb))
  for (const [name, value] of Object.entries(headers)) words.push('-H', shellWord(`${name}: ${value}`))
  // Without this header, curl would send a form's media type.
  const typed = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  if (hasBody && !typed) words.push('-H', shellWord('content-type:'))
  if (!hasBody) return words.join(' ')
  if (body.length > LONGEST_BODY)
    return `${words.join(' ')} --data-binary @body    # a body of ${body.length} bytes`
  const text = argumentText(body)
  if (text === undefined) return `printf ${shellWord(octal(body))} | ${words.join(' ')} --data-binary @-`
  return `${words.join(' ')} ${text.startsWith('@') ? '--data-raw' : '-d'} ${shellWord(text)}`
}

/** `-X HEAD` would make curl wait for a body. */
function verbWords(verb: string): readonly string[] {
  return verb === 'HEAD' ? ['-I'] : ['-X', shellWord(verb)]
}

/** Expresses a URL through `$RPC_URL`, so that the key does not appear. */
function urlWord(url: string, own: string): string {
  if (url === own) return '"$RPC_URL"'
  const cut = own.lastIndexOf('/')
  const key = own.slice(cut + 1)
  const isPlain = key !== '' && !/[?#]/.test(own) && own.indexOf('//') + 1 < cut
  if (!isPlain || !url.startsWith(own.slice(0, cut + 1))) return doubleQuoted(url)
  const parts = url.slice(cut).split(key).map(escapedInDouble)
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell expansions before and after the last slash
  const [before, last] = ['${RPC_URL%/*}', '${RPC_URL##*/}']
  return `"${before}${parts.join(last)}"`
}

function doubleQuoted(text: string): string {
  return `"${escapedInDouble(text)}"`
}

function escapedInDouble(text: string): string {
  return text.replaceAll(/[\\"$`]/g, (character) => `\\${character}`)
}

/** The bytes as text. Undefined if no command line can contain them: a NUL byte would end the argument. */
function argumentText(bytes: Uint8Array): string | undefined {
  const text = utf8Text(bytes)
  return text?.includes('\0') ? undefined : text
}

function octal(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}

/**
 * Builds a shell command that starts a program, opens a session and sends a message.
 * @param message a shell word, and the size of the message in bytes
 * @param variable name of the shell variable with `stdio:` and the command
 */
function programLine(
  message: { readonly word: string; readonly bytes: number },
  { framing, open }: Pick<Session, 'framing' | 'open'>,
  variable: string,
): string {
  const opening = open.map(({ method, params, isNotification }, at) => {
    const id = isNotification ? {} : { id: `open-${at + 1}` }
    const text = JSON.stringify({ jsonrpc: '2.0', ...id, method, params })
    return { word: shellWord(text), bytes: Buffer.byteLength(text) }
  })
  const all = [...opening, message]
  const isSized = framing === 'content-length'
  const format = isSized ? String.raw`'Content-Length: %d\r\n\r\n%s'` : String.raw`'%s\n'`
  const words = all.flatMap(({ word, bytes }) => (isSized ? [String(bytes), word] : [word]))
  return `(printf ${format} ${words.join(' ')}; sleep ${OPEN_SECONDS}) | sh -c "\${${variable}#stdio:}"`
}

/** Quotes a text as one word of a POSIX shell, in single quotes where necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

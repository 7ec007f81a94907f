import type { Session } from '../../../contract/index.js'
import { shellWord } from './shell-word.js'

/** Seconds for which the standard input of the program stays open, so that it can answer. */
const OPEN_SECONDS = 2

/**
 * Builds a shell command that starts a program, opens a session and sends a message.
 * @param message a shell word, and the size of the message in bytes
 * @param variable name of the shell variable with `stdio:` and the command
 */
export function programLine(
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

import { gunzipSync } from 'node:zlib'
import type { Evidence } from '../report/index.js'
import type { Exchange, Outgoing, Send } from '../send/exchange.js'
import { runDefaults } from '../terms/run-defaults.js'

/** The report lacks the data to judge a case again. The message is one sentence. */
export class Unjudged extends Error {
  override readonly name = 'Unjudged'
}

const LOST = {
  cut: 'a long answer is truncated in the report',
  redacted: 'a secret in an answer is redacted',
} as const

/**
 * Creates a send function that replays the stored answers. Each request receives the answer to the same
 * request of the original run.
 * @returns a send function that throws Unjudged for an unknown request or an incomplete answer
 */
export function storedAnswers(evidence: readonly Evidence[]): Send {
  const left = [...evidence]
  return async (outgoing) => {
    const index = left.findIndex((evidence) => isSameRequest(evidence, outgoing))
    const [stored] = index < 0 ? [] : left.splice(index, 1)
    if (stored === undefined) {
      throw new Unjudged(
        left.length === 0
          ? 'it now sends more requests than the report contains'
          : 'it now sends other requests than the report contains',
      )
    }
    if (stored.omitted !== undefined) throw new Unjudged('the report lacks some answers of a repeated step')
    return exchangeOf(stored, outgoing)
  }
}

function isSameRequest({ request, form }: Evidence, sent: Outgoing): boolean {
  const { verb, url, headers, body, altered } = request
  // A call in a form may have gone to another path.
  if (verb !== sent.verb || (form === undefined && !isSameButMasked(url, decoded(sent.url)))) return false
  const named = Object.entries(sent.headers)
  if (!named.every(([name, value]) => isSameButMasked(headers[name] ?? '', value))) return false
  // A step that now omits the content type must have omitted it then.
  if ('content-type' in headers && !('content-type' in sent.headers)) return false
  const text = Buffer.from(sent.body ?? new Uint8Array()).toString('utf8')
  if (altered !== 'cut') {
    return form === undefined ? isSameButMasked(body, text) : isSameButMasked(body.trimEnd(), text.trimEnd())
  }
  const beginning = body.slice(0, body.lastIndexOf('… (the first '))
  return isSameButMasked(beginning, text.slice(0, beginning.length))
}

/** Masks in URLs are percent-encoded. */
function decoded(url: string): string {
  return url.replaceAll('%E2%80%A2', '•')
}

/**
 * Returns the exchange of stored evidence.
 * @throws Unjudged for an incomplete answer
 */
export function exchangeOf({ response, trouble, milliseconds }: Evidence, outgoing: Outgoing): Exchange {
  if (response === undefined) return { outgoing, reply: undefined, trouble, milliseconds }
  const { status, headers, altered, whole, messages } = response
  const body = altered === 'cut' && whole !== undefined ? unpacked(whole) : response.body
  if ((altered === 'cut' && whole === undefined) || altered === 'redacted') throw new Unjudged(LOST[altered])
  const text = altered === 'not-utf8' ? undefined : body
  return {
    outgoing,
    reply: { status, headers, bytes: Buffer.from(body), text, ...(messages && { messages }) },
    trouble,
    milliseconds,
  }
}

/** The file is untrusted, so the unpacked size is limited. */
function unpacked(whole: string): string {
  try {
    const maxOutputLength = runDefaults.bytesKeptOfAnAnswer
    return gunzipSync(Buffer.from(whole, 'base64'), { maxOutputLength }).toString('utf8')
  } catch {
    throw new Unjudged('the stored answer cannot be decompressed')
  }
}

/** Placeholder for a secret in a report. */
const MASK = '•••••'

/** True when two texts are equal apart from masked secrets. Either text may have the mask. */
function isSameButMasked(one: string, other: string): boolean {
  return one === other || fits(one, other) || fits(other, one)
}

/** True when the masked text could come from the given text. */
function fits(masked: string, text: string): boolean {
  const [first = '', ...rest] = masked.split(MASK)
  const last = rest.pop()
  if (last === undefined || !text.startsWith(first) || !text.endsWith(last)) return false
  let place = first.length
  for (const part of rest) {
    const found = text.indexOf(part, place)
    if (found < 0) return false
    place = found + part.length
  }
  return place + last.length <= text.length
}

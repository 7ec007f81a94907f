// Builds calls of the console and describes their answers. Used by console.js and, for browsers without scripts, by the
// service.

/** Number of bytes of an answer that are shown. */
export const shownBytes = 262_144

/** Length of the longest text whose values are highlighted. */
const highlightedCharacters = 32_768

const blank = /^\s*$/

/** Converts a field's text to a JSON value. */
function jsonOf({ kind, text }) {
  if (blank.test(text)) return null
  if (kind === 'text' && !text.trim().startsWith('{')) return text.trim()
  return JSON.parse(text)
}

/**
 * Builds the request of the fields. Trailing empty fields are omitted; other empty fields become null. If a field is
 * invalid, the result has the problem instead.
 */
export function toRequest(method, fields) {
  const params = []
  const filled = fields.findLastIndex(({ text }) => !blank.test(text)) + 1
  for (const field of fields.slice(0, filled)) {
    try {
      params.push(jsonOf(field))
    } catch (error) {
      return { problem: { name: field.name, text: `Invalid JSON: ${error.message}.` } }
    }
  }
  return { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) }
}

/** Returns the problem of a token; undefined for valid tokens (RFC 6750, section 2.1) and for no token. */
export function tokenProblem(token) {
  return /^[\w.~+/-]*=*$/.test(token)
    ? undefined
    : 'Invalid token: it contains characters that are not allowed.'
}

/** Returns the equivalent curl command. A token is read from a shell variable. */
export function curlOf(url, body, hasToken) {
  const token = hasToken ? `  -H "authorization: Bearer $TOKEN" \\\n` : ''
  const data = body.replaceAll("'", "'\\''")
  return `curl -s ${url} \\\n  -H 'content-type: application/json' \\\n${token}  -d '${data}'`
}

/** Describes an answer in words, and says whether it has a result. */
export function describeAnswer({ status, text, isCut, milliseconds }) {
  const size = new TextEncoder().encode(text).length
  const bytes = isCut
    ? `the first ${size.toLocaleString('en-US')} bytes`
    : `${size.toLocaleString('en-US')} bytes`
  const [isGood, what] = outcomeOf(text, isCut)
  return { isGood, what, details: `HTTP ${status} · ${Math.round(milliseconds)} ms · ${bytes}` }
}

function outcomeOf(text, isCut) {
  // A cut-off answer cannot be parsed. Results follow immediately after the id.
  if (isCut) return [/^\{"jsonrpc":"2\.0","id":1,"result":/.test(text), 'Answer']
  const answer = parsed(text)
  if (answer?.error !== undefined) return [false, `Error ${answer.error.code}`]
  return answer !== undefined && 'result' in answer ? [true, 'Result'] : [false, 'Not a JSON-RPC answer']
}

function parsed(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const firstHeaders = ['ratelimit', 'ratelimit-policy', 'retry-after', 'x-request-id']

/** Sorts response headers: those of this service come first. */
export function sortHeaders(headers) {
  const first = firstHeaders.flatMap((name) => headers.filter(([each]) => each === name))
  return [...first, ...headers.filter((header) => !first.includes(header))]
}

/** Indents a JSON answer; other answers stay unchanged. */
export function prettyText(text) {
  const answer = parsed(text)
  return answer === undefined ? text : JSON.stringify(answer, null, 2)
}

/** Splits a text at its hexadecimal values, which are highlighted. Long texts are one part, so that pages stay fast. */
export function splitAtHex(text) {
  if (text.length > highlightedCharacters) return [{ part: text, isHex: false }]
  return text
    .split(/(\b0x[0-9a-fA-F]*)/)
    .map((part, place) => ({ part, isHex: place % 2 === 1 }))
    .filter(({ part }) => part !== '')
}

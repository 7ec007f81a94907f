// What a call is made of and what is told of its answer: the same for the console's script and for the page that is
// sent where no scripts run.

/** More of an answer than so many bytes is not shown. */
export const shownBytes = 262_144

const blank = /^\s*$/

/** What a field holds, as JSON. */
function jsonOf({ kind, text }) {
  if (blank.test(text)) return null
  if (kind === 'text') return text.trim()
  return JSON.parse(text)
}

/**
 * The request that some fields stand for: empty ones at the end are left out, and those before another are null.
 * Where one cannot be read, which and why.
 */
export function toRequest(method, fields) {
  const params = []
  const filled = fields.findLastIndex(({ text }) => !blank.test(text)) + 1
  for (const field of fields.slice(0, filled)) {
    try {
      params.push(jsonOf(field))
    } catch (error) {
      return { problem: { name: field.name, text: `This is not JSON: ${error.message}.` } }
    }
  }
  return { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) }
}

/** What is wrong with a token; undefined where a header can hold it (RFC 6750, 2.1), or there is none. */
export function tokenProblem(token) {
  return /^[\w.~+/-]*=*$/.test(token)
    ? undefined
    : 'This is not a token: it has characters that no token has.'
}

/** A line for a shell that sends the same; a token is left to a variable. */
export function curlOf(url, body, hasToken) {
  const token = hasToken ? `  -H "authorization: Bearer $TOKEN" \\\n` : ''
  const data = body.replaceAll("'", "'\\''")
  return `curl -s ${url} \\\n  -H 'content-type: application/json' \\\n${token}  -d '${data}'`
}

/** What came of a call, in words, and whether it is a result. */
export function toldOf({ status, text, isCut, milliseconds }) {
  const size = new TextEncoder().encode(text).length
  const bytes = isCut
    ? `the first ${size.toLocaleString('en-US')} bytes`
    : `${size.toLocaleString('en-US')} bytes`
  const [isGood, what] = outcomeOf(text, isCut)
  return { isGood, what, details: `HTTP ${status} · ${Math.round(milliseconds)} ms · ${bytes}` }
}

function outcomeOf(text, isCut) {
  // Cut off, it cannot be read; a result begins right behind the id.
  if (isCut) return [/^\{"jsonrpc":"2\.0","id":1,"result":/.test(text), 'Answer']
  const answer = parsed(text)
  if (answer?.error !== undefined) return [false, `Error ${answer.error.code}`]
  return answer !== undefined && 'result' in answer ? [true, 'Result'] : [false, 'No answer of JSON-RPC']
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

/** Response headers, those of this service first. */
export function inOrder(headers) {
  const first = firstHeaders.flatMap((name) => headers.filter(([each]) => each === name))
  return [...first, ...headers.filter((header) => !first.includes(header))]
}

/** An answer as people read it. */
export function prettyText(text) {
  const answer = parsed(text)
  return answer === undefined ? text : JSON.stringify(answer, null, 2)
}

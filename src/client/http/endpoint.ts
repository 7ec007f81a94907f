import { createRedactor } from './redactor.js'

/** The service's address, and the parts of it that messages may contain. */
export interface Endpoint {
  /** The URL with its key, without user and password. */
  readonly url: string
  /** The part of the URL that messages may contain. */
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  /** Replaces all secrets of the URL and headers in a text. */
  readonly redact: (text: string) => string
}

/** Words in URLs and headers that are not secret, such as schemes. */
const publicWords = /^(basic|bearer|json-?rpc)$/i

/** Minimum lengths of secrets in characters. Shorter texts, such as `v2` and `en`, are not replaced. */
const shortestLoginOrQuery = 4
const shortestPathOrHeader = 6

/**
 * Validates the URL and headers of a client. Error messages do not contain their values. User and password of
 * the URL become an `authorization` header, because `fetch` does not accept them in a URL.
 * @param address the service's URL
 * @param headers headers for every request
 * @throws TypeError when the URL or a header is invalid
 */
export function createEndpoint(
  address: string | URL,
  headers: Readonly<Record<string, string>> = {},
): Endpoint {
  const url = parsedUrl(address)
  const login = [decoded(url.username), decoded(url.password)] as const
  url.username = ''
  url.password = ''
  url.hash = ''
  const sent = { ...loginHeader(login), ...checkedHeaders(headers) }
  const redactSecrets = createRedactor(secretsOf(url, login, Object.values(sent)))
  const hasPath = url.href !== `${url.origin}/`
  const redact = (text: string) => redactSecrets(hasPath ? text.replaceAll(url.href, url.origin) : text)
  return { url: url.href, origin: url.origin, headers: sent, redact }
}

/**
 * Collects secrets: user and password, query values, query names without a value, path segments and words of
 * headers.
 */
function secretsOf(url: URL, login: readonly string[], headers: readonly string[]): readonly string[] {
  const query = [...url.searchParams].map(([name, value]) => (value === '' ? name : value))
  const words = [...url.pathname.split('/'), ...headers.flatMap((header) => header.split(/\s+/))]
  const secrets = [
    ...[...login, ...query].filter((text) => text.length >= shortestLoginOrQuery),
    ...words.filter((text) => text.length >= shortestPathOrHeader && !publicWords.test(text)),
  ]
  return [...new Set(secrets.flatMap((text) => [text, decoded(text), encodeURIComponent(decoded(text))]))]
}

function parsedUrl(address: string | URL): URL {
  try {
    const url = new URL(address)
    if (url.protocol === 'http:' || url.protocol === 'https:') return url
  } catch {
    // The message of the URL class contains the URL, so it is not reused.
  }
  throw new TypeError('createClient: invalid URL; use a complete URL such as https://host/key')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function loginHeader([user, password]: readonly [string, string]): Readonly<Record<string, string>> {
  if (user === '' && password === '') return {}
  const bytes = new TextEncoder().encode(`${user}:${password}`)
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

function checkedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const sent = Object.entries(headers).map(([name, value]) => {
    try {
      new Headers([[name, value]])
    } catch {
      throw new TypeError(`createClient: the header ${JSON.stringify(name)} is invalid`)
    }
    return [name.toLowerCase(), value] as const
  })
  return Object.fromEntries(sent)
}

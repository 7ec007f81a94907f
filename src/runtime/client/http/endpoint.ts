import { createRedactor } from './redactor.js'

/** The service's address, and the parts of it that messages may contain. */
export interface Endpoint {
  /** The URL with its key, without user and password. */
  readonly url: string
  /** The part of the URL that messages may contain. */
  readonly origin: string
  /** The headers of every request. */
  readonly headers: Record<string, string>
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
  const login = [decoded(url.username), decoded(url.password)]
  url.username = ''
  url.password = ''
  url.hash = ''
  const sent = checkedHeaders(headers)
  if (login.join('')) {
    const bytes = new TextEncoder().encode(login.join(':'))
    sent['authorization'] ??= `Basic ${btoa(String.fromCharCode(...bytes))}`
  }
  const redactSecrets = createRedactor(secretsOf(url, login, Object.values(sent)))
  const hasPath = url.href !== `${url.origin}/`
  return {
    url: url.href,
    origin: url.origin,
    headers: { ...sent, 'content-type': 'application/json', accept: 'application/json' },
    redact: (text) => redactSecrets(hasPath ? text.replaceAll(url.href, url.origin) : text),
  }
}

/**
 * Collects secrets: user and password, query values, query names without a value, path segments and words of
 * headers.
 */
function secretsOf(url: URL, login: readonly string[], headers: readonly string[]): readonly string[] {
  const query = [...url.searchParams].map(([name, value]) => value || name)
  const words = [...url.pathname.split('/'), ...headers.flatMap((header) => header.split(/\s+/))]
  return [
    ...[...login, ...query].filter((text) => text.length >= shortestLoginOrQuery),
    ...words.filter((text) => text.length >= shortestPathOrHeader && !publicWords.test(text)),
  ].flatMap((text) => [text, decoded(text), encodeURIComponent(decoded(text))])
}

function parsedUrl(address: string | URL): URL {
  // Parsed only if it is valid, because the error of the URL class contains the address.
  const url = URL.canParse(`${address}`) ? new URL(address) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new TypeError('createClient: invalid URL; use a complete URL such as https://host/key')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const sent = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    try {
      sent.set(name, value)
    } catch {
      throw new TypeError(`createClient: the header ${JSON.stringify(name)} is invalid`)
    }
  }
  return Object.fromEntries(sent)
}

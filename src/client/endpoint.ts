import { createRedactor } from './redactor.js'

/** Where a client sends, and which parts of it messages may show. */
export interface Endpoint {
  /** The whole URL, key included, without user and password. */
  readonly url: string
  /** The part of the URL that messages may name. */
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  /** A text with every secret of the URL and the headers replaced. */
  readonly redact: (text: string) => string
}

/** The words of a URL and of headers that name a scheme or the protocol, and are no secrets. */
const publicWords = /^(basic|bearer|json-?rpc)$/i

/** Lengths in characters. Shorter texts, such as `v2` and `en`, are not replaced. */
const shortestSecret = { loginOrQuery: 4, pathOrHeader: 6 } as const

/**
 * The URL and the headers of a client, checked. Errors never hold their values.
 * User and password of the URL become an `authorization` header, since `fetch` takes none in a URL.
 * @throws TypeError for a URL or a header that cannot be sent
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

/** The login, the query's values and its names without a value, the path's segments and the headers' words. */
function secretsOf(url: URL, login: readonly string[], headers: readonly string[]): readonly string[] {
  const query = [...url.searchParams].map(([name, value]) => (value === '' ? name : value))
  const words = [...url.pathname.split('/'), ...headers.flatMap((header) => header.split(/\s+/))]
  const secrets = [
    ...[...login, ...query].filter((text) => text.length >= shortestSecret.loginOrQuery),
    ...words.filter((text) => text.length >= shortestSecret.pathOrHeader && !publicWords.test(text)),
  ]
  return [...new Set(secrets.flatMap((text) => [text, decoded(text), encodeURIComponent(decoded(text))]))]
}

function parsedUrl(address: string | URL): URL {
  try {
    const url = new URL(address)
    if (url.protocol === 'http:' || url.protocol === 'https:') return url
  } catch {
    // The error of the URL class holds the URL.
  }
  throw new TypeError('createClient: the URL cannot be used; give a whole one, such as https://host/key')
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
      throw new TypeError(`createClient: the header ${JSON.stringify(name)} cannot be sent as it is`)
    }
    return [name.toLowerCase(), value] as const
  })
  return Object.fromEntries(sent)
}

/** Where a client sends, and what of it may be told. */
export interface Endpoint {
  /** The whole URL, key included, without user and password. */
  readonly url: string
  /** The part of the URL that messages may name. */
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  /** A text with every secret of the URL and the headers replaced. */
  readonly redact: (text: string) => string
}

/** Path segments shorter than this are words, not keys. */
const keyLength = 16
/** Passwords, tokens and query values shorter than this would tear words apart. */
const secretLength = 4

/**
 * The URL and the headers of a client, looked at: what is wrong with them is told without their values.
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
  const secrets = [
    ...url.pathname.split('/').filter((segment) => segment.length >= keyLength),
    ...[...url.searchParams.values(), ...login, ...Object.values(headers)].filter(
      (value) => value.length >= secretLength,
    ),
  ]
  const texts = [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))]
  const redact = (text: string) =>
    [...texts]
      .sort((a, b) => b.length - a.length)
      .reduce((told, secret) => told.replaceAll(secret, '•••••'), text.replaceAll(url.href, url.origin))
  return { url: url.href, origin: url.origin, headers: sent, redact }
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

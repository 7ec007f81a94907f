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

/** Shorter ones are words of their own, and replacing them would spoil what messages say. */
const shortestSecret = { pathSegment: 16, headerWord: 8, loginOrQuery: 4 } as const

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
    ...longOnes(url.pathname.split('/'), shortestSecret.pathSegment),
    ...longOnes([...url.searchParams.values(), ...login], shortestSecret.loginOrQuery),
    ...longOnes(Object.values(sent).join(' ').split(/\s+/), shortestSecret.headerWord),
  ]
  const texts = [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))]
  const longestFirst = texts.sort((a, b) => b.length - a.length)
  const hasPath = url.href !== `${url.origin}/`
  const redact = (text: string) => {
    const told = hasPath ? text.replaceAll(url.href, url.origin) : text
    return longestFirst.reduce((shorter, secret) => shorter.replaceAll(secret, '•••••'), told)
  }
  return { url: url.href, origin: url.origin, headers: sent, redact }
}

function longOnes(texts: readonly string[], length: number): readonly string[] {
  return texts.filter((text) => text.length >= length)
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

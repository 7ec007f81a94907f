const hidden = '•••'

/** Minimum length of a secret, in characters. Shorter values occur in any text. */
const shortest = 4

/**
 * Creates a function that removes a node's address and credentials from a text. Such texts are network
 * errors, error pages that repeat the requested path, and the node's own messages. The values are matched as
 * written in the settings, and decoded.
 * @param url the node's URL, which may contain a user, a password, and a key in its path or query
 * @param headers the headers of requests to the node
 */
export function createRedact(
  url: string,
  headers: Readonly<Record<string, string>>,
): (text: string) => string {
  const { href, origin, host, hostname, username, password, pathname, search, searchParams } = new URL(url)
  const values = [
    url,
    href,
    origin,
    host,
    hostname.replace(/^\[(.*)\]$/, '$1'),
    username,
    password,
    ...(username === '' ? [] : [Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')]),
    pathname,
    ...pathname.split('/'),
    search.slice(1),
    ...searchParams.values(),
    ...Object.values(headers).flatMap((value) => [value, ...value.split(' ')]),
  ]
  const secrets = [...new Set([...values, ...values.map(decoded)])]
    .filter((value) => value.length >= shortest)
    .sort((a, b) => b.length - a.length)
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, hidden), text)
}

/** Decodes a percent-encoded value; returns it unchanged when the encoding is invalid. */
export function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

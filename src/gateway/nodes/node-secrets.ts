const hidden = '•••'

/** Shorter values, in characters, occur in any text, and are no secret worth the name. */
const shortest = 4

/**
 * Makes what takes a node's address and credentials out of a text, wherever they come from: an error of the network,
 * a page that repeats the path it was asked for, a node's own words. They are found by value, as they are in the
 * settings and decoded.
 * @param url the node's, which may hold user, password, and a key in its path or query
 * @param headers that are sent to it
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

/** A percent-encoded value in plain; as it is where it is not well encoded. */
export function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

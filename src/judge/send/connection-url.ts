/** How messages travel to a service. */
export type Transport = 'http' | 'web-socket' | 'program'

const PROGRAM = /^stdio:/i

/** Returns the transport of a URL. A URL that begins with `stdio:` is a command. */
export function transportOf(url: string | URL): Transport {
  const text = String(url)
  if (PROGRAM.test(text)) return 'program'
  return /^wss?:/i.test(text) ? 'web-socket' : 'http'
}

/** True for a URL whose messages travel without HTTP: that of a WebSocket or of a program. */
export function isConnectionUrl(url: string | URL): boolean {
  return transportOf(url) !== 'http'
}

/** Returns the URL of a program: `stdio:npx server` becomes `stdio:npx%20server`. */
export function programUrl(text: string): string {
  return `stdio:${encodeURIComponent(text.replace(PROGRAM, '').trim())}`
}

/** Returns the command of a program's URL. */
export function commandOf(url: string | URL): string {
  return decodeURIComponent(String(url).replace(PROGRAM, ''))
}

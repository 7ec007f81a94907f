import { isIP } from 'node:net'

/**
 * Removes the final dot of a host name at the end of a text, before a port. `example.net.` and `example.net` are the same
 * host (RFC 1034, section 3.1), but different texts in headers.
 * @param text a host, with or without a port, or an origin
 */
export const withoutFinalDot = (text: string): string => text.replace(/\.(?=(?::\d+)?$)/, '')

/** Returns the forms in which browsers send an origin: without and with the final dot of its host name. */
export function formsOfOrigin(origin: string): readonly string[] {
  const plain = withoutFinalDot(origin)
  const { hostname } = new URL(plain)
  if (hostname.startsWith('[') || isIP(hostname) !== 0) return [plain]
  return [plain, plain.replace(/(?::\d+)?$/, '.$&')]
}

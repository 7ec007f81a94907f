import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** Header fields of an upgrade to HTTP/2 (RFC 7540, section 3.2), besides `connection`. */
const upgradeFields = new Set(['upgrade', 'http2-settings'])

/**
 * Serves a request as plain HTTP and ignores its `Upgrade` field (RFC 9110, section 7.8). Java's HTTP client offers
 * `h2c` by default. Node.js has already passed the connection to the `upgrade` listeners, so the request is written
 * back without the upgrade fields, and Node.js parses it again.
 */
export function serveAsHttp(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    const field = name.toLowerCase()
    const kept = field === 'connection' ? withoutUpgrade(value) : value
    const isDropped = upgradeFields.has(field) || (field === 'connection' && kept === '')
    if (!isDropped) lines.push(`${name}: ${kept}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('connection', socket)
}

/** The options of a `connection` field without those of the upgrade. */
function withoutUpgrade(value: string): string {
  const options = value.split(',').map((option) => option.trim())
  return options.filter((option) => !upgradeFields.has(option.toLowerCase())).join(', ')
}

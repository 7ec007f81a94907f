import { once } from 'node:events'
import { createServer } from 'node:net'

/** The ports that are tried: below those that systems give to outgoing connections, which come and go at any time. */
const first = 15_000
const count = 15_000

/** A port of 127.0.0.1 that nobody listens on now, for programs that cannot choose one themselves. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ])
    if (!isFree) continue
    await new Promise((done) => server.close(done))
    return port
  }
}

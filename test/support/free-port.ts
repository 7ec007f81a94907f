import { once } from 'node:events'
import { createServer } from 'node:net'

/** Port range to try: below the ephemeral ports of outgoing connections, which are taken and released at any time. */
const first = 15_000
const count = 15_000

/** Returns a free port of 127.0.0.1, for programs that cannot choose one themselves. */
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

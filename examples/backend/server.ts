import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createNodeHandler, createService } from '@concordat/server'
import { mountWebSocket } from '@concordat/server/web-socket'
import { methodErrors } from './generated/errors.js'
import { methods } from './generated/methods.js'
import type { Handlers } from './generated/service.js'

const stock = new Map([['apple', 3]])
const changes = new EventEmitter().setMaxListeners(0)

const handlers: Handlers<string> = {
  async takeItems({ item, count }) {
    const left = (stock.get(item) ?? 0) - count
    if (left < 0) throw methodErrors.takeItems.soldOut()
    stock.set(item, left)
    changes.emit('change')
    return left
  },
  async *watchItems({ item }, _context, { signal }) {
    let sent: number | undefined
    for (;;) {
      const left = stock.get(item) ?? 0
      if (left === sent) await once(changes, 'change', { signal })
      else yield left
      sent = left
    }
  },
}

// Callers share the process: the worst of one does not take the service away from the others.
const megabytes = 1_000_000
const service = createService({
  methods,
  handlers,
  sharing: {
    caller: (address: string) => address,
    memory: { bodyBytes: 16 * megabytes, queuedBytes: 8 * megabytes, answerBytes: 16 * megabytes },
  },
})
const context = ({ socket }: IncomingMessage) => socket.remoteAddress ?? ''
const server = createServer(createNodeHandler({ service, context }))
const sockets = mountWebSocket(server, { service, context, path: '/' })
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}/\n`)
})
process.once('SIGTERM', async () => {
  await sockets.close()
  server.close()
})

import { createServer } from '@concordat/server'
import { methodErrors } from './generated/errors.js'
import { methods } from './generated/methods.js'
import type { Handlers } from './generated/service.js'

const stock = new Map([['apple', 3]])

const handlers: Handlers = {
  async takeItems({ item, count }) {
    const left = (stock.get(item) ?? 0) - count
    if (left < 0) throw methodErrors.takeItems.soldOut()
    stock.set(item, left)
    return left
  },
}

const server = await createServer({ methods, handlers }).listen({ port: Number(process.env.PORT ?? 8080) })
process.stdout.write(`listening on ${server.url}\n`)
process.once('SIGTERM', () => server.close())

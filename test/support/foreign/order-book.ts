import type { Test } from 'tap'
import { integer, only, type Params, Refusal, startJsonRpc, text } from './json-rpc-server.js'

/** Mistakes that an order book can have. */
export const orderBookBugs = {
  'zero-quantity': 'an order of the quantity 0 is accepted',
  'unknown-order-code': 'an unknown order is refused with -32000, which the contract does not declare',
  'no-note': 'an order without a note has no member "note"',
  'id-as-text': 'the id of the request is returned as a text',
  'next-page-late': 'every page but the first begins one order late',
  'ties-newest-first': 'of orders with the same price, the newest comes first',
  'cancel-keeps-depth': 'the depth of the book counts cancelled orders',
  'best-is-worst': 'the best price of the sellers is their highest price',
} as const

interface Order {
  readonly id: string
  readonly side: 'buy' | 'sell'
  readonly price: number
  readonly quantity: number
  readonly note: string
  readonly placed: number
}

/** Starts an order book before its auction: orders of both sides wait, and none is executed. */
export function startOrderBook(t: Test, bug?: keyof typeof orderBookBugs): Promise<string> {
  const orders = new Map<string, Order>()
  const cancelled: Order[] = []
  let count = 0
  const place = (side: Order['side'], price: number, quantity: number, note = ''): Order => {
    const order = { id: `o${++count}`, side, price, quantity, note, placed: count }
    orders.set(order.id, order)
    return order
  }
  for (const [at, price] of [101, 103, 102, 103, 105, 101, 104].entries()) place('sell', price, at + 1)
  for (const [at, price] of [98, 97, 98, 95, 96].entries()) place('buy', price, 10 * (at + 1), 'opening')

  const shown = (order: Order) => {
    const { note, ...rest } = order
    return bug === 'no-note' && note === '' ? rest : order
  }
  const found = (params: Params): Order => {
    only(params, 'id')
    const order = orders.get(text(params, 'id', 20, 1))
    if (order !== undefined) return order
    throw new Refusal(bug === 'unknown-order-code' ? -32000 : 1001, 'Unknown order')
  }
  const side = (params: Params): Order['side'] => {
    const value = params['side']
    if (value !== 'buy' && value !== 'sell') throw new Refusal(-32602, 'Invalid params')
    return value
  }
  const sorted = (of: Order['side']): readonly Order[] =>
    [...orders.values()]
      .filter((order) => order.side === of)
      .sort((one, other) => {
        const byPrice = of === 'sell' ? one.price - other.price : other.price - one.price
        return (
          byPrice || (bug === 'ties-newest-first' ? other.placed - one.placed : one.placed - other.placed)
        )
      })

  return startJsonRpc(
    t,
    {
      'order.place': (params) => {
        only(params, 'side', 'price', 'quantity', 'note')
        const note = params['note'] === undefined ? '' : text(params, 'note', 40)
        const quantity = integer(params, 'quantity', bug === 'zero-quantity' ? 0 : 1, 1_000_000)
        return shown(place(side(params), integer(params, 'price', 1, 1_000_000), quantity, note))
      },
      'order.get': (params) => shown(found(params)),
      'order.cancel': (params) => {
        const order = found(params)
        orders.delete(order.id)
        cancelled.push(order)
        return shown(order)
      },
      'order.list': (params) => {
        only(params, 'side', 'offset', 'limit')
        const all = sorted(side(params))
        const offset = params['offset'] === undefined ? 0 : integer(params, 'offset', 0, 1_000_000_000)
        const limit = params['limit'] === undefined ? 5 : integer(params, 'limit', 1, 100)
        const start = bug === 'next-page-late' && offset > 0 ? offset + 1 : offset
        return { orders: all.slice(start, start + limit).map(shown), total: all.length }
      },
      'book.best': (params) => {
        only(params, 'side')
        const all = sorted(side(params))
        const best = bug === 'best-is-worst' && params['side'] === 'sell' ? all.at(-1) : all[0]
        return best === undefined ? null : { price: best.price, order: best.id }
      },
      'book.depth': (params) => {
        only(params, 'side')
        const of = side(params)
        const counted = bug === 'cancel-keeps-depth' ? cancelled.filter((order) => order.side === of) : []
        const all = [...sorted(of), ...counted]
        const prices = [...new Set(all.map(({ price }) => price))]
        const sum = (list: readonly Order[]) => list.reduce((total, { quantity }) => total + quantity, 0)
        return {
          levels: prices.map((price) => ({
            price,
            quantity: sum(all.filter((order) => order.price === price)),
          })),
          quantity: sum(all),
        }
      },
    },
    { echo: (id) => (bug === 'id-as-text' && typeof id === 'number' ? String(id) : id) },
  )
}

import { createSender, type Sender } from '../../../../src/judge/index.js'
import type { Outgoing } from '../../../../src/judge/send/exchange.js'
import type { SenderOptions } from '../../../../src/judge/send/sender.js'

/** The part of a test that registers clean-up. */
interface Teardown {
  teardown(work: () => unknown): unknown
}

/** A contract with three methods: two reads, one of them declared as such, and one write. */
const contract = {
  effects: new Map<string, 'read' | 'write'>([
    ['things_get', 'read'],
    ['things_list', 'read'],
    ['things_put', 'write'],
  ]),
  methods: new Set(['things_get', 'things_list', 'things_put', 'things_unsaid']),
}

/** A sender without limits; it is closed when the test ends. */
export function testSender(t: Teardown, options: Partial<SenderOptions> = {}): Sender {
  const sender = createSender({
    ...contract,
    assumeRead: () => false,
    allow: new Set(),
    budget: undefined,
    perSecond: undefined,
    concurrency: 4,
    timeoutMilliseconds: 300_000,
    maximumBytes: 1024 * 1024,
    headers: {},
    ...options,
  })
  t.teardown(() => sender.close())
  return sender
}

/** A call, of `things_get` by default. */
export function callOf(
  url: string,
  { method = 'things_get', ...rest }: Partial<Outgoing> & { method?: string } = {},
): Outgoing {
  return {
    verb: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })),
    methods: [method],
    billed: 1,
    builtIn: false,
    effect: 'read',
    ...rest,
  }
}

/** Raw bytes. */
export function rawOf(url: string, body: string | Uint8Array, rest: Partial<Outgoing> = {}): Outgoing {
  return callOf(url, { body: Buffer.from(body), methods: undefined, ...rest })
}

/** Code of the browser's page: bundled, and called by name from browser.test.ts. It returns plain values. */
import {
  createClient,
  createProvider,
  isRpcError,
  TransportError,
} from '../../../src/service/node-access/index.js'

const nobody = `0x${'ab'.repeat(32)}` as const

/** The outcome of a call: its value, or the recognisable parts of its error. */
async function told(sent: Promise<unknown>) {
  try {
    return { value: await sent }
  } catch (error) {
    if (isRpcError(error)) {
      const { name, code, message, data, httpStatus, retryAfterSeconds, method } = error
      return { name, error: error.error, code, message, data, httpStatus, retryAfterSeconds, method }
    }
    if (error instanceof TransportError) {
      const { name, kind, message, httpStatus } = error
      return { name, kind, message, httpStatus }
    }
    return { other: String(error) }
  }
}

const page = {
  async reads(url: string) {
    const client = createClient(url)
    const block = await client.eth_getBlockByNumber('0x925', true)
    const [chainId, receipt, wrong] = await client.batch((call) => [
      call.eth_chainId(),
      call.eth_getTransactionReceipt(block?.transactions[0]?.hash ?? '0x'),
      call.eth_getBalance('0x12'),
    ])
    return {
      from: block?.transactions[0]?.from,
      missing: await client.eth_getTransactionByHash(nobody),
      chainId,
      status: receipt.status === 'fulfilled' ? receipt.value?.status : receipt.reason.message,
      wrong: wrong.status === 'rejected' && isRpcError(wrong.reason, 'invalidParams') && wrong.reason.data,
      provided: await createProvider(client).request({ method: 'net_version' }),
    }
  },

  /** One call with its `RateLimit` header, which the service exposes to other origins. */
  async call(url: string) {
    let rateLimit: string | null = null
    const client = createClient(url, {
      async fetch(address, request) {
        const answer = await fetch(address, request)
        rateLimit = answer.headers.get('ratelimit')
        return answer
      },
    })
    return { ...(await told(client.eth_chainId())), rateLimit }
  },

  spend: (url: string, calls: number) =>
    told(createClient(url).batch((call) => Array.from({ length: calls }, () => call.eth_chainId()))),

  /** Calls a refused key until it is rate-limited. */
  async untilTurnedAway(url: string, atMost: number) {
    const client = createClient(url)
    for (let calls = 1; calls <= atMost; calls += 1) {
      const outcome = await told(client.eth_chainId())
      if (outcome.httpStatus === 429) return outcome
    }
    return undefined
  },

  late: (url: string) => told(createClient(url).eth_gasPrice({ timeoutMilliseconds: 200 })),

  async abort(url: string) {
    const controller = new AbortController()
    const sent = createClient(url).eth_gasPrice({ signal: controller.signal })
    controller.abort()
    return sent.catch((error: Error) => [error.name, error === controller.signal.reason])
  },
}

Object.assign(globalThis, { page })

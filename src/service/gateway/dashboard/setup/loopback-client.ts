import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { Client } from 'undici'

/** A call that the service sends to itself for a user without scripts. */
export interface LoopbackCall {
  /** Public URL with the key. */
  readonly url: string
  readonly body: string
  /** IP address of the user. */
  readonly address: string
  /** Origin of the page. */
  readonly origin: string | undefined
  /** JSON Web Token; empty without one. */
  readonly token: string
  /** Number of bytes after which the response is cut off. */
  readonly mostBytes: number
}

/** The response to a call. */
export interface LoopbackAnswer {
  /** HTTP status. */
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly text: string
  /** True if the text is cut off. */
  readonly isCut: boolean
  readonly milliseconds: number
}

/** HTTP client of the service to itself. */
export interface LoopbackClient {
  /** Sends a call over HTTP, so that it is checked, counted and limited like any other call. */
  send(call: LoopbackCall): Promise<LoopbackAnswer>
  /** Returns the client address of a request; for loopback calls, the address of the user. */
  addressOf(request: Pick<IncomingMessage, 'headers' | 'socket'>): string
}

/** Header with the user's address. It is trusted only together with this process's secret. */
const userHeader = 'x-concordat-person'
const secretBytes = 24
const wildcards: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/**
 * Creates a client that opens a connection per call.
 * @param listening where the service listens; undefined before it does
 * @param addressOf returns the client address of other requests
 */
export function createLoopbackClient(
  listening: () => AddressInfo | undefined,
  addressOf: LoopbackClient['addressOf'],
): LoopbackClient {
  const secret = randomBytes(secretBytes).toString('base64url')
  return {
    addressOf(request) {
      const user = request.headers[userHeader]
      if (user === undefined) return addressOf(request)
      const [sentSecret = '', address = ''] = String(user).split(' ')
      return isSame(sentSecret, secret) ? address : addressOf(request)
    },
    async send({ url, body, address, origin, token, mostBytes }) {
      const client = new Client(ownOrigin(listening()))
      try {
        const { host, pathname } = new URL(url)
        const begun = performance.now()
        const {
          statusCode,
          headers,
          body: answer,
        } = await client.request({
          ...{ method: 'POST', path: pathname.slice(pathname.lastIndexOf('/')), body },
          headers: {
            // The host may select the network.
            host,
            'content-type': 'application/json',
            [userHeader]: `${secret} ${address}`,
            ...(origin === undefined ? {} : { origin }),
            ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
          },
        })
        const { text, isCut } = await readBeginning(answer, mostBytes)
        const milliseconds = performance.now() - begun
        const lines = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
        return { status: statusCode, headers: lines, text, isCut, milliseconds }
      } finally {
        // Drops the rest of a response that was cut off.
        await client.destroy()
      }
    },
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function ownOrigin(address: AddressInfo | undefined): string {
  if (address === undefined) throw new TypeError('The service is not listening')
  const host = wildcards[address.address] ?? address.address
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}

async function readBeginning(answer: AsyncIterable<Buffer>, mostBytes: number) {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer) {
    chunks.push(chunk)
    length += chunk.length
    if (length > mostBytes) break
  }
  return { text: Buffer.concat(chunks).subarray(0, mostBytes).toString(), isCut: length > mostBytes }
}

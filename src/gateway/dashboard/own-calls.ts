import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Server } from 'node:http'
import { performance } from 'node:perf_hooks'
import { Client } from 'undici'
import type { EdgeMessage } from '../../server/index.js'

/** A call that the service makes for somebody who looks at a page without scripts. */
export interface OwnCall {
  /** A key's URL, as people are shown it. */
  readonly url: string
  readonly body: string
  /** The person's address. */
  readonly address: string
  /** The page's origin. */
  readonly origin: string | undefined
  /** A token that goes with it, where the key asks for one. */
  readonly token: string
  /** More of the answer than so many bytes is not read. */
  readonly mostBytes: number
}

/** What was answered. */
export interface OwnAnswer {
  /** HTTP status. */
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly text: string
  /** True where the text is the beginning of a longer one. */
  readonly isCut: boolean
  readonly milliseconds: number
}

/** Calls of the service to itself. */
export interface OwnCalls {
  /** Sends a call as anybody's: every check and every count is the same. */
  send(call: OwnCall): Promise<OwnAnswer>
  /** The address of a request's client: the person's, where the request is one of these. */
  addressOf(request: EdgeMessage): string
}

/** Names the person who a call is made for; believed with the secret of this process alone. */
const personHeader = 'x-concordat-person'
const secretBytes = 24
const wildcards: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/**
 * Makes what calls the service from within, over a connection of its own each time.
 * @param server where it listens
 * @param addressOf tells the address of every other request's client
 */
export function createOwnCalls(server: Server, addressOf: OwnCalls['addressOf']): OwnCalls {
  const secret = randomBytes(secretBytes).toString('base64url')
  return {
    addressOf(request) {
      const person = request.headers[personHeader]
      if (person === undefined) return addressOf(request)
      const [told = '', address = ''] = String(person).split(' ')
      return isSame(told, secret) ? address : addressOf(request)
    },
    async send({ url, body, address, origin, token, mostBytes }) {
      const client = new Client(ownOrigin(server))
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
            // It may tell the network.
            host,
            'content-type': 'application/json',
            [personHeader]: `${secret} ${address}`,
            ...(origin === undefined ? {} : { origin }),
            ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
          },
        })
        const { text, isCut } = await readBeginning(answer, mostBytes)
        const milliseconds = performance.now() - begun
        const lines = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
        return { status: statusCode, headers: lines, text, isCut, milliseconds }
      } finally {
        // What was not read is not waited for.
        await client.destroy()
      }
    },
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function ownOrigin(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The service does not listen')
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

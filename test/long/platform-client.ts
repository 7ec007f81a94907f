/** A small client that runs on every platform. It uses the public API only and returns plain values. */
import {
  createClient,
  createProvider,
  type Fetch,
  isRpcError,
  isTransportError,
  logs,
  waitForReceipt,
  watchBlocks,
} from '../../src/node-access/index.js'

/** Calls the service in every way that depends on the platform: fetch, timers, signals and batches. */
export async function platformResults(url: string, fetch?: Fetch) {
  const client = createClient(url, { fetch })
  const failed = (sent: Promise<unknown>) => sent.catch((error: unknown) => error)
  const block = await client.eth_getBlockByNumber('0x925', true)
  const hash = block?.transactions[0]?.hash ?? '0x'
  const reads = await Promise.all(
    Array.from({ length: 250 }, (_, number) => client.eth_getBlockByNumber(`0x${number.toString(16)}`)),
  )
  let found = 0
  for await (const _ of logs(client, { fromBlock: '0x900' })) found += 1
  const watch = watchBlocks(client)
  const first = (await watch.next()).value
  await watch.return(undefined as never)
  const refused = await failed(client.eth_getBalance('0x12'))
  const unreachable = await failed(
    createClient('http://127.0.0.1:1/', { fetch }).eth_chainId({ retry: false }),
  )
  const controller = new AbortController()
  const aborted = failed(client.eth_gasPrice({ signal: controller.signal }))
  controller.abort()
  return {
    chainId: await client.eth_chainId(),
    provided: await createProvider(client).request({ method: 'net_version' }),
    reads: new Set(reads.map((read) => read?.hash)).size,
    hasManyLogs: found > 10_000,
    watched: first.kind,
    receipt: (await waitForReceipt(client, hash)).status,
    refused: isRpcError(refused, 'invalidParams') && refused.code,
    unreachable: isTransportError(unreachable, 'network'),
    aborted: (await aborted) === controller.signal.reason,
    hasQuota: client.quota !== undefined,
  }
}

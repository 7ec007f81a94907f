/**
 * Calls the service in every way that depends on the platform: fetch, timers, signals and batches. It uses the public API
 * only and returns plain values.
 */
const calls = `async function resultsOf(library, url, fetch) {
  const { createClient, createProvider, isRpcError, isTransportError, logs, waitForReceipt, watchBlocks } = library
  const client = createClient(url, { fetch })
  const failed = (sent) => sent.catch((error) => error)
  const block = await client.eth_getBlockByNumber('0x925', true)
  const reads = await Promise.all(
    Array.from({ length: 120 }, (_, number) => client.eth_getBlockByNumber('0x' + number.toString(16))),
  )
  let found = 0
  for await (const _ of logs(client, { fromBlock: '0x900' })) found += 1
  const watch = watchBlocks(client)
  const first = (await watch.next()).value
  await watch.return()
  const refused = await failed(client.eth_getBalance('0x12'))
  const unreachable = await failed(createClient('http://127.0.0.1:1/', { fetch }).eth_chainId({ retry: false }))
  const controller = new AbortController()
  const aborted = failed(client.eth_gasPrice({ signal: controller.signal }))
  controller.abort()
  return {
    chainId: await client.eth_chainId(),
    provided: await createProvider(client).request({ method: 'net_version' }),
    reads: new Set(reads.map((read) => read.hash)).size,
    hasManyLogs: found > 10_000,
    watched: first.kind,
    receipt: (await waitForReceipt(client, block.transactions[0].hash)).status,
    refused: isRpcError(refused, 'invalidParams') && refused.code,
    unreachable: isTransportError(unreachable, 'network'),
    aborted: (await aborted) === controller.signal.reason,
    hasQuota: client.quota !== undefined,
  }
}
`

/** The results of the calls on every platform, as JSON. */
export const results = JSON.stringify({
  chainId: '0x1f',
  provided: '31',
  reads: 120,
  hasManyLogs: true,
  watched: 'block',
  receipt: '0x1',
  refused: -32602,
  unreachable: true,
  aborted: true,
  hasQuota: true,
})

/** The calls as an ES module, and as a CommonJS one. */
export const callsModule = `export ${calls}`
export const callsCommonJs = `${calls}module.exports = { resultsOf }\n`

/** Prints the results with the global `fetch`, and with `createNodeFetch`. */
const printing = `const print = async () => {
  for (const fetch of [undefined, createNodeFetch()])
    console.log(JSON.stringify(await resultsOf(library, process.env.RPC_URL, fetch)))
}
print()
`

/** A program for Node.js and its like, as an ES module. */
export const importingProgram = {
  'calls.mjs': callsModule,
  'program.mjs': `import process from 'node:process'
import * as library from '@concordat/node-access'
import { createNodeFetch } from '@concordat/node-access/node'
import { resultsOf } from './calls.mjs'
${printing}`,
}

/** The same program as CommonJS. */
export const requiringProgram = {
  'calls.cjs': callsCommonJs,
  'program.cjs': `const process = require('node:process')
const library = require('@concordat/node-access')
const { createNodeFetch } = require('@concordat/node-access/node')
const { resultsOf } = require('./calls.cjs')
${printing}`,
}

/** The output of these programs. */
export const printedTwice = { kind: 'works', output: `${results}\n${results}` } as const

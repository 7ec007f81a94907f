/** Compares this client with other JSON-RPC clients: CPU time per call, bundle size, memory, and faults. */
import { readFile, writeFile } from 'node:fs/promises'
import { type ClientRounds, clientCosts } from './client-costs.js'
import { clientFaults } from './client-faults.js'
import type { PeerName } from './client-peers.js'
import { clientReorganisation } from './client-reorganisation.js'
import { clientSizes } from './client-sizes.js'
import { clientTable, type Figures, outcomeTable } from './client-table.js'

/** A limit, in the unit of the measured value. */
interface Budget {
  readonly name: string
  readonly value: number
  readonly limit: number
}

const kilobyte = 1_000

/**
 * Measures all clients and prints their costs, the budgets and the table.
 * @param isWritten writes the table into docs/integrator.md too
 */
export async function benchClients(rounds: ClientRounds, isWritten: boolean): Promise<void> {
  const sizes = await clientSizes()
  const costs = await clientCosts(rounds, (line) => process.stderr.write(`${line}\n`))
  const row = (...cells: readonly string[]) =>
    console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(44) : cell.padStart(14))).join(''))
  row('µs per call', 'sequential', '32 concurrent')
  for (const [name, { sequential, concurrent }] of costs)
    row(name, sequential.toFixed(0), concurrent.toFixed(1))
  for (const [name, { heapBytes }] of costs) {
    const megabytes = heapBytes.map((bytes) => (bytes / 1_048_576).toFixed(1))
    if (megabytes.length > 0) console.log(`MB of ${name}, over the calls: ${megabytes.join(' ')}`)
  }
  row('bundle, minified and gzipped', 'kB')
  for (const [name, bytes] of Object.entries(sizes)) row(name, (bytes / kilobyte).toFixed(1))
  row('budget', 'measured', 'at most')
  for (const { name, value, limit } of budgets({ costs, sizes })) {
    row(name, value.toFixed(2), limit.toFixed(2), value <= limit ? 'met' : 'MISSED')
  }
  const tables = [
    clientTable({ costs, sizes }),
    outcomeTable([...(await clientFaults()), ...(await clientReorganisation())]),
  ]
  console.log(`\n${tables.join('\n\n')}`)
  if (isWritten) await writeTables(tables)
}

/** Replaces the tables of the section that compares clients. */
async function writeTables(tables: readonly string[]): Promise<void> {
  const guide = new URL('../../docs/integrator.md', import.meta.url)
  const [before = '', section = ''] = (await readFile(guide, 'utf8')).split(
    /(?<=^## Beside other clients\n)/m,
  )
  let next = 0
  const replaced = section.replace(/^\|.*\|$(?:\n\|.*\|$)*/gm, (old) => tables[next++] ?? old)
  await writeFile(guide, before + replaced)
}

function budgets({ costs, sizes }: Figures): readonly Budget[] {
  const decoding = sizes['ours, decoded'] - sizes['ours, all methods']
  const ratio = (ours: PeerName, peer: PeerName, limit: number): Budget => {
    const cost = (name: PeerName) => costs.get(name)?.concurrent ?? Number.NaN
    return { name: `${ours} / ${peer}`, value: cost(ours) / cost(peer), limit }
  }
  return [
    ratio('ours, node:http, batching', 'viem, batching', 0.5),
    ratio('ours, node:http, batching', 'ethers, batching', 1.25),
    ratio('ours, node:http, no batching', 'plain fetch', 1.1),
    ratio('ours, no batching', 'plain fetch', 1.1),
    { name: 'kB of all methods', value: sizes['ours, all methods'] / kilobyte, limit: 8 },
    { name: 'kB of two methods, plain', value: sizes['ours, two methods, plain'] / kilobyte, limit: 5 },
    { name: 'kB with contracts', value: sizes['ours, contracts'] / kilobyte, limit: 26 },
    { name: 'kB of failover', value: sizes['ours, failover'] / kilobyte, limit: 10 },
    { name: 'kB of decoding', value: decoding / kilobyte, limit: 2 },
  ]
}

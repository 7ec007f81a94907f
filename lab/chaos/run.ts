/**
 * `npm run chaos` applies faults under load to three replicas, which share a PostgreSQL server and run behind a
 * balancer with a shipped file. It prints a row for each fault, and exits with 1 if a promise is broken. The promises:
 * no user exceeds a limit, no answer is wrong or violates the contract, and the service recovers without an operator.
 *
 *   npm run chaos -- --only replica-killed   one fault; may be repeated
 *   npm run chaos -- --list                  lists the faults
 *   npm run chaos -- --seconds 5             duration of each fault, 10 by default
 *   npm run chaos -- --seed 7                seed of the calls, 1 by default
 *   npm run chaos -- --balancer nginx        deploy/nginx.conf instead of deploy/haproxy.cfg
 *   npm run chaos -- --json FILE             also writes the rows as JSON
 *   npm run chaos -- --outages               stops the database twice, with users of 0.1 to 10 calls a second, for each
 *                                            balancer or only --balancer; --seconds is the length of an outage
 *   npm run chaos -- --write                 also writes the table of docs/reliability.md, unless a promise is broken
 */
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { oneOf, positive, readOptions, seedOf } from '../../test/support/program-help.js'
import { faults, reasonNotToRun } from './faults.js'
import { outageTable, runOutages } from './outages.js'
import { runFaults } from './run-faults.js'
import { faultTable, terminalRows, withTable } from './table.js'
import { balancers } from './world.js'

const {
  only,
  list,
  seconds,
  seed,
  balancer: one,
  outages,
  json,
  write,
} = readOptions(import.meta.url, () => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: Object.keys(faults) },
      list: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      balancer: { type: 'string' },
      outages: { type: 'boolean', default: false },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  })
  return {
    ...values,
    only: values.only.map((name) => oneOf('only', name, Object.keys(faults))),
    seconds: positive('seconds', values.seconds),
    seed: seedOf(values.seed),
    balancer: values.balancer && oneOf('balancer', values.balancer, balancers),
  }
})
if (list) {
  for (const [name, { about }] of Object.entries(faults)) console.log(`${name.padEnd(24)}${about}`)
  process.exit(0)
}
const tell = (line: string) => void process.stderr.write(`${line}\n`)
const chosen = Object.fromEntries(
  Object.entries(faults).filter(([name, fault]) => {
    const reason = reasonNotToRun(fault)
    if (only.includes(name) && reason !== undefined) tell(`${name}: not run, because ${reason}`)
    return only.includes(name) && reason === undefined
  }),
)
const balancer = one || 'haproxy'
const guide = new URL('../../docs/reliability.md', import.meta.url)
const date = new Date().toISOString().slice(0, 10)
if (outages) {
  const rows = await runOutages({
    balancers: one ? [one] : balancers,
    rates: [0.1, 0.25, 1, 5, 10],
    leads: [10, 25, 60],
    outageSeconds: seconds,
    betweenSeconds: 10,
    tell,
  })
  const table = outageTable(rows)
  console.log(table.map((cells) => cells.join('  ')).join('\n'))
  const command = `npm run chaos -- --outages --seconds ${seconds}${one ? ` --balancer ${one}` : ''}`
  if (write)
    await writeFile(
      guide,
      withTable(await readFile(guide, 'utf8'), 'the outages', table, { command, date, seed }),
    )
  process.exit(rows.length === 0 ? 1 : 0)
}
const rows = await runFaults(chosen, {
  seconds,
  seed,
  balancer,
  tell,
  onRows: (done) => console.log(terminalRows(done)),
})
if (json !== undefined) await writeFile(json, `${JSON.stringify(rows, null, 2)}\n`)
const isBroken = rows.some(({ broken }) => broken.length > 0)
if (write && !isBroken) {
  const command = `npm run chaos -- --seconds ${seconds} --balancer ${balancer}`
  const facts = { command, date, seed }
  await writeFile(guide, withTable(await readFile(guide, 'utf8'), 'the faults', faultTable(rows), facts))
}
process.exitCode = isBroken || rows.length === 0 ? 1 : 0

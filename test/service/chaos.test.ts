import t from 'tap'
import { faults, reasonNotToRun } from '../../lab/chaos/faults.js'
import { runFaults } from '../../lab/chaos/run-faults.js'
import { terminalRows } from '../../lab/chaos/table.js'
import { awayFromMidnight } from '../support/midnight.js'
import { isLong } from '../support/runs.js'

/** Faults of each kind of program: replicas, the database, a node. The long form has all. */
const short = ['replicas-killed', 'database-stopped', 'node-lying']
const chosen = Object.fromEntries(
  Object.entries(faults).filter(([name, fault]) => {
    const reason = reasonNotToRun(fault)
    if (reason !== undefined) t.comment(`${name}: not run, because ${reason}`)
    return reason === undefined && (isLong || short.includes(name))
  }),
)

await awayFromMidnight()
const rows = await runFaults(chosen, {
  seconds: isLong ? 10 : 1,
  seed: 1,
  balancer: isLong ? 'nginx' : 'haproxy',
  tell: (line) => t.comment(line),
  onRows: (done) => t.comment(terminalRows(done)),
})
t.same(rows.map(({ fault }) => fault).sort(), Object.keys(chosen).sort())
for (const { fault, broken, outcomes } of rows) {
  t.same(broken, [], `${fault}: callers get what the contract promises, and the service recovers`)
  t.ok(Number(outcomes['answered']) > 0)
}

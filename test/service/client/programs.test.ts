/** The programs of `lab/clients/` that need only packages of the tests. `npm run clients` runs all of them. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { runProgram } from '../../../lab/clients/program.js'
import { startServices } from '../../../lab/clients/services.js'
import { parseClients } from '../../../lab/clients/table.js'

const table = parseClients(readFileSync(new URL('../../../docs/clients.md', import.meta.url), 'utf8'))
const names = ['ethers-6', 'viem', 'wagmi', 'web3.js']
const services = await startServices()
t.teardown(() => services.stop())

// One after the other, because each program restarts the service.
for (const [index, name] of names.entries()) {
  t.test(`${name} gets the results of docs/clients.md`, async (t) => {
    const { results, output, failure } = await runProgram(name, services.settings(index))
    const wanted = Object.fromEntries(table.get(name)?.results ?? [])
    const isRight = t.same({ ...Object.fromEntries(results), failure }, { ...wanted, failure: undefined })
    if (!isRight) t.comment(output)
  })
}

/**
 * `npm run bench` compares the service with its peers, in one run with the same work. The result is the median processor
 * time of the server per request, as a ratio to the peer. Requests per second alone are misleading, because the load
 * runs on the same machine. Programs that are missing, nginx and PostgreSQL, are named with the command that installs them.
 *
 *   npm run bench                           all parts
 *   npm run bench -- requests               one part of the list below
 *   npm run bench -- requests 20000 10000   number of requests per load, and of users in loads with many users
 *   npm run bench -- requests --against REV the commit to compare with, 9cf8ec6 by default; this clone must have it
 *   npm run bench -- requests --peer NAME/PATH=COMMAND
 *                                           another gateway too, such as eRPC or proxyd: COMMAND starts it on 127.0.0.1
 *                                           at $PORT, in front of the node at $NODE_URL
 *   npm run bench -- users 60 10000         requests of each user in a round, number of users: 15 minutes
 *   npm run bench -- users 30 10000 5000    the same at 5,000 requests per second: 20 minutes
 *   npm run bench -- large                  a document of 2 MB: processor time and memory of `generate`
 *   npm run bench -- clients 10000          calls of a round: the client beside other clients
 *   npm run bench -- clients --write        the same, and writes the table into docs/integrator.md
 *   npm run bench -- queue 1000             bursts of this many parallel calls, with 50 other users
 *   npm run bench -- one-turn               what 1,000 and 5,000 reads in one turn get from each library, for docs/integrator.md
 *   npm run bench -- overload 100 8         this many users at three times the capacity, for eight seconds; also --against
 *   npm run bench -- transports 20000       calls of a round: our server beside other servers, on each transport
 *   npm run bench -- idle 10000             memory of this many idle WebSockets
 *   npm run bench -- subscriptions 1000     memory of a server with this many subscriptions; some callers read slowly
 *   npm run bench -- database 10000 1000000 the statements of the service on a PostgreSQL with so many users; fails if one
 *                                           of them reads all users; 1,000,000 users take 3 GB of disk
 *   npm run bench -- memory 1000000         memory over this many requests
 *   npm run bench -- worst                  the most expensive requests and answers of nodes
 *   npm run bench -- worst batch            only those with "batch" in their names
 *   npm run bench -- isolation              another user's calls while one does its worst: nine minutes; fails over the budget
 *   npm run bench -- isolation "log ranges" only rows with this in their names, such as "nginx: large bodies"
 *   npm run bench -- isolation "" 500       all rows at 500 calls per second of the other user: for a busy machine
 *   npm run bench -- types                  values that types refuse, beside json-schema-to-typescript where it is installed
 *   npm run bench -- documents DOC...       no benchmark: the whole toolkit on these OpenRPC documents
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readOptions } from '../../test/support/program-help.js'
import { benchClients } from './clients.js'
import { benchDatabase } from './database-sizes.js'
import { tryDocuments } from './documents.js'
import { benchGenerate, benchLarge } from './generate.js'
import { benchIdle } from './idle.js'
import { benchIsolation } from './isolation.js'
import { benchMemory } from './memory.js'
import { benchOneTurn } from './one-turn.js'
import { benchOverload } from './overload.js'
import { benchQueue } from './queue.js'
import { benchRequests, olderCommit } from './requests.js'
import { benchSchemaTypes } from './schema-types.js'
import { benchSubscriptions } from './subscriptions.js'
import { benchTransports } from './transports.js'
import { benchUsers } from './users.js'
import { benchWorstCases } from './worst-cases.js'

const { values, positionals } = readOptions(import.meta.url, () =>
  parseArgs({
    allowPositionals: true,
    options: {
      write: { type: 'boolean', default: false },
      against: { type: 'string', default: olderCommit },
      peer: { type: 'string', multiple: true, default: [] },
    },
  }),
)
const [part = 'all', count, users, perSecond] = positionals
const folder = await mkdtemp(join(tmpdir(), 'concordat-bench-'))
const parts: Readonly<Record<string, () => Promise<void>>> = {
  generate: () => benchGenerate(join(folder, 'generate')),
  large: () => benchLarge(join(folder, 'large')),
  clients: () =>
    benchClients({ rounds: 5, calls: Number(count ?? 10_000), memoryCalls: 100_000 }, values.write),
  requests: () =>
    benchRequests(join(folder, 'requests'), {
      rounds: 5,
      requests: Number(count ?? 20_000),
      users: Number(users ?? 10_000),
      against: values.against,
      peers: values.peer,
    }),
  queue: () => benchQueue(join(folder, 'queue'), { rounds: 3, calls: Number(count ?? 1_000), seconds: 10 }),
  'one-turn': () => benchOneTurn(),
  overload: () =>
    benchOverload(join(folder, 'overload'), {
      rounds: 3,
      users: Number(count ?? 100),
      seconds: Number(users ?? 8),
      against: values.against,
    }),
  users: () =>
    benchUsers(join(folder, 'users'), {
      rounds: 2,
      requestsOfEach: Number(count ?? 60),
      perSecond: perSecond === undefined ? undefined : Number(perSecond),
      users: Number(users ?? 10_000),
    }),
  transports: () =>
    benchTransports(join(folder, 'transports'), { rounds: 5, calls: Number(count ?? 20_000) }),
  idle: () => benchIdle(Number(count ?? 10_000)),
  subscriptions: () => benchSubscriptions(Number(count ?? 1_000), { perSecond: 100, seconds: 60 }),
  database: async () => {
    const sizes = positionals.slice(1).map(Number)
    if (!(await benchDatabase(sizes.length === 0 ? [10_000, 100_000] : sizes))) process.exitCode = 1
  },
  memory: () => benchMemory(join(folder, 'memory'), Number(count ?? 200_000)),
  types: () => benchSchemaTypes(join(folder, 'types')),
  documents: () => tryDocuments(join(folder, 'documents'), positionals.slice(1)),
  isolation: async () => {
    if (!(await benchIsolation(join(folder, 'isolation'), count, Number(users ?? 0)))) process.exitCode = 1
  },
  worst: () => benchWorstCases(join(folder, 'worst'), count),
}
const chosen = part === 'all' ? Object.values(parts) : [parts[part]]
try {
  for (const bench of chosen) {
    if (bench === undefined) throw new Error(`no part ${part}: ${Object.keys(parts).join(', ')}`)
    await bench()
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

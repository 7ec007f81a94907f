/**
 * `npm run bench`: ours beside its peers, in one run on the same work. What counts is the processor time of the serving
 * process per request, the median of the rounds, as a ratio to the peer: with the load on the same machine, requests
 * per second alone mislead.
 *
 *   npm run bench                           all of it
 *   npm run bench -- requests               one part: generate, requests, queue, users, memory or worst
 *   npm run bench -- requests 20000 10000   so many requests a load, so many users where there are many
 *   npm run bench -- users 60 10000         so many requests of each user in a round, so many users: a quarter of an hour
 *   npm run bench -- users 30 10000 5000    the same at 5,000 requests a second: twenty minutes
 *   npm run bench -- queue 1000             bursts of that many parallel calls, beside 50 other users
 *   npm run bench -- memory 1000000         memory over so many requests
 *   npm run bench -- worst                  the most expensive requests and answers of nodes
 *   npm run bench -- worst batch            those of them with "batch" in their names
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchGenerate } from './generate.js'
import { benchMemory } from './memory.js'
import { benchQueue } from './queue.js'
import { benchRequests } from './requests.js'
import { benchUsers } from './users.js'
import { benchWorstCases } from './worst-cases.js'

const [part = 'all', count, users, perSecond] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'concordat-bench-'))
const parts: Readonly<Record<string, () => Promise<void>>> = {
  generate: () => benchGenerate(join(folder, 'generate')),
  requests: () =>
    benchRequests(join(folder, 'requests'), {
      rounds: 5,
      requests: Number(count ?? 20_000),
      users: Number(users ?? 10_000),
    }),
  queue: () => benchQueue(join(folder, 'queue'), { rounds: 3, calls: Number(count ?? 1_000), seconds: 10 }),
  users: () =>
    benchUsers(join(folder, 'users'), {
      rounds: 2,
      requestsOfEach: Number(count ?? 60),
      perSecond: perSecond === undefined ? undefined : Number(perSecond),
      users: Number(users ?? 10_000),
    }),
  memory: () => benchMemory(join(folder, 'memory'), Number(count ?? 200_000)),
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

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { floods } from '../../test/support/floods.js'
import type { AttackCounts } from './isolation-attacker.js'
import type { BystanderLoad, BystanderOutcome, KindOutcome } from './isolation-bystander.js'
import { isRunning, type SetUp, setUps } from './isolation-set-ups.js'
import { processorTime } from './processes.js'

/** A row of the table. */
interface Attack {
  readonly name: string
  /** Users who attack at the same time. */
  readonly accounts: number
}

const alone = [
  'large bodies',
  'large bodies, limit spent',
  'batches of slow calls',
  'log ranges',
  'reverting estimates',
  'slow reading',
  'large answers',
  'large answers, compressed',
  'disconnecting',
]
const attacks: readonly Attack[] = [
  ...[...alone, 'all together'].map((name) => ({ name, accounts: 1 })),
  { name: 'all together', accounts: 3 },
  { name: 'batches of slow calls', accounts: 3 },
  { name: 'batches of 1,000 slow calls', accounts: 1 },
  { name: 'batches of 1,000 slow calls', accounts: 3 },
  { name: 'dead network, refusing', accounts: 1 },
  { name: 'dead network, hanging', accounts: 1 },
]

/** The attacks of callers without a key, who never finish a request. */
const floodAttacks: readonly Attack[] = Object.keys(floods).map((name) => ({ name, accounts: 1 }))

/** The attacks on `examples/backend`, whose methods are quick and have short answers. */
const backendAttacks: readonly Attack[] = [
  'large bodies',
  'batches of quick calls',
  'large messages',
  'disconnecting',
].map((name) => ({ name, accounts: 1 }))

const bystanders = 40
const seconds = { warmUp: 6, warmUpAgain: 2, capacity: 4, settle: 0.5, normal: 3, attacked: 6 } as const
/** Delay of the first measured call after the start of the attack. */
const headStartMilliseconds = 1_500
/** The 99th percentile must stay below this time, or below twice its normal value if that is longer. */
const budgetMilliseconds = 60

/**
 * Measures one user's calls at half the capacity of the service, with and without attacks of another user. Prints a
 * table, and whether each row is within the budget.
 * @param folder folder of the services
 * @param only part of the names of the rows to measure, such as `nginx` or `log ranges`; all rows by default
 * @param perSecond calls per second of the measured user; by default half the capacity measured in this run
 * @returns false if a row is over the budget
 */
export async function benchIsolation(folder: string, only = '', perSecond = 0): Promise<boolean> {
  let isWithin = true
  for (const [name, start] of Object.entries(setUps)) {
    const rows = attacksOn(name).filter((attack) => `${name}: ${titleOf(attack)}`.includes(only))
    if (rows.length === 0) continue
    const bench = new Isolation((attempt) => start(`${folder}/${name}-${attempt}`), perSecond)
    try {
      await bench.start()
      console.log(`${name}: ${Math.round(bench.perSecond)} calls/s of another user`)
      row('', 'calls', 'normal p50', 'p99', 'p50', 'p99 ms', 'p50 ratio', 'failed', 'budget')
      for (const attack of rows) isWithin = (await bench.measure(attack)) && isWithin
    } finally {
      await bench.end()
    }
  }
  return isWithin
}

/** HAProxy gets only the floods, because attacks with a key are the same as through nginx. */
function attacksOn(setUp: string): readonly Attack[] {
  if (setUp === 'backend') return backendAttacks
  return setUp === 'haproxy' ? floodAttacks : [...attacks, ...floodAttacks]
}

const titleOf = ({ name, accounts }: Attack) => (accounts === 1 ? name : `${name}, ${accounts} accounts`)

/** The measured services, which are replaced after an attack with lasting effects. */
class Isolation {
  readonly #start: (attempt: number) => Promise<SetUp>
  readonly #bystander = new Child('isolation-bystander.ts')
  #setUp: SetUp | undefined
  #attempts = 0
  #users = 0
  #calls = 0
  perSecond: number

  /** @param perSecond calls per second of the measured user; 0 for half the capacity */
  constructor(start: (attempt: number) => Promise<SetUp>, perSecond: number) {
    this.#start = start
    this.perSecond = perSecond
  }

  /** Starts the services. The first start measures their capacity. */
  async start(): Promise<SetUp> {
    if (this.#setUp !== undefined) return this.#setUp
    const setUp = await this.#start(++this.#attempts)
    this.#setUp = setUp
    const paths = await this.#keys(setUp, bystanders)
    await this.#send(setUp, paths, this.#attempts === 1 ? seconds.warmUp : seconds.warmUpAgain)
    this.perSecond ||= (await this.#send(setUp, paths, seconds.capacity)).perSecond / 2
    return setUp
  }

  /** Measures a row and prints it. Returns true if it is within the budget. */
  async measure(attack: Attack): Promise<boolean> {
    const setUp = await this.start()
    const paths = await this.#keys(setUp, bystanders)
    await this.#send(setUp, paths, seconds.settle, this.perSecond)
    const idle = await this.#used(setUp)
    const normal = await this.#send(setUp, paths, seconds.normal, this.perSecond)
    const usual = shares(idle, await this.#used(setUp), seconds.normal)
    const [what, dead] = attack.name.split(', ')
    const isDead = what === 'dead network'
    const attackers = await this.#keys(setUp, attack.accounts, {
      network: isDead ? 'main' : 'test',
      ...(attack.name.endsWith('spent') && { dailyLimit: 1 }),
    })
    if (isDead) setUp.stopNodes(dead === 'refusing' ? 'refusing' : 'hanging')
    const attacker = new Child('isolation-attacker.ts', attack.name, setUp.origin, ...attackers)
    await delay(headStartMilliseconds)
    const before = await this.#used(setUp, attacker)
    const attacked = await this.#send(setUp, paths, seconds.attacked, this.perSecond)
    const after = await this.#used(setUp, attacker)
    const counts = await attacker.ask<AttackCounts>('count')
    await attacker.end()
    const title = titleOf(attack)
    const isWithin = [
      show(title, 'small', normal.small, attacked.small),
      show('', setUp.contract === 'stock' ? 'batch' : 'eth_call', normal.call, attacked.call),
    ].every(Boolean)
    const ended = setUp.pids.filter((pid) => !isRunning(pid)).length
    if (ended > 0) console.log(`  ${ended} of ${setUp.pids.length} processes of the service have ended`)
    console.log(`  answers to the attacker: ${listed(counts) || 'none yet'}`)
    const during = shares(before, after, seconds.attacked)
    console.log(`  processor time in percent of a core: ${during}; normally ${usual}`)
    if (ended > 0 || isDead || !(await this.#isQuiet(setUp, paths))) await this.#endSetUp()
    return isWithin && ended === 0
  }

  /** Ends all processes. */
  async end(): Promise<void> {
    await this.#bystander.end()
    await this.#endSetUp()
  }

  async #endSetUp(): Promise<void> {
    await this.#setUp?.end()
    this.#setUp = undefined
  }

  #keys(setUp: SetUp, count: number, options: Parameters<SetUp['users']>[1] = {}): Promise<string[]> {
    this.#users += count
    return setUp.users(count, { ...options, firstUser: this.#users - count })
  }

  async #send(
    { origin, contract }: SetUp,
    paths: readonly string[],
    duration: number,
    perSecond?: number,
  ): Promise<BystanderOutcome> {
    const first = this.#calls
    this.#calls += 1_000_000
    const asked: BystanderLoad = {
      origin,
      contract,
      paths,
      first,
      seconds: duration,
      ...(perSecond && { perSecond }),
    }
    return this.#bystander.ask<BystanderOutcome>(asked)
  }

  /** The processor time of all processes so far, in microseconds. */
  async #used({ pids, nodePids }: SetUp, attacker?: Child): Promise<Record<string, number>> {
    const groups = {
      service: pids,
      nodes: nodePids,
      bystander: [this.#bystander.pid],
      attacker: attacker === undefined ? [] : [attacker.pid],
    }
    const used = Object.entries(groups).map(async ([name, group]) => {
      const times = await Promise.all(group.filter(isRunning).map(processorTime))
      return [name, times.reduce((sum, time) => sum + time, 0)]
    })
    return Object.fromEntries(await Promise.all(used))
  }

  /** Returns true if the service becomes idle within some seconds and answers within the budget. */
  async #isQuiet(setUp: SetUp, paths: readonly string[]): Promise<boolean> {
    const used = async () =>
      (await Promise.all(setUp.pids.map(processorTime))).reduce((sum, time) => sum + time)
    const interval = 300
    for (let turn = 0; turn < 10; turn += 1) {
      const before = await used()
      await delay(interval)
      if ((await used()) - before > interval * 100) continue
      const { small, call } = await this.#send(setUp, paths, seconds.settle, 200)
      return [small, call].every(({ p99, failures }) => p99 < budgetMilliseconds && listed(failures) === '')
    }
    return false
  }
}

/** Prints the calls of one kind. Returns true if they are within the budget. */
function show(title: string, kind: string, normal: KindOutcome, attacked: KindOutcome): boolean {
  const failed = Object.values(attacked.failures).reduce((sum, count) => sum + count, 0)
  const isWithin = failed === 0 && attacked.p99 < Math.max(2 * normal.p99, budgetMilliseconds)
  const times = [normal.p50, normal.p99, attacked.p50, attacked.p99].map((time) => time.toFixed(1))
  const ratio = (attacked.p50 / normal.p50).toFixed(1)
  row(title, kind, ...times, ratio, `${failed}/${attacked.calls}`, isWithin ? 'holds' : 'EXCEEDED')
  if (failed > 0) console.log(`  failed: ${listed(attacked.failures)}`)
  if (normal.p99 >= budgetMilliseconds)
    console.log('  The machine is too busy for a verdict: the normal p99 is over the budget.')
  const usual = listed(normal.failures)
  if (usual !== '') console.log(`  failed without the attacker: ${usual}`)
  return isWithin
}

/** The processor time of each process between two moments, in percent of a core. */
const shares = (before: Record<string, number>, after: Record<string, number>, seconds: number) =>
  Object.entries(after)
    .map(([name, time]) => `${name} ${Math.round((time - (before[name] ?? 0)) / (seconds * 10_000))}`)
    .join(', ')

const listed = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([what, count]) => `${count} × ${what}`)
    .join(', ')

function row(title: string, kind: string, ...cells: readonly string[]): void {
  console.log(title.padEnd(28) + kind.padEnd(10) + cells.map((cell) => cell.padStart(11)).join(''))
}

/** A process of this folder that answers messages. */
class Child {
  readonly #child: ChildProcess
  readonly #ended: Promise<never>

  constructor(file: string, ...args: string[]) {
    this.#child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv: ['--import=tsx'] })
    this.#ended = once(this.#child, 'exit').then(() => Promise.reject(new Error(`${file} ended`)))
    this.#ended.catch(() => undefined)
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  async ask<Answer>(message: object | string): Promise<Answer> {
    this.#child.send(message)
    const [answer] = await Promise.race([once(this.#child, 'message'), this.#ended])
    return answer
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    await this.#ended.catch(() => undefined)
  }
}

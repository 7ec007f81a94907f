import { setTimeout as delay } from 'node:timers/promises'
import { limits } from '../../generated/contract.js'
import { HeavyCallers } from '../../test/support/heavy-callers.js'
import { type NodeServer, sendAnswers } from '../../test/support/node-server.js'
import { firstHead } from './chain.js'
import { canMount } from './disk.js'
import type { Need, World } from './world.js'

/** A fault of the programs or their connections. The service must recover from it without an operator. */
export interface Fault {
  readonly about: string
  /** Special set-up that the fault needs. */
  readonly need?: Need
  /** Begins the fault. A fault without `end` is over when this work is done. */
  readonly begin: (world: World, seconds: number) => unknown
  /** Ends the fault. */
  readonly end?: (world: World) => unknown
}

/** Returns the reason why a fault cannot run on this machine; undefined if it can. */
export const reasonNotToRun = ({ need }: Fault): string | undefined =>
  need === 'disks' && !canMount() ? 'only root may mount its disk' : undefined

/** Makes a node answer calls with an invalid result. Its chain id, sync status and head stay correct. */
function lie(node: NodeServer): void {
  node.fault = (request, response) => {
    if (request.calls.some(({ method }) => /^eth_(chainId|syncing|blockNumber)$/.test(method))) return false
    sendAnswers(request, response, () => ({ result: { not: 'a result' } }))
    return true
  }
}

/** Makes a node refuse requests above a rate per second with HTTP 429. */
function limitRate(node: NodeServer, perSecond: number): void {
  let [second, count] = [0, 0]
  node.fault = (_, response) => {
    const now = Math.floor(performance.now() / 1_000)
    count = now === second ? count + 1 : 1
    second = now
    if (count <= perSecond) return false
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
    response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"too many requests"}}')
    return true
  }
}

const beHonest = (node: NodeServer) => {
  node.fault = undefined
}

const readOnly = 'alter system set default_transaction_read_only = on'
const writable = 'alter system reset default_transaction_read_only'
const reload = 'select pg_reload_conf()'

/** Sends the most expensive bodies of the maximum size, as another user. Returns a function that stops this. */
async function sendLargeBodies({ origin, newKey }: World): Promise<() => void> {
  const { path } = await newKey('heavy')
  const callers = new HeavyCallers()
  const bodies = [
    '['.repeat(limits.bodyBytes - 10),
    `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${Array(49_900).fill('[]').join()}]}`.padEnd(
      limits.bodyBytes,
    ),
  ]
  const timer = setInterval(() => {
    for (const body of bodies) callers.ask(`${origin}${path}`, body)
  }, 250)
  return () => {
    clearInterval(timer)
    callers.leave()
  }
}
let stopLargeBodies = () => {}

/** The faults by name, in the order of a run. */
export const faults: Readonly<Record<string, Fault>> = {
  'replica-killed': {
    about: 'a replica is killed (SIGKILL)',
    begin: ({ replicas }) => replicas[0].signal('SIGKILL'),
  },
  'replicas-killed': {
    about: 'all replicas are killed at once',
    begin: ({ replicas }) => replicas.forEach((replica) => void replica.signal('SIGKILL')),
  },
  'replica-restarts': {
    about: 'a replica is killed again and again, as soon as it answers',
    begin: async ({ replicas: [replica], slowness }, seconds) => {
      const until = performance.now() + seconds * 1_000
      while (performance.now() < until) {
        replica.signal('SIGKILL')
        await delay(250)
        while (performance.now() < until && !(await replica.isReady(slowness.now))) await delay(100)
      }
    },
  },
  'replica-frozen': {
    about: 'a replica is frozen (SIGSTOP)',
    begin: ({ replicas }) => replicas[0].signal('SIGSTOP'),
    end: ({ replicas }) => replicas[0].signal('SIGCONT'),
  },
  'small-heap': {
    about: 'a replica has a heap of 256 MB, and another user sends the largest bodies',
    begin: async (world) => {
      await world.replicas[0].restart({ isHeapSmall: true })
      stopLargeBodies = await sendLargeBodies(world)
    },
    end: ({ replicas }) => {
      stopLargeBodies()
      return replicas[0].restart({})
    },
  },
  'database-stopped': {
    about: 'PostgreSQL is stopped',
    begin: ({ database }) => database().stop(),
    end: ({ database }) => database().start(),
  },
  'database-twice': {
    about: 'PostgreSQL is stopped, and again after a third of the time',
    begin: async ({ database }, seconds) => {
      await database().stop()
      await delay(seconds * 1_000)
      await database().start()
      await delay(seconds * 333)
      await database().stop()
    },
    end: ({ database }) => database().start(),
  },
  'database-frozen': {
    about: 'PostgreSQL is frozen (SIGSTOP)',
    begin: ({ database }) => database().freeze(),
    end: ({ database }) => database().thaw(),
  },
  'database-read-only': {
    about: 'PostgreSQL is read-only',
    begin: async ({ query }) => {
      await query(readOnly)
      await query(reload)
    },
    end: async ({ query }) => {
      await query(writable)
      await query(reload)
    },
  },
  'database-slow': {
    about: 'PostgreSQL is slow: 200 ms more in each direction',
    begin: ({ toDatabase }) => toDatabase.slow(200),
    end: ({ toDatabase }) => toDatabase.heal(),
  },
  'database-cut': {
    about: 'the network to PostgreSQL closes all connections',
    begin: ({ toDatabase }) => toDatabase.cut(),
    end: ({ toDatabase }) => toDatabase.heal(),
  },
  'database-silent': {
    about: 'the network to PostgreSQL loses everything, and connections stay open',
    begin: ({ toDatabase }) => toDatabase.stall(),
    end: ({ toDatabase }) => toDatabase.heal(),
  },
  'database-promoted': {
    about: 'the primary is frozen, and its synchronous standby is promoted at the end',
    need: 'standby',
    begin: ({ database }) => database().freeze(),
    end: (world) => world.promoteStandby(),
  },
  'replica-cut': {
    about: 'the network from the balancer to a replica closes all connections',
    begin: ({ toReplicas }) => toReplicas[0].cut(),
    end: ({ toReplicas }) => toReplicas[0].heal(),
  },
  'replica-silent': {
    about: 'the network from the balancer to a replica loses everything',
    begin: ({ toReplicas }) => toReplicas[0].stall(),
    end: ({ toReplicas }) => toReplicas[0].heal(),
  },
  'node-dead': {
    about: 'one of two nodes closes all connections',
    begin: ({ toNodes }) => toNodes[0].cut(),
    end: ({ toNodes }) => toNodes[0].heal(),
  },
  'nodes-dead': {
    about: 'both nodes close all connections',
    begin: ({ toNodes }) => toNodes.forEach((way) => void way.cut()),
    end: ({ toNodes }) => toNodes.forEach((way) => void way.heal()),
  },
  'node-silent': {
    about: 'one of two nodes keeps its connections and is silent',
    begin: ({ toNodes }) => toNodes[0].stall(),
    end: ({ toNodes }) => toNodes[0].heal(),
  },
  'node-slow': {
    about: 'one of two nodes takes three seconds longer',
    begin: ({ toNodes }) => toNodes[0].slow(1_500),
    end: ({ toNodes }) => toNodes[0].heal(),
  },
  'node-lying': {
    about: 'one of two nodes answers what no schema allows',
    begin: ({ nodes }) => lie(nodes[0]),
    end: ({ nodes }) => beHonest(nodes[0]),
  },
  'nodes-lying': {
    about: 'both nodes answer what no schema allows',
    begin: ({ nodes }) => nodes.forEach(lie),
    end: ({ nodes }) => nodes.forEach(beHonest),
  },
  'node-lagging': {
    about: 'one of two nodes is 20 blocks behind',
    begin: ({ chain, nodes }) => chain.setLag(nodes[0], 20),
    end: ({ chain, nodes }) => chain.setLag(nodes[0], 0),
  },
  'node-syncing': {
    about: 'one of two nodes is syncing, 200 blocks behind',
    begin: ({ chain, nodes: [node] }) => {
      chain.setLag(node, 200)
      node.syncing = { startingBlock: '0x0', currentBlock: '0x10', highestBlock: '0x400' }
    },
    end: ({ chain, nodes: [node] }) => {
      chain.setLag(node, 0)
      node.syncing = false
    },
  },
  'node-reset': {
    about: 'one of two nodes starts with an empty chain',
    begin: ({ chain, nodes }) => chain.setLag(nodes[0], firstHead * 10),
    end: ({ chain, nodes }) => chain.setLag(nodes[0], 0),
  },
  'chain-reset': {
    about: 'the chain of both nodes starts anew, and is replaced by the old one at the end',
    begin: ({ chain }) => chain.become({ head: 10, branch: 'reset' }),
    end: ({ chain }) => chain.become({ head: firstHead * 2, branch: 'main' }),
  },
  'chain-reorganised': {
    about: 'both nodes change to another branch, and back at the end',
    begin: ({ chain }) => chain.become({ branch: 'other' }),
    end: ({ chain }) => chain.become({ branch: 'main' }),
  },
  'node-rate-limited': {
    about: 'one of two nodes answers ten requests a second, and others with HTTP 429',
    begin: ({ nodes }) => limitRate(nodes[0], 10),
    end: ({ nodes }) => beHonest(nodes[0]),
  },
  'data-disk-full': {
    about: 'the disk of the data folders is full, and a replica is killed',
    need: 'disks',
    begin: async ({ disks, replicas }) => {
      await disks().data.fill()
      replicas[0].signal('SIGKILL')
    },
    end: ({ disks }) => disks().data.free(),
  },
  'data-folder-read-only': {
    about: 'the data folders are read-only, and a replica is killed',
    need: 'disks',
    begin: async ({ disks, replicas }) => {
      await disks().data.setReadOnly(true)
      replicas[0].signal('SIGKILL')
    },
    end: ({ disks }) => disks().data.setReadOnly(false),
  },
  'database-disk-full': {
    about: 'the disk of PostgreSQL is full',
    need: 'disks',
    begin: async ({ disks, query }) => {
      await disks().database.fill()
      // Forces new files of the write-ahead log, which a busy server would need soon.
      for (let n = 0; n < 4; n += 1) {
        await query('create table if not exists filler (n integer)').catch(() => undefined)
        await query('insert into filler select generate_series(1, 1000)').catch(() => undefined)
        await query('select pg_switch_wal()').catch(() => undefined)
      }
    },
    end: async ({ disks, database }) => {
      await disks().database.free()
      // Restarts the server if it has exited, as its supervisor does.
      await database().start()
    },
  },
  'clock-ahead': {
    about: 'the clock of a replica is an hour ahead',
    need: 'clocks',
    begin: ({ clocks }) => clocks()[0].set(3_600),
    end: ({ clocks }) => clocks()[0].set(0),
  },
  'clock-behind': {
    about: 'the clock of a replica is an hour behind',
    need: 'clocks',
    begin: ({ clocks }) => clocks()[0].set(-3_600),
    end: ({ clocks }) => clocks()[0].set(0),
  },
  midnight: {
    about: 'all clocks pass midnight',
    need: 'clocks',
    begin: async (world, seconds) => {
      const day = 86_400
      const left = day - (Math.floor(Date.now() / 1_000) % day)
      await world.setAllClocks(left - Math.ceil(seconds * 0.6))
    },
    end: () => undefined,
  },
}

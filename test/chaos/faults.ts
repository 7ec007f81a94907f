import type { World } from './world.js'

/** A fault: what is done to the programs, and how it ends. Nothing else is done to them: they recover by themselves. */
export interface Fault {
  readonly about: string
  /** Begins the fault. Its end is the end of the fault that has no `end`. */
  readonly begin: (world: World) => unknown
  /** Ends a fault that lasts. */
  readonly end?: (world: World) => unknown
}

/** The faults by name, in the order of a run. */
export const faults: Readonly<Record<string, Fault>> = {
  'replica-killed': {
    about: 'a replica is killed (SIGKILL), and its supervisor starts it again',
    begin: ({ replicas }) => replicas[0].signal('SIGKILL'),
  },
  'replica-frozen': {
    about: 'a replica is frozen (SIGSTOP)',
    begin: ({ replicas }) => replicas[0].signal('SIGSTOP'),
    end: ({ replicas }) => replicas[0].signal('SIGCONT'),
  },
  'database-stopped': {
    about: 'PostgreSQL stops and starts again',
    begin: ({ postgres }) => postgres.stop(),
    end: ({ postgres }) => postgres.start(),
  },
  'node-dead': {
    about: 'one of two nodes refuses connections',
    begin: ({ toNodes }) => toNodes[0].cut(),
    end: ({ toNodes }) => toNodes[0].heal(),
  },
}

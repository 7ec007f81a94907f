import type { FastifyInstance } from 'fastify'

/** What health is told from. */
export interface HealthSources {
  /** True once the service is stopping. */
  readonly isDraining: () => boolean
  /** The networks that are served: each tells whether a node of it answers. */
  readonly networks: Readonly<Record<string, { ready(): Promise<boolean> }>>
  /** Fulfils when the database answers. */
  readonly database: () => Promise<unknown>
}

/** Whether the parts of the service answer: what the body of `/readyz` says. */
export interface Readiness {
  readonly networks: Readonly<Record<string, 'ok' | 'no node'>>
  readonly database: 'ok' | 'no answer'
}

/** In milliseconds: for how long an answer is told again, so that asking often costs the nodes and the database nothing. */
const freshMs = 1_000
/** A database that takes longer than this, in milliseconds, does not answer. */
const databaseMs = 2_000

/**
 * Adds `GET /healthz` (200 while the process is alive) and `GET /readyz` (503 when it is stopping or no network has a
 * node; the body names each network and the database, without which leases are still served).
 * @returns what tells whether the parts answer, as `/readyz` does
 */
export function registerHealth(app: FastifyInstance, sources: HealthSources): () => Promise<Readiness> {
  const readiness = createReadiness(sources)
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const parts = await readiness()
    const isDraining = sources.isDraining()
    if (isDraining) reply.header('connection', 'close')
    const states = Object.values(parts.networks)
    const hasNode = states.includes('ok')
    const isWhole = parts.database === 'ok' && states.every((state) => state === 'ok')
    const status = isDraining ? 'draining' : hasNode ? (isWhole ? 'ok' : 'degraded') : 'no node'
    return reply.code(hasNode && !isDraining ? 200 : 503).send({ status, ...parts })
  })
  return readiness
}

/** Asks all parts at once; those who ask while an answer is fresh, or being had, share it. */
function createReadiness({ networks, database }: HealthSources): () => Promise<Readiness> {
  let answer: Promise<Readiness> | undefined
  const ask = async (): Promise<Readiness> => {
    const [known, ...states] = await Promise.all([
      answers(database),
      ...Object.entries(networks).map(
        async ([name, { ready }]) => [name, (await ready()) ? 'ok' : 'no node'] as const,
      ),
    ])
    const forget = () => {
      answer = undefined
    }
    setTimeout(forget, freshMs).unref()
    return { networks: Object.fromEntries(states), database: known ? 'ok' : 'no answer' }
  }
  return () => {
    answer ??= ask()
    return answer
  }
}

/** True when it fulfils in time. */
function answers(ask: () => Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), databaseMs)
    const settle = (answered: boolean) => () => {
      clearTimeout(timer)
      resolve(answered)
    }
    ask().then(settle(true), settle(false))
  })
}

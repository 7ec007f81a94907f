import type { FastifyInstance } from 'fastify'

/** Sources of the health checks. */
export interface HealthSources {
  /** Returns true during shutdown. */
  readonly isDraining: () => boolean
  /** The served networks; `ready` is true when a node of the network answers. */
  readonly networks: Readonly<Record<string, { ready(): Promise<boolean> }>>
  /** Resolves when the database answers. */
  readonly database: () => Promise<unknown>
}

/** The status of each part, as in the body of `/readyz`. */
export interface Readiness {
  readonly networks: Readonly<Record<string, 'ok' | 'no node'>>
  readonly database: 'ok' | 'no answer'
}

/**
 * Time for which a result is cached, in milliseconds, so that frequent checks cost the nodes and the database
 * nothing.
 */
const freshMs = 1_000
/**
 * Timeout of each check, in milliseconds. Load balancers often wait for a second only, and must not take every process
 * for unready while the database or a node hangs.
 */
const checkMs = 500

/**
 * Adds the health routes. `GET /healthz` returns 200 while the process is alive. `GET /readyz` returns 503
 * during shutdown only, because another process would do no better without a node or the database. Its body lists
 * each network and the database.
 * @returns the function that returns the readiness, as in `/readyz`
 */
export function registerHealth(app: FastifyInstance, sources: HealthSources): () => Promise<Readiness> {
  const readiness = createReadiness(sources)
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const parts = await readiness()
    const isDraining = sources.isDraining()
    if (isDraining) reply.header('connection', 'close')
    const isWhole = [parts.database, ...Object.values(parts.networks)].every((state) => state === 'ok')
    const status = isDraining ? 'draining' : isWhole ? 'ok' : 'degraded'
    return reply.code(isDraining ? 503 : 200).send({ status, ...parts })
  })
  return readiness
}

/** Checks all parts concurrently. Callers share a pending or recent result. */
function createReadiness({ networks, database }: HealthSources): () => Promise<Readiness> {
  let answer: Promise<Readiness> | undefined
  const ask = async (): Promise<Readiness> => {
    const [known, ...states] = await Promise.all([
      answers(database),
      ...Object.entries(networks).map(
        async ([name, { ready }]) => [name, (await answers(ready)) ? 'ok' : 'no node'] as const,
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

/** Returns true when the promise fulfils before the timeout, with another value than false. */
function answers(ask: () => Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), checkMs)
    const settle = (answered: boolean) => {
      clearTimeout(timer)
      resolve(answered)
    }
    ask().then(
      (value) => settle(value !== false),
      () => settle(false),
    )
  })
}

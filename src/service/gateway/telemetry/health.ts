import type { FastifyInstance } from 'fastify'
import type { NetworkReadiness } from '../nodes/index.js'

/** Sources of the health checks. */
export interface HealthSources {
  /** Returns true during shutdown. */
  readonly isDraining: () => boolean
  /** The served networks. */
  readonly networks: Readonly<Record<string, { ready(): Promise<NetworkReadiness> }>>
  /** Resolves when the database answers. */
  readonly database: () => Promise<unknown>
}

/** The status of each part, as in the body of `/readyz`. */
export interface Readiness {
  /** The state of the best node of each network. */
  readonly networks: Readonly<Record<string, NetworkReadiness>>
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
    const [isKnown, ...states] = await Promise.all([
      inTime(
        database().then(() => true),
        false,
      ),
      ...Object.entries(networks).map(
        async ([name, { ready }]) => [name, await inTime<NetworkReadiness>(ready(), 'no node')] as const,
      ),
    ])
    const forget = () => {
      answer = undefined
    }
    setTimeout(forget, freshMs).unref()
    return { networks: Object.fromEntries(states), database: isKnown ? 'ok' : 'no answer' }
  }
  return () => {
    answer ??= ask()
    return answer
  }
}

/** Returns the value of a promise, or another value when the promise rejects or the timeout passes. */
function inTime<T>(promise: Promise<T>, otherwise: T): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(otherwise), checkMs)
    const settle = (value: T) => {
      clearTimeout(timer)
      resolve(value)
    }
    promise.then(settle, () => settle(otherwise))
  })
}

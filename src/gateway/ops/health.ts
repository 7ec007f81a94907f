import type { FastifyInstance } from 'fastify'

/** What health is told from. */
export interface HealthSources {
  /** True once the service is stopping. */
  readonly isDraining: () => boolean
  /** For each network, whether a node of it answers. */
  readonly networks: Readonly<Record<string, () => Promise<boolean>>>
}

/**
 * Adds `GET /healthz` (200 while the process is alive) and `GET /readyz` (503 when it is stopping or no network has a
 * node; the body names each network).
 */
export function registerHealth(app: FastifyInstance, { isDraining, networks }: HealthSources): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const states = await Promise.all(
      Object.entries(networks).map(
        async ([name, ready]) => [name, (await ready()) ? 'ok' : 'no node'] as const,
      ),
    )
    const ready = !isDraining() && states.some(([, state]) => state === 'ok')
    const status = isDraining() ? 'draining' : states.every(([, state]) => state === 'ok') ? 'ok' : 'degraded'
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready || isDraining() ? status : 'no node', networks: Object.fromEntries(states) })
  })
}

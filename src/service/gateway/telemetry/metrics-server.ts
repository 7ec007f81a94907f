import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metric } from 'prom-client'
import { ListenError } from '../util/index.js'
import type { ReadMetric } from './metric-samples.js'

/** Options of the metrics server. */
export interface MetricsServerOptions {
  readonly host: string
  /** 0 chooses a free port. */
  readonly port: number
  readonly metrics: readonly ReadMetric[]
}

/** The running metrics server. */
export interface MetricsServer {
  /** `http://…/metrics`. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves metrics for Prometheus on a separate port, including those of the process and its event loop. Values
 * are computed only on a scrape. `/healthz` answers until the process has stopped, longer than the one of the service.
 * @throws ListenError
 */
export async function serveMetrics({ host, port, metrics }: MetricsServerOptions): Promise<MetricsServer> {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const metric of metrics) registry.registerMetric(asMetric(metric))
  const server = createServer((request, response) => {
    request.resume()
    const [path] = (request.url ?? '').split('?', 1)
    if (path === '/healthz') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n')
      return
    }
    if (path !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Metrics are at /metrics\n')
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  server.listen(port, host)
  await once(server, 'listening').catch(ListenError.of('metrics'))
  const address = server.address() as AddressInfo
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `http://${shownHost}:${address.port}/metrics`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      registry.clear()
      await closed
    },
  }
}

/** The registry only uses the name and `get` of a metric, but its type requires one of its own classes. */
function asMetric({ name, help, type, read }: ReadMetric): Metric {
  const get = async () => ({ name, help, type, values: [...read()], aggregator: 'sum' })
  return { name, get } as unknown as Metric
}

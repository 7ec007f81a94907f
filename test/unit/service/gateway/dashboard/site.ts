import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Fastify from 'fastify'
import { limits } from '../../../../../generated/contract.js'
import { openDashboard } from '../../../../../src/service/gateway/app/open-dashboard.js'
import { createLog, openStore, readSettings } from '../../../../../src/service/gateway/index.js'
import { createKeys } from '../../../../../src/service/gateway/keys/index.js'
import { createSecurityLog } from '../../../../../src/service/gateway/security-log/index.js'
import { createSecret, type Store } from '../../../../../src/service/gateway/store/index.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'
import { createVisitor, newAddress, password, type Visitor } from '../../../../support/visitor.js'

/** A dashboard with its own database, in this process. */
export interface Site {
  readonly origin: string
  readonly store: Store
  /** A user who has just signed up. */
  newcomer(email?: string): Promise<Visitor>
}

type Test = { teardown: (work: () => unknown) => void }

/**
 * Starts the dashboard as the service does, without nodes.
 * @param env settings
 */
export async function openSite(t: Test, env: Readonly<Record<string, string>> = {}): Promise<Site> {
  const settings = readSettings(env, { data: join(await temporaryFolder(t), 'data') })
  const store = await openStore(settings)
  const secret = createSecret('a secret of these tests, long enough to be one')
  const keys = createKeys({ store, secret, limits })
  const app = Fastify({ trustProxy: ['127.0.0.0/8'] })
  const noChain = () => Promise.reject(new TypeError('there is no chain to ask'))
  const network = { embedded: true, findBlock: noChain, head: () => undefined, status: () => [] }
  const dashboard = await openDashboard(app, {
    ...{ settings, store, secret, keys },
    log: createLog('silent', () => undefined),
    networks: {
      test: { title: 'Test network', chainId: '0x1f', ...network },
      main: { title: 'Main network', chainId: '0x1e', ...network },
    },
    isDevelopment: true,
    pages: {},
    referencePath: '/docs',
    isDraining: () => false,
    listeningAddress: () => app.server.address() as AddressInfo,
    sendCall: () => Promise.reject(new TypeError('there is no service to call')),
    readiness: () => Promise.reject(new TypeError('there are no nodes to ask')),
    quota: {
      limitPerDay: () => settings.limits.requestsPerDay,
      flush: async () => undefined,
      onWritten: () => undefined,
    },
    usage: { flush: async () => undefined },
    failures: { flush: async () => undefined },
    securityLog: createSecurityLog(store.db, limits, (error) => {
      throw error
    }),
    operators: () => [],
    baseUrl: () => app.listeningOrigin,
  }).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(async () => {
    await app.close()
    await dashboard?.close()
    await store.close()
  })
  return {
    origin,
    store,
    async newcomer(email = newAddress()) {
      const visitor = createVisitor(origin)
      const { status, html } = await visitor.post('/signup', { email, password })
      if (status !== 303) throw new Error(html)
      return visitor
    },
  }
}

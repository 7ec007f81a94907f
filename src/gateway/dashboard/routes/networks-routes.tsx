import type { Network } from '../../networks/network.js'
import { page } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import { ownKey } from '../own-key.js'
import { KeyNetworksPage, type OtherNetwork } from '../pages/key-networks.js'
import type { Routes } from '../routes.js'
import type { OwnVisit } from '../visit.js'
import { walletParameters } from '../wallet-parameters.js'

/** Adds the tab of a key that tells where it works: its URLs, how its network does, what wallets take. */
export function addNetworksRoutes({ own }: Routes, services: DashboardServices): void {
  const { keys, networks, limits, status, title } = services
  const otherOf = async (of: Network, { user }: OwnVisit): Promise<Omit<OtherNetwork, 'state'>> => {
    const all = await keys.list({ userId: user.userId })
    return {
      title: networks[of].title,
      keys: all.filter(({ network }) => network === of),
      isKeyLeft: all.length < limits.keysPerUser,
    }
  }
  own.get('/keys/:id/networks', async (visit) => {
    const key = await ownKey(keys, visit)
    const network = networks[key.network]
    const [{ text }, told] = await Promise.all([keys.show(key.id), status()])
    const stateOf = (of: Network) => told.networks.find(({ chainId }) => chainId === networks[of].chainId)
    const url = (path: string) => ({
      plain: `${network.baseUrl()}${path}/${text}`,
      masked: `${network.baseUrl()}${path}/${key.masked}`,
    })
    const short = url('')
    const wallet = (of: string) => walletParameters(title, network, of)
    const other: Network = key.network === 'test' ? 'main' : 'test'
    return page(
      `Networks of ${key.name}`,
      <KeyNetworksPage
        shown={key}
        network={network.title}
        state={stateOf(key.network)}
        at={told.at}
        urls={[
          { title: 'URL', url: short },
          { title: 'The same with /v2, as node providers write it', url: url('/v2') },
        ]}
        isRevealed={visit.query('show') === 'url'}
        wallet={{ plain: wallet(short.plain), masked: wallet(short.masked) }}
        isDevelopmentChain={network.embedded}
        other={{ ...(await otherOf(other, visit)), state: stateOf(other) }}
      />,
      { scripts: ['live.js', 'wallet.js'], styles: ['metrics.css', 'settings.css'] },
    )
  })
}

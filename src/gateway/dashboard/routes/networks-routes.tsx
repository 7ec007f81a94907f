import { page } from '../answer.js'
import type { DashboardNetwork, DashboardServices } from '../dashboard-services.js'
import { networkTitle } from '../network-title.js'
import { ownKey } from '../own-key.js'
import { KeyNetworksPage, type OtherNetwork } from '../pages/key-networks.js'
import { KeyNotServedPage } from '../pages/key-not-served.js'
import type { Routes } from '../routes.js'
import type { OwnVisit } from '../visit.js'
import { walletParameters } from '../wallet-parameters.js'

/** Adds the tab of a key that tells where it works: its URLs, how its network does, what wallets take. */
export function addNetworksRoutes({ own }: Routes, services: DashboardServices): void {
  const { keys, networks, limits, status, title } = services
  const othersOf = async (
    own: string,
    { user }: OwnVisit,
  ): Promise<readonly Omit<OtherNetwork, 'state'>[]> => {
    const all = await keys.list({ userId: user.userId })
    return [...networks]
      .filter(([name]) => name !== own)
      .map(([name, { title, chainId }]) => ({
        ...{ name, title, chainId },
        keys: all.filter(({ network }) => network === name),
        isKeyLeft: all.length < limits.keysPerUser,
      }))
  }
  own.get('/keys/:id/networks', async (visit) => {
    const key = await ownKey(keys, visit)
    const network = networks.get(key.network)
    const pageTitle = `Networks of ${key.name}`
    if (network === undefined) {
      const shownNetwork = networkTitle(networks, key.network)
      return page(pageTitle, <KeyNotServedPage shown={key} network={shownNetwork} tab="/networks" />)
    }
    const [{ text }, told] = await Promise.all([keys.show(key.id), status()])
    const stateOf = (of: Pick<DashboardNetwork, 'chainId'>) =>
      told.networks.find(({ chainId }) => chainId === of.chainId)
    const others = await othersOf(key.network, visit)
    const url = (path: string) => ({
      plain: `${network.baseUrl()}${path}/${text}`,
      masked: `${network.baseUrl()}${path}/${key.masked}`,
    })
    const short = url('')
    const wallet = (of: string) => walletParameters(title, network, of)
    return page(
      pageTitle,
      <KeyNetworksPage
        shown={key}
        network={network.title}
        state={stateOf(network)}
        at={told.at}
        urls={[
          { title: 'URL', url: short },
          { title: 'The same with /v2, as node providers write it', url: url('/v2') },
        ]}
        isRevealed={visit.query('show') === 'url'}
        wallet={{ plain: wallet(short.plain), masked: wallet(short.masked) }}
        isDevelopmentChain={network.embedded}
        others={others.map((other) => ({ ...other, state: stateOf(other) }))}
      />,
      { scripts: ['live.js', 'wallet.js'], styles: ['metrics.css', 'settings.css'] },
    )
  })
}

import { page } from '../answer.js'
import type { DashboardNetwork, DashboardServices } from '../dashboard-services.js'
import { KeyNotServedPage } from '../keys/key-not-served-page.js'
import { networkTitle } from '../one-key/network-title.js'
import { ownKey } from '../one-key/own-key.js'
import { ownLimits } from '../own-limits.js'
import type { Routes } from '../routes.js'
import type { OwnVisit } from '../visit.js'
import { KeyNetworksPage, type OtherNetwork } from './key-networks-page.js'
import { walletParameters } from './wallet-parameters.js'

/** Adds the tab with a key's URLs, the status of its network and the parameters for wallets. */
export function addNetworksRoutes({ own }: Routes, services: DashboardServices): void {
  const { keys, networks, limits, status, product } = services
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
        isKeyLeft: all.length < ownLimits(limits, user).keysPerUser,
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
    const [{ text }, current] = await Promise.all([keys.show(key.id), status()])
    const stateOf = (of: Pick<DashboardNetwork, 'chainId'>) =>
      current.networks.find(({ chainId }) => chainId === of.chainId)
    const others = await othersOf(key.network, visit)
    const url = (path: string) => ({
      plain: `${network.baseUrl()}${path}/${text}`,
      masked: `${network.baseUrl()}${path}/${key.masked}`,
    })
    const short = url('')
    const wallet = (of: string) => walletParameters(product.name, network, of)
    return page(
      pageTitle,
      <KeyNetworksPage
        shown={key}
        network={network.title}
        state={stateOf(network)}
        at={current.at}
        urls={[
          { title: 'URL', url: short },
          { title: 'URL with /v2, in the form of other node providers', url: url('/v2') },
        ]}
        isRevealed={visit.query('show') === 'url'}
        wallet={{ plain: wallet(short.plain), masked: wallet(short.masked) }}
        isDevelopmentChain={network.embedded}
        others={others.map((other) => ({ ...other, state: stateOf(other) }))}
      />,
      { scripts: ['live.js', 'wallet.js'] },
    )
  })
}

import { relative } from 'node:path'
import { developmentAccounts, type Gateway, type Settings } from '@concordat/gateway'

/**
 * Formats the start message: the service, the URL of each network, an account with funds, the reference, the data
 * folder and an example call.
 * @param gateway the running service
 * @param settings settings of the service
 */
export function startBanner(gateway: Gateway, settings: Settings): string {
  const { dataDir, databaseUrl } = settings
  const networks = Object.values(gateway.networks)
  const development = networks.every(({ embedded }) => embedded)
  const folder = relative(process.cwd(), dataDir)
  return `
  Concordat node access service (${development ? 'development chains' : 'your nodes'}, ${databaseUrl === undefined ? 'embedded database' : 'PostgreSQL'})

${networks
  .map(({ title, url, chainId, keptStates, head }) => {
    const chain = `chain ${Number(chainId)}${head === undefined ? '' : `, block ${Number(head).toLocaleString('en-US')}`}`
    return `  ${title.toLowerCase().padEnd(14)} ${url}   ${chain}${keptStates === undefined ? '' : ` (development chain, keeps the state of ${keptStates} blocks)`}`
  })
  .join('\n')}
${accountLine(networks.some(({ embedded }) => embedded))}${dashboardLine(gateway)}  ${'reference'.padEnd(14)} ${gateway.reference}
${gateway.metrics === undefined ? '' : `  ${'metrics'.padEnd(14)} ${gateway.metrics}\n`}  ${'data'.padEnd(14)} ${folder === '' || folder.startsWith('..') ? dataDir : `./${folder}`}   delete it to start again

  curl -s ${networks[0]?.url} -H 'content-type: application/json' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
`
}

/** Formats the line of a funded account that the seed of a development chain does not use. */
function accountLine(isShown: boolean): string {
  const { address, privateKey } = developmentAccounts[3]
  const key = `private key ${privateKey} (public: for development chains alone)`
  return isShown ? `  ${'funds'.padEnd(14)} ${address}   ${key}\n` : ''
}

/** Formats the line of the dashboard with the demo account. Its password is printed only once. */
function dashboardLine({ dashboard }: Gateway): string {
  const { url, demo } = dashboard
  const who = demo && `   ${demo.email} / ${demo.password ?? 'password printed on the first start'}`
  return `  ${'dashboard'.padEnd(14)} ${url}${who ?? ''}\n`
}

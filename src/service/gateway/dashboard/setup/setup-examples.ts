import { curlOf } from '../assets/console-call.js'
import type { DashboardNetwork } from '../dashboard-services.js'
import { walletParameters } from '../networks/wallet-parameters.js'

/** An example program for one language or library. */
export interface SetupExample {
  /** Id within the page. */
  readonly id: string
  readonly title: string
  /** Command that runs the saved program; undefined for a shell command. */
  readonly run: string | undefined
  /** Command that installs the library; undefined without one. */
  readonly install: string | undefined
  /** Expression that reads the URL from the environment. */
  readonly variable: string
  /** @param url URL with the key, or with the masked key */
  readonly code: (url: string) => string
}

/** Method of the first call. It has no parameters, and its result changes. */
export const exampleMethod = 'eth_blockNumber'

/** The first call as a curl command. */
export const curlExample = (url: string, hasToken = false): string =>
  curlOf(url, `{"jsonrpc":"2.0","id":1,"method":"${exampleMethod}","params":[]}`, hasToken)

const inNode = { run: 'node first-call.mjs', variable: 'process.env.RPC_URL' } as const

/** Parts of the examples for a key that requires a token, which they read from the variable `TOKEN`; empty for others. */
function tokenParts(hasToken: boolean) {
  const header = `authorization: \`Bearer \${process.env.TOKEN}\``
  return hasToken
    ? {
        fetch: `, ${header}`,
        client: `, { headers: { ${header} } }`,
        viem: `, { fetchOptions: { headers: { ${header} } } }`,
        python: `, 'Authorization': f"Bearer {os.environ['TOKEN']}"`,
      }
    : { fetch: '', client: '', viem: '', python: '' }
}

/**
 * Creates the example programs for a network. They print the chain id and the latest block.
 * @param service name of the service
 * @param hasToken true for a key that requires a token
 */
export function setupExamples(
  service: string,
  network: Pick<DashboardNetwork, 'title' | 'chainId'>,
  hasToken: boolean,
): readonly SetupExample[] {
  const { chainId, chainName, nativeCurrency } = walletParameters(service, network, '')
  const { name, symbol, decimals } = nativeCurrency
  const token = tokenParts(hasToken)
  return [
    {
      ...{ id: 'curl', title: 'curl', run: undefined, install: undefined, variable: '"$RPC_URL"' },
      code: (url) => curlExample(url, hasToken),
    },
    {
      ...{ ...inNode, id: 'fetch', title: 'JavaScript', install: undefined },
      code: (url) => `const url = '${url}'

async function rpc(method, ...params) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json'${token.fetch} },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = await response.json()
  if (error) throw new Error(\`\${error.code}: \${error.message}\`)
  return result
}

console.log('chain', Number(await rpc('eth_chainId')), 'block', Number(await rpc('eth_blockNumber')))`,
    },
    {
      ...{ ...inNode, id: 'client', title: 'Typed client', install: 'npm install concordat' },
      code: (url) => `import { createClient } from '@concordat/node-access'

const client = createClient('${url}'${token.client})
const [chainId, block] = await Promise.all([client.eth_chainId(), client.eth_blockNumber()])

console.log('chain', Number(chainId), 'block', Number(block))`,
    },
    {
      ...{ ...inNode, id: 'viem', title: 'viem', install: 'npm install viem' },
      code: (url) => `import { createPublicClient, defineChain, http } from 'viem'

const chain = defineChain({
  id: ${Number(chainId)},
  name: '${chainName}',
  nativeCurrency: { name: '${name}', symbol: '${symbol}', decimals: ${decimals} },
  rpcUrls: { default: { http: ['${url}'] } },
})
const client = createPublicClient({ chain, transport: http('${url}'${token.viem}) })

console.log('chain', await client.getChainId(), 'block', Number(await client.getBlockNumber()))`,
    },
    {
      ...{ ...inNode, id: 'ethers', title: 'ethers', install: 'npm install ethers' },
      code: (url) => `${ethersProvider(url, hasToken)}
const { chainId } = await provider.getNetwork()

console.log('chain', Number(chainId), 'block', await provider.getBlockNumber())`,
    },
    {
      ...{ ...inNode, id: 'web3', title: 'web3.js', install: 'npm install web3' },
      code: (url) => `import { Web3 } from 'web3'

const { eth } = new Web3(${web3Provider(url, hasToken)})

console.log('chain', Number(await eth.getChainId()), 'block', Number(await eth.getBlockNumber()))`,
    },
    {
      ...{ id: 'python', title: 'Python', run: 'python3 first_call.py', install: undefined },
      variable: "os.environ['RPC_URL']",
      code: (url) => `import json
${hasToken ? 'import os\n' : ''}from urllib.request import Request, urlopen

URL = '${url}'


def rpc(method, *params):
    body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': method, 'params': params})
    with urlopen(Request(URL, body.encode(), {'Content-Type': 'application/json'${token.python}})) as answer:
        return json.load(answer)['result']


print('chain', int(rpc('eth_chainId'), 16), 'block', int(rpc('eth_blockNumber'), 16))`,
    },
  ]
}

const ethersProvider = (url: string, hasToken: boolean): string =>
  hasToken
    ? `import { FetchRequest, JsonRpcProvider } from 'ethers'

const request = new FetchRequest('${url}')
request.setHeader('authorization', \`Bearer \${process.env.TOKEN}\`)
const provider = new JsonRpcProvider(request)`
    : `import { JsonRpcProvider } from 'ethers'

const provider = new JsonRpcProvider('${url}')`

const web3Provider = (url: string, hasToken: boolean): string =>
  hasToken
    ? `
  new Web3.providers.HttpProvider('${url}', {
    providerOptions: { headers: { authorization: \`Bearer \${process.env.TOKEN}\` } },
  }),
`
    : `'${url}'`
